// What a run sees and may change, by itself and against what it has written already.
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { MEMORY_LIMITS, RUN_LIMITS } from "../../../../src/domain/limits.ts";
import type { Memory } from "../../../../src/domain/memories.ts";
import type { Stage } from "../../../../src/learn/runs/stage.ts";
import { judgeSet } from "../../../../src/memory/gate/gate.ts";
import { tokens } from "../../memory/secrets/made-up-tokens.ts";
import { DEPLOY, factsOf, memoryOf, stageOf, TABS } from "./folder.ts";

type Fields = typeof TABS | typeof DEPLOY;

/** A wish whose fields may be changed. */
function wishOf(base: Fields, extra: Partial<Record<keyof Fields, unknown>> = {}) {
  const { file, evidence, ...memory } = { ...base, ...extra } as Fields;
  return { file, memory, quotes: evidence };
}

const OLD = memoryOf("reference_deploy.md", {
  description: "when we deploy",
  body: "Deploy every Thursday.\n\nThe branch is main.",
});
const EDIT = { file: OLD.file, old: "Thursday", text: "Friday", quotes: DEPLOY.evidence };

/** Whether the commit would accept each change. */
function committed(changes: readonly MemoryChange[], memories: readonly Memory[] = []): boolean[] {
  const project = { id: "p", key: "p", root: "/p", agentHome: undefined, present: true };
  const set = {
    run: "r",
    kind: "extract",
    trigger: "test",
    project,
    memoryDir: "/m",
    changes,
    producer: "model",
  } as const;
  return judgeSet(set, factsOf(memories)).map(({ accepted }) => accepted);
}

function textOf(stage: Stage, file: string): string {
  const found = stage.read(file);
  return "text" in found ? found.text : `denied: ${found.why}`;
}

describe("a write", () => {
  it("to a new name creates and is read back at once", () => {
    const stage = stageOf();

    expect(stage.write(wishOf(TABS))).toEqual({ accepted: true, op: "create", file: TABS.file });

    expect(textOf(stage, TABS.file)).toBe(
      `file: user_tabs.md\nname: tabs\ndescription: ${TABS.description}\ntype: user\n\n${TABS.body}`,
    );
    expect(stage.memories().map(({ file }) => file)).toEqual([TABS.file]);
  });

  it("to a known file asks for a read first, then becomes an update of what was read", () => {
    const stage = stageOf([OLD]);

    const blind = stage.write(wishOf(DEPLOY));
    stage.read(OLD.file);
    const unseen = [stage.write(wishOf(DEPLOY)), stage.edit(EDIT)];
    stage.noteSent();
    const seen = stage.write(wishOf(DEPLOY));

    expect(blind).toMatchObject({ accepted: false, message: expect.stringContaining("read it first") });
    for (const answer of unseen) {
      expect(answer).toMatchObject({
        accepted: false,
        message: expect.stringContaining("not seen this file"),
      });
    }
    expect(seen).toEqual({ accepted: true, op: "update", file: OLD.file });
    expect(stage.changes()).toMatchObject([{ op: "update", basis: OLD.hash }]);
  });

  it("needs no read of a file whose whole text stands in the prompt", () => {
    expect(stageOf([OLD], { shown: [OLD.file] }).write(wishOf(DEPLOY))).toMatchObject({ accepted: true });
  });

  it("is not let through by a search that showed one line", () => {
    const stage = stageOf([OLD]);
    stage.memories();

    expect(stage.write(wishOf(DEPLOY))).toMatchObject({ accepted: false });
  });

  it("finds the known file in another spelling of its name", () => {
    const stage = stageOf([OLD]);
    stage.read("Reference_Deploy.md");
    stage.noteSent();

    expect(stage.write(wishOf(DEPLOY, { file: "REFERENCE_deploy.md" }))).toMatchObject({
      op: "update",
      file: OLD.file,
    });
  });

  it("to the same file twice leaves the later one", () => {
    const stage = stageOf();
    stage.write(wishOf(TABS, { body: "Always use tabs." }));
    stage.write(wishOf(TABS, { file: "User_tabs.md" }));

    expect(stage.changes()).toMatchObject([{ op: "create", file: TABS.file, memory: { body: TABS.body } }]);
  });

  it("that is refused leaves the earlier one and says so", () => {
    const stage = stageOf();
    stage.write(wishOf(TABS));

    const answer = stage.write(wishOf(TABS, { body: "" }));

    expect(answer).toMatchObject({ accepted: false, message: expect.stringContaining("before stands") });
    expect(stage.changes()).toMatchObject([{ memory: { body: TABS.body } }]);
    expect(stage.refused()).toMatchObject([{ reason: "empty" }]);
  });

  it("of what the file says already confirms it", () => {
    const known = memoryOf(DEPLOY.file, { ...DEPLOY, evidence: [], body: `${DEPLOY.body}\r\n` });
    const stage = stageOf([known], { shown: [known.file] });

    expect(stage.write(wishOf(DEPLOY))).toMatchObject({ accepted: true, op: "confirm" });
    expect(textOf(stage, known.file)).toContain(DEPLOY.body);
  });

  it("takes a name in plain words, and leaves a name the person gave", () => {
    const stage = stageOf([{ ...OLD, name: "Our Deploy Day" }], { shown: [OLD.file] });

    stage.write(wishOf(TABS, { name: "Tabs, not spaces" }));
    stage.write(wishOf(DEPLOY, { name: "Our Deploy Day" }));

    expect(stage.changes()).toMatchObject([
      { memory: { name: "tabs-not-spaces" } },
      { memory: { name: "Our Deploy Day" } },
    ]);
  });

  it("with a quote of a record the model was not shown is answered with its number", () => {
    const evidence = [...TABS.evidence, { recordId: "r99", quote: "use tabs" }];

    expect(stageOf().write(wishOf(TABS, { evidence }))).toMatchObject({
      message: expect.stringContaining("evidence 2"),
    });
  });

  it("with a secret is refused, and the answer does not repeat it", () => {
    const secret = tokens.github();
    const answer = stageOf().write(wishOf(TABS, { body: `${TABS.body} The key is ${secret}.` }));

    expect(answer).toMatchObject({ accepted: false, message: expect.stringContaining("secret") });
    expect(JSON.stringify(answer)).not.toContain(secret);
  });
});

