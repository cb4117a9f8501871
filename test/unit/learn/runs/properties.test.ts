// What holds for every sequence of tool calls a model may think of.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelToolCall, ModelTurn } from "../../../../src/domain/models.ts";
import { runModel } from "../../../../src/learn/runs/run.ts";
import { createStage } from "../../../../src/learn/runs/stage.ts";
import { MEMORY_TOOLS } from "../../../../src/learn/runs/tools/registry.ts";
import { checkFileName } from "../../../../src/memory/files/file-name.ts";
import { judgeProposal, judgeSet } from "../../../../src/memory/gate/gate.ts";
import { DEPLOY, factsOf, memoryOf, resolve, SAID, TABS } from "./folder.ts";
import { scripted, used } from "./scripted-client.ts";

const MEMORIES = [
  memoryOf("project_cellar.md"),
  memoryOf("größe.md", { description: "how large", body: "Letters are large, deploys are on Thursday." }),
  memoryOf("feedback_old.md", { type: "user", name: "old-tabs", body: "Use spaces." }),
];
const FACTS = factsOf(MEMORIES);

const NAME = fc.oneof(
  fc.constantFrom(
    ...MEMORIES.map(({ file }) => file),
    TABS.file,
    DEPLOY.file,
    "User_Tabs.md",
    "MEMORY.md",
    "../x.md",
    "user_a.md",
    "a/b.md",
    "x.sync-conflict-20260504-120000.md",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 12 }).map((text) => `${text}.md`),
);
const TEXT = fc.oneof(
  fc.constantFrom(
    TABS.body,
    DEPLOY.body,
    TABS.description,
    DEPLOY.description,
    "Always use tabs",
    "cellar",
    "Thursday",
    "unchanged",
    "",
    "a ",
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
);
const RECORD = fc.constantFrom(...Object.keys(SAID), "r99", "__proto__");
const QUOTES = fc.array(
  fc.record({ recordId: RECORD, quote: fc.oneof(fc.constantFrom(...Object.values(SAID)), TEXT) }),
  { maxLength: 3 },
);
const ANY_INPUT = fc.option(fc.dictionary(fc.string(), fc.anything(), { maxKeys: 4 }), { nil: undefined });

const CALL: fc.Arbitrary<Omit<ModelToolCall, "id" | "kind">> = fc.oneof(
  // Calls the gate takes, so that later ones meet something.
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      { tool: "write", input: { ...TABS } },
      { tool: "write", input: { ...DEPLOY } },
      { tool: "write", input: { ...DEPLOY, file: "größe.md" } },
      { tool: "read", input: { file: "größe.md" } },
      {
        tool: "edit",
        input: { file: "größe.md", old: "Thursday", new: "Friday", evidence: DEPLOY.evidence },
      },
    ),
  },
  fc.record({ tool: fc.constant("read"), input: fc.record({ file: NAME }) }),
  fc.record({ tool: fc.constantFrom("glob", "grep"), input: fc.record({ pattern: NAME }) }),
  fc.record({
    tool: fc.constant("write"),
    input: fc.record({
      file: NAME,
      name: fc.oneof(fc.constantFrom("tabs", "deploy", "x"), TEXT),
      description: TEXT,
      type: fc.constantFrom("user", "feedback", "project", "reference", "other"),
      body: TEXT,
      evidence: QUOTES,
    }),
  }),
  // Calls that are good, or would be but for one argument, so that the gate is reached often.
  fc.record({
    tool: fc.constant("write"),
    input: fc
      .tuple(
        fc.constantFrom(TABS, DEPLOY),
        fc.record({ file: NAME, body: TEXT, evidence: QUOTES }, { requiredKeys: [] }),
      )
      .map(([good, extra]) => ({ ...good, ...extra })),
  }),
  fc.record({
    tool: fc.constant("edit"),
    input: fc.record({ file: NAME, old: TEXT, new: TEXT, evidence: QUOTES }),
  }),
  fc.record({ tool: fc.oneof(fc.constantFrom("write", "edit", "bash"), fc.string()), input: ANY_INPUT }),
);
const TURN = fc.record({
  calls: fc.array(CALL, { minLength: 1, maxLength: 8, size: "max" }),
  stop: fc.constantFrom("done", "tools", "tools", "tools", "tools", "tools", "length", "refused"),
});

const SET = {
  run: "run",
  kind: "extract",
  trigger: "test",
  project: { id: "p", key: "p", root: "/p", agentHome: undefined, present: true },
  memoryDir: "/m",
  producer: "model",
} as const;

describe("whatever a model asks for", () => {
  it("only what the gate takes is kept, under plain names, within the turns", async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(TURN, { maxLength: 6, size: "max" }),
        fc.integer({ min: 0, max: 5 }),
        async (turns, turnsMax) => {
          const client = scripted(
            ...turns.map(({ calls, stop }, at): Partial<ModelTurn> => ({
              blocks: calls.map((call, n) => ({ kind: "tool-call", id: `${at}-${n}`, ...call })),
              stop: stop as ModelTurn["stop"],
              usage: used(10),
            })),
          );
          const stage = createStage({ facts: FACTS, resolve });

          const result = await runModel({
            client,
            request: { model: "m", system: "s", prompt: "p" },
            tools: MEMORY_TOOLS,
            prefix: { tokens: 0, chars: 0 },
            stage,
            limits: { turnsMax, inputTokensMax: 1_000_000 },
            signal: new AbortController().signal,
          });

          kept += result.changes.length;
          expect(result.requests).toBe(client.requests.length);
          expect(result.requests).toBeLessThanOrEqual(turnsMax);
          const known = new Set(MEMORIES.map(({ file }) => file));
          for (const change of result.changes) {
            expect(judgeProposal(change, FACTS)).toMatchObject({ accepted: true });
            expect(change.op === "create" ? checkFileName(change.file) : undefined).toBeUndefined();
            expect(known.has(change.file)).toBe(change.op !== "create");
          }
          const files = result.changes.map(({ file }) => file.toLowerCase());
          expect(new Set(files).size).toBe(files.length);
          const judged = judgeSet({ ...SET, changes: result.changes }, FACTS, { lossShareMax: 1 });
          expect(judged.every(({ accepted }) => accepted)).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
    // The property says something only where something was kept.
    expect(kept).toBeGreaterThan(20);
  });
});
