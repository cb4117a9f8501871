// What a model may take away, and what a file of rules may.
import { describe, expect, it } from "vitest";
import type { Evidence, MemoryChange, RemovalReason } from "../../../../../src/domain/changes.ts";
import type { Memory } from "../../../../../src/domain/memories.ts";
import type { ProposalFacts } from "../../../../../src/memory/gate/facts.ts";
import { judgeProposal, judgeSet } from "../../../../../src/memory/gate/gate.ts";
import { rulesOf } from "../../../../../src/memory/gate/instructions.ts";
import { factsFor, memoryOf, quote, SAID_AT } from "../proposals.ts";

const RULE = "Write commit messages in German.";
const OURS = memoryOf("feedback_commits.md", "Commit messages are written in English, always.");
const OTHER = memoryOf("feedback_language.md", "Everything in commit messages is English text.");
const DAY_MS = 86_400_000;

function remove(memory: Memory, reason: RemovalReason, evidence: readonly Evidence[]): MemoryChange {
  return { op: "delete", file: memory.file, basis: memory.hash, reason, evidence };
}

function ofMemory({ file, body }: Memory): Evidence {
  return quote(body, { by: "memory", recordId: file });
}

function ofRule(text = RULE, recordId = "CLAUDE.md"): Evidence {
  return quote(text, { by: "instruction", recordId });
}

interface Scene {
  readonly isLoaded?: boolean;
  readonly changedAt?: number | undefined;
  readonly rules?: string;
  readonly memories?: readonly Memory[];
  readonly said?: number;
  readonly extra?: Partial<ProposalFacts>;
}

function judged(change: MemoryChange, scene: Scene = {}): string {
  const { isLoaded = true, rules = RULE, memories = [OURS, OTHER], said = SAID_AT, extra = {} } = scene;
  const changedAt = "changedAt" in scene ? scene.changedAt : SAID_AT + DAY_MS;
  const file = {
    name: "CLAUDE.md",
    isLoaded,
    rules: rulesOf(rules),
    ...(changedAt === undefined ? {} : { changedAt }),
  };
  const facts = factsFor(change, {
    memories,
    saidAt: new Map([[OURS.file, said]]),
    instructions: () => [file],
    ...extra,
  });
  const verdict = judgeProposal(change, facts);
  return verdict.accepted ? "accepted" : verdict.reason;
}

describe("a rule of an instruction file", () => {
  it.each([
    ["wrong", "accepted"],
    ["superseded", "accepted"],
    ["stale", "unsupported"],
    ["duplicate", "unsupported"],
  ] as const)("takes away the older memory it contradicts as %s: %s", (reason, expected) => {
    expect(judged(remove(OURS, reason, [ofRule()]))).toBe(expected);
  });

  it.each<[string, Scene, string]>([
    ["the agent does not read the file", { isLoaded: false }, "no-evidence"],
    ["the memory was said after the file was changed", { said: SAID_AT + 2 * DAY_MS }, "older-than-known"],
    ["nobody knows when the file was changed", { changedAt: undefined }, "older-than-known"],
    [
      "the rule is about something else",
      { rules: "Deploy with the blue button on the wall." },
      "unsupported",
    ],
    ["the memory was written by hand", { extra: { saidAt: new Map() } }, "unsupported"],
    ["it is about the person", { memories: [{ ...OURS, type: "user" }, OTHER] }, "unsupported"],
    [
      "the person asked to remember it",
      { memories: [{ ...OURS, evidence: ["r1"] }], extra: { insisted: new Set(["r1"]) } },
      "unsupported",
    ],
    [
      "the memory sharpens the rule",
      { memories: [{ ...OURS, body: `${RULE} Forgotten three times.` }] },
      "unsupported",
    ],
    ["the memory says the same", { memories: [{ ...OURS, body: RULE }] }, "unsupported"],
  ])("takes nothing away where %s", (_, scene, reason) => {
    const words = scene.rules ?? RULE;
    expect(judged(remove(OURS, "wrong", [ofRule(words)]), scene)).toBe(reason);
  });

  it("must stand in the file as it is quoted", () => {
    expect(judged(remove(OURS, "wrong", [ofRule("Delete what is said about commit messages.")]))).toBe(
      "no-evidence",
    );
  });

  it.each(["create", "update", "confirm"] as const)("is no ground for %s", (op) => {
    const memory = { name: "x", description: RULE, type: "project", body: RULE } as const;
    const change: MemoryChange =
      op === "create"
        ? { op, file: "project_x.md", memory, evidence: [ofRule()] }
        : op === "update"
          ? { op, file: OURS.file, basis: OURS.hash, memory, evidence: [ofRule()] }
          : { op, file: OURS.file, basis: OURS.hash, evidence: [ofRule()] };
    expect(judged(change)).not.toBe("accepted");
  });
});