describe("a known file", () => {
  it.each([
    ["has a damaged header", { frontmatter: "malformed" as const }, "damaged"],
    ["hides a secret", { body: `Deploy every Thursday. Key: ${tokens.github()}` }, "hidden"],
    ["is too long to be shown", { body: `Thursday ${"word ".repeat(10_000)}` }, "too long"],
  ])("that %s is left to the person", (_what, fields, word) => {
    const stage = stageOf([{ ...OLD, ...fields }]);
    stage.read(OLD.file);
    stage.noteSent();

    for (const answer of [stage.write(wishOf(DEPLOY)), stage.edit(EDIT)]) {
      expect(answer).toMatchObject({ accepted: false, message: expect.stringContaining(word) });
    }
    expect(stage.changes()).toEqual([]);
  });

  it("is shown without control characters and secrets, and no longer than an answer may be", () => {
    const secret = tokens.anthropic();
    const hostile = memoryOf("user_x.md", {
      name: "a\nname: b",
      description: `\u001b]0;x\u0007 ${secret}\r\ntype: user`,
      body: `one\ttwo\u202e\r\n${secret}\r\n${"x".repeat(1_000_000)}`,
    });
    const text = textOf(stageOf([hostile]), hostile.file);

    // oxlint-disable-next-line no-control-regex -- that none is left is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    expect(text).not.toContain(secret);
    expect(text.split("\n").filter((line) => /^(?:name|type):/u.test(line))).toHaveLength(2);
    expect(text.length).toBeLessThanOrEqual(RUN_LIMITS.toolResultCharsMax);
    expect(text.endsWith("[cut here: the rest is not shown]")).toBe(true);
  });

  it("is not taken for its neighbour whose name differs in case only", () => {
    const twin = { ...OLD, file: "Reference_deploy.md", name: "twin", hash: "twin", body: "The twin text." };
    const stage = stageOf([OLD, twin], { shown: [OLD.file] });
    stage.write(wishOf(DEPLOY));

    expect(textOf(stage, OLD.file)).toContain(DEPLOY.body);
    expect(textOf(stage, twin.file)).toContain("The twin text.");
  });

  it("of another project that shares the folder is neither shown nor changed, and its name is taken", () => {
    const theirs = memoryOf("reference_deploy.md", { origin: "/theirs", body: "Their secret plan." });
    const ours = memoryOf("project_tests.md", { origin: "/ours" });
    const stage = stageOf([theirs, ours], { facts: { origin: "/ours" }, shown: [theirs.file] });

    expect(stage.memories().map(({ file }) => file)).toEqual([ours.file]);
    expect(stage.read(theirs.file)).toMatchObject({ why: "no-such-memory" });
    expect(stage.memoryOf(theirs.file)).toMatchObject({ why: "no-such-memory" });
    expect(stage.edit({ ...EDIT, file: theirs.file })).toMatchObject({ denied: "no-such-memory" });
    expect(stage.write(wishOf(DEPLOY))).toMatchObject({ message: expect.stringContaining("another name") });
    expect(stage.write(wishOf(TABS))).toMatchObject({ accepted: true });
  });
});

