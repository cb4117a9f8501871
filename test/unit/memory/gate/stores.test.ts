import { appendFileSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Candidate } from "../../../../src/domain/changes.ts";
import { createCandidateStore } from "../../../../src/memory/gate/candidates.ts";
import { createRefusedStore } from "../../../../src/memory/gate/refused.ts";
import { createEvidenceStore } from "../../../../src/memory/journal/evidence.ts";
import type { JournalOp } from "../../../../src/memory/journal/entries.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { draftOf, quote, SAID_AT } from "./proposals.ts";

function candidate(text: string, sessionId = "s1"): Candidate {
  const evidence = quote(text, { session: { agent: "codex", id: sessionId, projectId: "p" } });
  return { memory: draftOf(text), evidence, cue: "choice" };
}

describe("candidates", () => {
  it("are kept once per text and session, counted once per text, and survive a damaged line", () => {
    const folder = createTempFolder();
    const store = createCandidateStore({ files: createFiles(), stateDir: folder.path });

    expect(
      store.add("p", [
        candidate("use tabs here"),
        candidate("Use TABS here!"),
        candidate("use tabs here", "s2"),
      ]),
    ).toBe(1);
    appendFileSync(folder.at("candidates/p.jsonl"), '{"half":\n{"v":1,"id":3}\n');
    expect(store.add("p", [candidate("use tabs here"), candidate("port is open")])).toBe(1);

    expect(store.count("p")).toBe(2);
    expect(store.list("p").map((item) => item.memory.body)).toEqual([
      "Use TABS here!",
      "use tabs here",
      "port is open",
    ]);
    expect(new Set(store.list("p").map((item) => item.id)).size).toBe(3);
    expect(store.count("other")).toBe(0);
  });

  it("never hold a secret", () => {
    const folder = createTempFolder();
    const store = createCandidateStore({ files: createFiles(), stateDir: folder.path });

    expect(store.add("p", [candidate(`token ghp_${"a1B2c3".repeat(6)} for CI`)])).toBe(0);
    expect(folder.tree()).toEqual([]);
  });

  it("are bounded: the older half goes first", () => {
    const folder = createTempFolder();
    const store = createCandidateStore({ files: createFiles(), stateDir: folder.path });
    const filler = "lorem ipsum dolor ".repeat(1_000);

    for (let at = 0; at < 60; at++) store.add("p", [candidate(`statement ${at} ${filler}`)]);

    expect(readFileSync(folder.at("candidates/p.jsonl")).length).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(store.list("p").at(-1)?.memory.body).toMatch(/^statement 59 /);
    expect(store.count("p")).toBeLessThan(60);
  });
});

describe("removals", () => {
  it("are ids and hashes only, kept once, the latest time counting", () => {
    const folder = createTempFolder();
    const store = createRefusedStore({ files: createFiles(), stateDir: folder.path });
    const removal = { at: SAID_AT, records: ["r1"], text: "hash" };

    store.add("f", [removal]);
    const size = readFileSync(folder.at("refused/f.jsonl")).length;
    store.add("f", [removal]);
    expect(readFileSync(folder.at("refused/f.jsonl")).length).toBe(size);
    store.add("f", [{ ...removal, at: SAID_AT + 5 }]);
    appendFileSync(folder.at("refused/f.jsonl"), "not json\n");

    expect(store.load("f")).toEqual({
      recordIds: new Set(["r1"]),
      textHashes: new Map([["hash", SAID_AT + 5]]),
    });
    expect(store.load("other").recordIds.size).toBe(0);
  });
});

describe("evidence", () => {
  function op(extra: Partial<JournalOp>): JournalOp {
    const evidence = [{ id: "r1", session: "s", by: "user", quote: "hash", said: SAID_AT }] as const;
    return {
      file: "a.md",
      op: "created",
      before: null,
      after: null,
      mtimeMs: null,
      body: "b",
      evidence,
      takenBack: null,
      ...extra,
    };
  }

  it("tells which records a file rests on and when the newest was said, once per run", () => {
    const folder = createTempFolder();
    const store = createEvidenceStore({ files: createFiles(), stateDir: folder.path });
    const later = [{ id: "r2", session: "s", by: "user", quote: "hash", said: SAID_AT + 9 }] as const;

    store.add("f", { run: "run1", ops: [op({})] });
    store.add("f", { run: "run1", ops: [op({})] });
    store.add("f", { run: "run2", ops: [op({ op: "confirmed", evidence: later })] });
    appendFileSync(folder.at("evidence/f.jsonl"), '{"v":1,"file":7}\ntorn');

    expect(readFileSync(folder.at("evidence/f.jsonl"), "utf8").split("\n")).toHaveLength(4);
    expect(store.load("f")).toEqual({
      recordedIds: new Set(["r1", "r2"]),
      otherVoices: new Set(),
      saidAt: new Map([["a.md", SAID_AT + 9]]),
      recordsOf: new Map([["a.md", ["r1", "r2"]]]),
    });
  });

  it("still knows the records of a deleted file, but not the file", () => {
    const store = createEvidenceStore({ files: createFiles(), stateDir: createTempFolder().path });

    store.add("f", { run: "run1", ops: [op({})] });
    store.add("f", { run: "run2", ops: [op({ op: "deleted", body: null, evidence: [] })] });

    expect(store.load("f")).toEqual({
      recordedIds: new Set(["r1"]),
      saidAt: new Map(),
      otherVoices: new Set(),
      recordsOf: new Map(),
    });
  });

  it("does not take a quoted memory for a record", () => {
    const store = createEvidenceStore({ files: createFiles(), stateDir: createTempFolder().path });
    const cited = [{ id: "a.md", session: "s", by: "memory", quote: "hash", said: null }] as const;

    store.add("f", { run: "run1", ops: [op({ op: "updated", evidence: cited })] });

    expect(store.load("f").recordedIds.size).toBe(0);
  });
});