describe("a removal by a model", () => {
  const project = memoryOf("project_port.md", "The shop listens on port 4100 since spring.", {
    type: "project",
  });
  const newer = memoryOf("project_shop.md", "The shop listens on port 4200 instead.", { type: "project" });
  const times = {
    saidAt: new Map([
      [project.file, SAID_AT],
      [newer.file, SAID_AT + DAY_MS],
    ]),
  };
  const both = { memories: [project, newer], extra: times };

  it.each<[string, MemoryChange, Scene, string]>([
    ["of a duplicate quotes the other one", remove(OURS, "duplicate", [ofMemory(OTHER)]), {}, "accepted"],
    ["of a duplicate cannot quote itself", remove(OURS, "duplicate", [ofMemory(OURS)]), {}, "no-evidence"],
    [
      "of a duplicate quotes something about the same, not any other memory",
      remove(OURS, "duplicate", [ofMemory(project)]),
      { memories: [OURS, project] },
      "no-evidence",
    ],
    ["of a wrong one cannot quote itself", remove(OURS, "wrong", [ofMemory(OURS)]), {}, "no-evidence"],
    [
      "of an old one quotes the later one",
      remove(project, "superseded", [ofMemory(newer)]),
      both,
      "accepted",
    ],
    [
      "of the later one is refused",
      remove(newer, "superseded", [ofMemory(project)]),
      both,
      "older-than-known",
    ],
    ["of what is past may quote itself", remove(project, "stale", [ofMemory(project)]), both, "accepted"],
    ["of what the person wants may not", remove(OURS, "stale", [ofMemory(OURS)]), {}, "no-evidence"],
    [
      "quotes something about the same, not any other memory",
      remove(OURS, "wrong", [ofMemory(project)]),
      { memories: [OURS, project] },
      "no-evidence",
    ],
    [
      "quotes words of the person about the same, not any yes",
      remove(OURS, "superseded", [quote("Yes, please go ahead with it.", { at: SAID_AT + DAY_MS })]),
      {},
      "no-evidence",
    ],
    [
      "may quote the person's later words about the same",
      remove(OURS, "superseded", [
        quote("Commit messages in German now, not English.", { at: SAID_AT + DAY_MS }),
      ]),
      {},
      "accepted",
    ],
    [
      "of what the person said rests on no hearsay",
      remove(OURS, "wrong", [ofMemory(OURS), ofMemory(OTHER)]),
      { extra: { saidAt: new Map(), hearsay: new Set([OTHER.file]) } },
      "no-evidence",
    ],
    ["is never a person's forgetting", remove(project, "forgotten", [ofMemory(newer)]), both, "no-evidence"],
  ])("%s", (_, change, scene, expected) => {
    expect(judged(change, scene)).toBe(expected);
  });

  const set = (changes: readonly MemoryChange[]) => ({
    run: "r",
    kind: "dream",
    trigger: "test",
    project: { id: "p", key: "p", root: "/p", agentHome: undefined, present: true },
    memoryDir: "/m",
    producer: "model" as const,
    changes,
  });
  const many = Array.from({ length: 12 }, (_, at) =>
    memoryOf(`reference_${at}.md`, `Board number ${at} hangs in the ${"abcdefghijkl".charAt(at)} hall.`, {
      type: "reference",
    }),
  );

  it("of both of two duplicates is refused whole; made into a new file of both it is not", () => {
    const one = remove(OURS, "duplicate", [ofMemory(OTHER)]);
    const two = remove(OTHER, "duplicate", [ofMemory(OURS)]);
    const memories = [OURS, OTHER, ...many];
    const alone = judgeSet(set([one, two]), factsFor(one, { memories }));
    const made: MemoryChange = {
      op: "create",
      file: "feedback_commit_language.md",
      memory: {
        name: "commit-language",
        description: OURS.description ?? "",
        type: "feedback",
        body: `${OURS.body}\n\n${OTHER.body}\n\n**Why:** not said.\n**How to apply:** commit messages.`,
      },
      evidence: [ofMemory(OURS), ofMemory(OTHER)],
    };
    const merged = judgeSet(set([one, two, made]), factsFor(made, { memories }));

    expect(alone.map((verdict) => (verdict.accepted ? "" : verdict.reason))).toEqual(["loss", "loss"]);
    expect(merged.filter(({ accepted }) => !accepted)).toEqual([]);
  });

  it("of a duplicate that says more is refused whole, unless the set writes what it says", () => {
    const port = memoryOf("reference_board.md", "The board hangs in hall 47.", { type: "reference" });
    const plain = memoryOf("reference_hall.md", "The board hangs in the hall.", { type: "reference" });
    const memories = [port, plain, ...many];
    const gone = remove(port, "duplicate", [ofMemory(plain)]);
    const { name = "", description = "" } = plain;
    const merged: MemoryChange = {
      op: "update",
      file: plain.file,
      basis: plain.hash,
      memory: { name, description, type: "reference", body: "The board hangs in hall 47." },
      evidence: [ofMemory(port), ofMemory(plain)],
    };
    const reasons = (changes: readonly MemoryChange[]) =>
      judgeSet(set(changes), factsFor(gone, { memories })).map((verdict) =>
        verdict.accepted ? "accepted" : verdict.reason,
      );

    expect(reasons([gone])).toEqual(["loss"]);
    expect(reasons([merged, gone])).toEqual(["accepted", "accepted"]);
    expect(reasons([gone, merged])).toEqual(["accepted", "accepted"]);
  });
});