describe("an edit", () => {
  it("changes one place and nothing else", () => {
    const stage = stageOf([OLD], { shown: [OLD.file] });

    expect(stage.edit(EDIT)).toEqual({ accepted: true, op: "update", file: OLD.file });

    expect(stage.changes()).toMatchObject([
      {
        basis: OLD.hash,
        memory: {
          name: OLD.name,
          description: OLD.description,
          type: OLD.type,
          body: "Deploy every Friday.\n\nThe branch is main.",
        },
      },
    ]);
  });

  it("reaches the description, and takes the new text letter for letter", () => {
    const stage = stageOf([OLD], { shown: [OLD.file] });

    stage.edit({ ...EDIT, old: "when we deploy", text: "when we deploy $& release" });

    expect(stage.changes()).toMatchObject([
      { memory: { description: "when we deploy $& release", body: OLD.body } },
    ]);
  });

  it.each([
    ["nowhere", { old: "Saturday" }, {}, "copy it exactly"],
    ["twice in the body", { old: "a" }, {}, "more than once"],
    ["twice, one over the other", { old: "ana" }, { body: "A banana." }, "more than once"],
    [
      "in description and body",
      { old: "deploy" },
      { description: "deploy day", body: "We deploy." },
      "more than once",
    ],
    ["only as it is shown", { old: "every  Thursday" }, { body: "every\tThursday" }, "a little differently"],
    ["in a memory without a type", {}, { type: undefined }, "no complete header"],
  ])("is answered when the old text stands %s", (_what, edit, fields, words) => {
    const stage = stageOf([{ ...OLD, ...fields }], { shown: [OLD.file] });

    expect(stage.edit({ ...EDIT, ...edit })).toMatchObject({
      accepted: false,
      message: expect.stringContaining(words),
    });
    expect(stage.changes()).toEqual([]);
  });

  it("needs a read of a known file, none of one the run has made", () => {
    const stage = stageOf([OLD]);
    stage.write(wishOf(TABS));

    expect(stage.edit(EDIT)).toMatchObject({ message: expect.stringContaining("read it first") });
    expect(stage.edit({ ...EDIT, file: TABS.file, old: "Always use", text: "Use" })).toMatchObject({
      op: "create",
    });
  });

  it("keeps the quotes of the proposal it continues", () => {
    const stage = stageOf();
    stage.write(wishOf(DEPLOY));

    const answer = stage.edit({
      file: DEPLOY.file,
      old: "from the main branch.",
      text: "from the main branch; see https://grafana.example.test/d/staging.",
      quotes: [{ recordId: "r3", quote: "dashboard lives at https://grafana.example.test/d/staging" }],
    });

    expect(answer).toMatchObject({ accepted: true });
    expect(stage.changes()[0]?.evidence.map(({ recordId }) => recordId)).toEqual(["r2", "r3"]);
  });

  it("cannot pile up quotes without end", () => {
    const stage = stageOf();
    stage.write(wishOf(TABS));
    const answers = Array.from({ length: 40 }, (_, n) =>
      stage.edit({
        ...EDIT,
        file: TABS.file,
        old: n % 2 === 0 ? "Always use" : "always use",
        text: n % 2 === 0 ? "always use" : "Always use",
        quotes: [{ recordId: "r1", quote: `always use tabs${" ".repeat(n + 2)}for indentation` }],
      }),
    );

    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(4 * RUN_LIMITS.quotesMax - 1);
    expect(answers.find(({ accepted }) => !accepted)).toMatchObject({
      message: expect.stringContaining("write it whole"),
    });
  });
});

