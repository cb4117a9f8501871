import { describe, expect, it } from "vitest";
import { evidenceRule } from "../../../../../src/memory/gate/rules/evidence.ts";
import { knownRule, recordedRule } from "../../../../../src/memory/gate/rules/recorded.ts";
import { removedRule } from "../../../../../src/memory/gate/rules/removed.ts";
import { basisRule, orderRule, originRule } from "../../../../../src/memory/gate/rules/target.ts";
import { textHashOf } from "../../../../../src/memory/gate/text-hash.ts";
import { create, draftOf, factsFor, memoryOf, quote, SAID_AT, talk } from "../proposals.ts";

const TEXT = "Run the linter before every commit.";

describe("the evidence rule", () => {
  it("accepts words that stand in the named record, whatever their case, quotes and breaks", () => {
    const change = create(TEXT, [quote("“run the linter   before every COMMIT.”")]);
    const facts = factsFor(change, { recordText: () => 'so: "Run the linter\nbefore every commit." ok?' });

    expect(evidenceRule(change, facts)).toBeUndefined();
  });

  it("refuses no evidence, an unknown record, other words, and an empty quote", () => {
    const change = create(TEXT);

    for (const [bad, facts] of [
      [{ ...change, evidence: [] }, factsFor(change)],
      [change, factsFor(change, { recordText: () => undefined })],
      [change, factsFor(change, { recordText: () => "run the tests before every commit" })],
      [create(TEXT, [quote(" ")]), factsFor(change, { recordText: () => "anything" })],
    ] as const) {
      expect(evidenceRule(bad, facts)?.reason).toBe("no-evidence");
    }
  });

  it.each(["assistant", "tool", "log"] as const)(
    "does not take words of the %s for a user or feedback memory",
    (by) => {
      const feedback = create(TEXT, [quote(TEXT, { by })]);
      const project = create(TEXT, [quote(TEXT, { by })], { type: "project" });

      expect(evidenceRule(feedback, factsFor(feedback))?.reason).toBe("no-evidence");
      expect(evidenceRule(project, factsFor(project)) === undefined).toBe(by !== "assistant");
    },
  );

  it.each([
    ["ok then, it is", false],
    ["use tabs", false],
    ["use tabs here", true],
    ["好的", false],
    ["提交信息用英文写", true],
    ["コメントを日本語で書いて", true],
    ["はい、です。", false],
  ])("counts words with a meaning: %j is enough: %s", (words, enough) => {
    const change = create(TEXT, [quote(words)]);

    expect(evidenceRule(change, factsFor(change)) === undefined).toBe(enough);
  });

  it("counts an affirmed proposal with the short yes (B52)", () => {
    const said = talk("A: Biome as formatter from now on?", "U: Yes please.");
    const change = create(TEXT, [said.quoteOf(0), said.quoteOf(1)]);

    expect(evidenceRule(change, said.facts())).toBeUndefined();
    expect(evidenceRule(create(TEXT, [said.quoteOf(1)]), said.facts())?.reason).toBe("no-evidence");
  });

  it("lets tidying cite memories, but makes nothing new from memories alone", () => {
    const memory = memoryOf("feedback_linter.md", TEXT);
    const cited = quote("linter before every commit", { by: "memory", recordId: memory.file });
    const update = {
      op: "update",
      file: memory.file,
      basis: memory.hash,
      memory: draftOf(TEXT),
      evidence: [cited],
    } as const;
    const facts = factsFor(update, { memories: [memory] });

    expect(evidenceRule(update, facts)).toBeUndefined();
    expect(evidenceRule(create(TEXT, [cited]), facts)?.reason).toBe("no-evidence");
    const invented = quote("something else entirely", { by: "memory", recordId: memory.file });
    expect(evidenceRule({ ...update, evidence: [invented] }, facts)?.reason).toBe("no-evidence");
  });

  it("asks a person for none", () => {
    const change = create(TEXT, []);

    expect(evidenceRule(change, factsFor(change, { producer: "person" }))).toBeUndefined();
  });
});

