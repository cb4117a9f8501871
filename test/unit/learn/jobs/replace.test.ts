// A newer rule in the place of an older one, from the plan through the gate: only where both set one value, and only
// by what was said later.
import { describe, expect, it } from "vitest";
import type { ChangeSet, MemoryChange } from "../../../../src/domain/changes.ts";
import type { Memory } from "../../../../src/domain/memories.ts";
import { planChanges } from "../../../../src/learn/jobs/plan.ts";
import { draftOf } from "../../../../src/learn/offline/draft.ts";
import { judgeSet } from "../../../../src/memory/gate/gate.ts";
import { zoneNamed } from "../../../helpers/time-zone.ts";

const DAY_MS = 86_400_000;
const MARCH_1 = Date.parse("2026-03-01T10:00:00Z");
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const session = { agent: "claude-code", id: "s1", projectId: "p1" } as const;

function said(text: string, at: number) {
  return {
    memory: draftOf({ text, type: "feedback", saidOn: dayOf(at) }),
    evidence: [{ session, recordId: `r-${text}`, by: "user", quote: text, at }],
  } as const;
}

function held(text: string, at: number, fields: Partial<Memory> = {}): Memory {
  return {
    ...said(text, at).memory,
    file: "feedback_rule.md",
    frontmatter: "ok",
    hash: "h1",
    mtimeMs: at,
    confirmed: dayOf(at),
    modified: undefined,
    originSessionId: undefined,
    evidence: ["r-old"],
    origin: undefined,
    links: [],
    ...fields,
  };
}

function plan(findings: readonly ReturnType<typeof said>[], memories: readonly Memory[]): MemoryChange[] {
  return planChanges(findings, {
    memories,
    taken: new Set(memories.map(({ file }) => file)),
    today: "2026-03-20",
    timeZone: zoneNamed("UTC"),
    origin: undefined,
  });
}

function judged(changes: readonly MemoryChange[], memories: readonly Memory[]) {
  const project = { id: "p1", key: "p", root: "/p", agentHome: undefined, present: true };
  const set: ChangeSet = {
    run: "r",
    kind: "extract",
    trigger: "t",
    project,
    memoryDir: "/m",
    changes,
    producer: "offline",
  };
  const texts = new Map(
    changes.flatMap(({ evidence }) => evidence.map((e) => [e.recordId, e.quote] as const)),
  );
  return judgeSet(set, {
    producer: "offline",
    memories,
    otherNames: [],
    recordText: (id) => texts.get(id),
    recordedIds: new Set(["r-old"]),
    removed: { recordIds: new Set(), textHashes: new Map() },
    saidAt: new Map(),
    timeZone: zoneNamed("UTC"),
    today: "2026-03-20",
  });
}

describe("a newer rule", () => {
  it("takes the file of the older one, says what it supersedes and when that was said, and passes the gate", () => {
    const memories = [held("Always start hook names with 'use_'.", MARCH_1)];

    const changes = plan([said("From now on start hook names with 'hk_'.", MARCH_1 + 5 * DAY_MS)], memories);

    expect(changes).toMatchObject([{ op: "update", file: "feedback_rule.md", basis: "h1" }]);
    const [change] = changes;
    expect(change !== undefined && "memory" in change ? change.memory.body : "").toMatch(
      /^From now on start hook names with 'hk_'\.[^]*Supersedes "Always start hook names with 'use_'", stated on 2026-03-01\./u,
    );
    expect(judged(changes, memories)).toMatchObject([{ accepted: true }]);
  });

  it("says so in the language it was said in", () => {
    const memories = [held("以后都用英文回答。", MARCH_1)];
    const changes = plan([said("以后都用中文回答。", MARCH_1 + DAY_MS)], memories);
    expect(changes).toMatchObject([
      {
        op: "update",
        memory: { body: expect.stringContaining("取代用户于 2026-03-01 说的“以后都用英文回答”") },
      },
    ]);
    expect(judged(changes, memories)).toMatchObject([{ accepted: true }]);
  });

  it("that was said before the one in force changes nothing, whenever it is read", () => {
    const memories = [held("Always start hook names with 'use_'.", MARCH_1)];
    expect(plan([said("From now on start hook names with 'hk_'.", MARCH_1 - DAY_MS)], memories)).toEqual([]);
  });

  it("in the same window stands alone", () => {
    const changes = plan(
      [
        said("From now on indent with 2 spaces.", MARCH_1),
        said("From now on indent with 4 spaces.", MARCH_1 + 60_000),
      ],
      [],
    );
    expect(changes).toMatchObject([
      { op: "create", memory: { description: "From now on indent with 4 spaces." } },
    ]);
  });

  it("in other words with the same value confirms", () => {
    const memories = [held("Always answer in German.", MARCH_1)];
    expect(plan([said("From now on please reply in German.", MARCH_1 + DAY_MS)], memories)).toMatchObject([
      { op: "confirm", file: "feedback_rule.md" },
    ]);
  });
});

describe("an older rule stays beside the newer one", () => {
  const newer = "From now on start hook names with 'hk_'.";
  it.each([
    ["that is about another thing", "Always start store names with 'use_'.", {}],
    ["that says more", "Always start hook names with 'use_'. Never export them by default.", {}],
    ["that a person wrote by hand", "Always start hook names with 'use_'.", { evidence: [] }],
    ["that is no rule", "Always start hook names with 'use_'.", { type: "project" }],
  ] as const)("%s", (_why, text, fields) => {
    const memories = [held(text, MARCH_1, fields)];
    expect(plan([said(newer, MARCH_1 + DAY_MS)], memories)).toMatchObject([{ op: "create" }]);
  });

  it("where several hold at once by their nature", () => {
    const memories = [held("Always import the 'locale' module.", MARCH_1)];
    expect(plan([said("Always import the 'gzip' module.", MARCH_1 + DAY_MS)], memories)).toMatchObject([
      { op: "create" },
    ]);
  });
});