describe("proposals of one run", () => {
  it("cannot repeat each other under another file", () => {
    const stage = stageOf();
    stage.write(wishOf(TABS));

    const twin = stage.write(wishOf(TABS, { file: "user_other.md", name: "other" }));
    const sameName = stage.write(wishOf(DEPLOY, { name: TABS.name }));

    expect(twin).toMatchObject({ message: expect.stringContaining("already says this") });
    expect(sameName).toMatchObject({ message: expect.stringContaining("already has this name") });
  });

  it("may link to memories of the folder, also after others", () => {
    const stage = stageOf([memoryOf("reference_release.md", { name: "release-v2" })]);
    stage.write(wishOf(TABS));

    expect(stage.write(wishOf(DEPLOY, { body: `${DEPLOY.body} See [[release-v2]].` }))).toMatchObject({
      accepted: true,
    });
  });

  it("are judged against the folder on disk too, as the commit will", () => {
    const tabs = memoryOf("feedback_old.md", { ...TABS, file: "feedback_old.md", evidence: [] });
    const stage = stageOf([tabs], { shown: [tabs.file] });
    const quotes = [{ recordId: "r4", quote: "never want force pushes on shared branches" }];
    stage.edit({ file: tabs.file, old: TABS.body, text: "Always use tabs, never force pushes.", quotes });

    expect(stage.write(wishOf(TABS, { name: "fresh" }))).toMatchObject({ accepted: false });
  });

  it("stop at the bound of one run", () => {
    const stage = stageOf();
    const words = Array.from({ length: MEMORY_LIMITS.changesMax + 1 }, (_, n) => `w${"x".repeat(n + 1)}`);
    const text = words.map((word) => `note about ${word} cellar lamp`);
    const facts = factsOf([], { recordText: (id) => text[Number(id)] });
    const many = stageOf([], {
      facts,
      resolve: ({ recordId, quote }) => ({
        session: { agent: "codex", id: "s", projectId: undefined },
        recordId,
        by: "user",
        quote,
        at: undefined,
      }),
    });
    const answers = words.map((word, n) =>
      many.write({
        file: `reference_${word}.md`,
        memory: { name: word, description: text[n] ?? "", type: "reference", body: text[n] ?? "" },
        quotes: [{ recordId: String(n), quote: text[n] ?? "" }],
      }),
    );

    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(MEMORY_LIMITS.changesMax);
    expect(answers.at(-1)).toMatchObject({ accepted: false, message: expect.stringContaining("at most") });
    expect(stage.changes()).toEqual([]);
  });

  it("of a job's own tool can remove a memory, which is gone for the run and comes back as an update", () => {
    const stage = stageOf([OLD, memoryOf("project_tests.md")]);
    const quotes = { session: { agent: "codex", id: "s", projectId: undefined }, by: "memory" } as const;
    stage.read(OLD.file);
    stage.noteSent();

    const verdict = stage.propose({
      op: "delete",
      file: OLD.file,
      basis: OLD.hash,
      reason: "stale",
      evidence: [{ ...quotes, recordId: OLD.file, quote: "Deploy every Thursday.", at: undefined }],
    });

    expect(verdict.accepted).toBe(true);
    expect(stage.memories().map(({ file }) => file)).toEqual(["project_tests.md"]);
    expect(stage.read(OLD.file)).toMatchObject({ why: "no-such-memory" });
    expect(stage.write(wishOf(DEPLOY))).toMatchObject({ accepted: true, op: "update" });
    expect(stage.changes()).toHaveLength(1);
  });

  it("with a basis that is not the folder's are refused", () => {
    const stage = stageOf([OLD]);
    const evidence = [{ ...DEPLOY.evidence[0], by: "user" as const, at: undefined }].map((item) => ({
      ...item,
      session: { agent: "codex" as const, id: "s", projectId: undefined },
    }));
    const { file, evidence: _, ...memory } = DEPLOY;

    expect(stage.propose({ op: "update", file, basis: "other", memory, evidence })).toMatchObject({
      accepted: false,
      reason: "changed-since-read",
    });
  });

  it("are not let through by what only this run knows, because the commit would drop them", () => {
    const stage = stageOf();
    stage.write({
      file: "reference_api.md",
      memory: {
        name: "api-v2",
        type: "reference",
        description: "billing talks to api-v2",
        body: "Billing talks to api-v2.",
      },
      quotes: [{ recordId: "r5", quote: "billing service talks to api-v2" }],
    });
    const linking = {
      ...wishOf(DEPLOY),
      memory: { ...wishOf(DEPLOY).memory, body: `${DEPLOY.body} See [[api-v2]].` },
    };

    const { accepted } = stage.write(linking);

    const wanted = [...stage.changes(), ...stage.refused().map(({ change }) => change)];
    expect(committed(wanted)).toEqual([true, accepted]);
  });

  it("are what the commit accepts", () => {
    const memories = [OLD];
    const stage = stageOf(memories, { shown: [OLD.file] });
    stage.write(wishOf(TABS));
    stage.write(wishOf(DEPLOY));

    expect(committed(stage.changes(), memories)).toEqual([true, true]);
  });
});