describe("what was learnt already", () => {
  it("refuses words that were all taken up, and takes them with one that was not", () => {
    const old = quote(TEXT, { recordId: "r1" });
    const fresh = quote(TEXT, { recordId: "r2" });
    const facts = factsFor(create(TEXT), { recordedIds: new Set(["r1"]) });

    expect(recordedRule(create(TEXT, [old]), facts)?.reason).toBe("already-recorded");
    expect(recordedRule(create(TEXT, [old, fresh]), facts)).toBeUndefined();
    expect(recordedRule(create(TEXT, [old]), { ...facts, producer: "person" })).toBeUndefined();
  });

  it("refuses a second file for a fact, but not across projects of one folder", () => {
    const known = memoryOf("feedback_linter.md", TEXT, { origin: "/a" });
    const change = create(TEXT);
    const facts = factsFor(change, { memories: [known] });

    expect(knownRule(change, facts)?.reason).toBe("already-known");
    expect(knownRule(change, { ...facts, origin: "/a" })?.reason).toBe("already-known");
    expect(knownRule(change, { ...facts, origin: "/b" })).toBeUndefined();
  });
});

describe("what a person took back", () => {
  const removed = {
    recordIds: new Set(["r1"]),
    textHashes: new Map([[textHashOf(draftOf(TEXT)), SAID_AT]]),
  };

  it("stays away for the same evidence and for older copies of the text", () => {
    const same = create("Other words for the same", [quote(TEXT, { recordId: "r1" })]);
    const copy = create("Every commit: run before the LINTER", [
      quote(TEXT, { recordId: "fork", at: SAID_AT - 1 }),
    ]);
    const undated = create(TEXT, [quote(TEXT, { recordId: "fork", at: undefined })]);

    for (const change of [same, copy, undated]) {
      expect(removedRule(change, factsFor(change, { removed }))?.reason).toBe("removed-before");
    }
  });

  it("comes back by newly typed words, and by the person", () => {
    const fresh = create(TEXT, [quote(TEXT, { recordId: "r9", at: SAID_AT + 1 })]);
    const typed = create(TEXT, []);

    expect(removedRule(fresh, factsFor(fresh, { removed }))).toBeUndefined();
    expect(removedRule(typed, factsFor(typed, { removed, producer: "person" }))).toBeUndefined();
  });
});

describe("the file a change is aimed at", () => {
  const memory = memoryOf("role.md", TEXT, { origin: "/a", confirmed: "2026-05-04" });
  const update = {
    op: "update",
    file: "role.md",
    basis: memory.hash,
    memory: draftOf(TEXT),
    evidence: [quote(TEXT)],
  } as const;
  const facts = factsFor(update, { memories: [memory] });

  it("must be as it was read", () => {
    expect(basisRule(update, facts)).toBeUndefined();
    expect(basisRule({ ...update, basis: "older" }, facts)?.reason).toBe("changed-since-read");
    expect(basisRule({ ...update, file: "gone.md" }, facts)?.reason).toBe("changed-since-read");
    expect(basisRule({ ...create(TEXT), file: "ROLE.md" }, facts)?.reason).toBe("changed-since-read");
    expect(basisRule({ ...create(TEXT), file: "new.md" }, facts)).toBeUndefined();
  });

  it("is not overwritten by older words that are read later", () => {
    const yesterday = { ...update, evidence: [quote(TEXT, { at: SAID_AT - 86_400_000 })] };
    const hourAgo = { ...update, evidence: [quote(TEXT, { at: SAID_AT - 3_600_000 })] };

    expect(orderRule(update, facts)).toBeUndefined();
    expect(orderRule(yesterday, facts)?.reason).toBe("older-than-known");
    expect(orderRule(hourAgo, facts)).toBeUndefined();
    expect(orderRule(hourAgo, { ...facts, saidAt: new Map([["role.md", SAID_AT]]) })?.reason).toBe(
      "older-than-known",
    );
  });

  it("belongs to the project where a folder is shared", () => {
    const unmarked = factsFor(update, { memories: [memoryOf("role.md", TEXT)], origin: "/a" });

    expect(originRule(update, facts)).toBeUndefined();
    expect(originRule(update, { ...facts, origin: "/a" })).toBeUndefined();
    expect(originRule(update, { ...facts, origin: "/b" })?.reason).toBe("other-project");
    expect(originRule(update, unmarked)?.reason).toBe("other-project");
    expect(originRule(update, { ...unmarked, producer: "person" })).toBeUndefined();
  });
});
