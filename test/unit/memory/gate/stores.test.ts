import { appendFileSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createRefusedStore } from "../../../../src/memory/gate/refused.ts";
import { createEvidenceStore, hearsayMark } from "../../../../src/memory/journal/evidence.ts";
import type { JournalOp } from "../../../../src/memory/journal/entries.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { SAID_AT } from "./proposals.ts";

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
  const evidence = [{ id: "r1", session: "s", by: "user", quote: "hash", said: SAID_AT }] as const;

  function op(extra: Partial<JournalOp>): JournalOp {
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
      quotesOf: new Map([["a.md", [...evidence, ...later]]]),
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
      quotesOf: new Map(),
    });
  });

  it("passes hearsay on to what is made of it, also when the source is gone; a clean memory passes on nothing", () => {
    const store = createEvidenceStore({ files: createFiles(), stateDir: createTempFolder().path });
    const heard = [{ id: "r9", session: "s", by: "tool", quote: "hash", said: SAID_AT }] as const;
    const cited = [{ id: "a.md", session: "s", by: "memory", quote: "hash", said: null }] as const;

    store.add("f", { run: "run1", ops: [op({ evidence: heard })] });
    store.add("f", {
      run: "run2",
      ops: [op({ file: "merged.md", evidence: [...cited, hearsayMark("a.md")] })],
    });
    store.add("f", { run: "run2", ops: [op({ op: "deleted", body: null, evidence: [] })] });
    store.add("f", { run: "run3", ops: [op({ file: "clean.md", evidence: cited })] });

    expect(store.load("f").otherVoices).toEqual(new Set(["merged.md"]));
  });

  it("does not take a quoted memory for a record", () => {
    const store = createEvidenceStore({ files: createFiles(), stateDir: createTempFolder().path });
    const cited = [{ id: "a.md", session: "s", by: "memory", quote: "hash", said: null }] as const;

    store.add("f", { run: "run1", ops: [op({ op: "updated", evidence: cited })] });

    expect(store.load("f").recordedIds.size).toBe(0);
  });
});
