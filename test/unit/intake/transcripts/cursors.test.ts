import { readFileSync, appendFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SourceState } from "../../../../src/intake/transcripts/cursors.ts";
import {
  backfillBytes,
  blankState,
  createCursors,
  positionOf,
  reopenedState,
  unreadBytes,
} from "../../../../src/intake/transcripts/cursors.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const files = createFiles();
const journalOf = (stateDir: string) => join(stateDir, "cursors", "sources.jsonl");

function stateOf(path: string, fields: Partial<SourceState> = {}): SourceState {
  return {
    ...blankState({ path, agent: "claude-code", sessionId: "s1" }),
    cwd: "/home/ana/shop",
    fileId: "1:2",
    bytes: 100,
    ctimeMs: 1,
    mtimeMs: 1,
    ...fields,
  };
}

const at = (offset: number) => ({ kind: "bytes", offset, fileId: "1:2", fingerprint: "f" }) as const;

describe("cursors", () => {
  it("knows after a restart what was flushed before it", () => {
    const stateDir = createTempFolder().path;
    const first = createCursors({ files, stateDir });
    first.set(stateOf("/t/a.jsonl", { read: at(60), typed: 3 }));
    first.flush();

    const second = createCursors({ files, stateDir });

    expect(first.firstStart).toBe(true);
    expect(second.firstStart).toBe(false);
    expect(second.get("/t/a.jsonl")).toEqual(stateOf("/t/a.jsonl", { read: at(60), typed: 3 }));
  });

  it("appends one batch per flush, however many sources are known", () => {
    const stateDir = createTempFolder().path;
    const cursors = createCursors({ files, stateDir });
    for (let n = 0; n < 500; n += 1) cursors.set(stateOf(`/t/${n}.jsonl`));
    cursors.flush();
    const before = readFileSync(journalOf(stateDir)).length;

    cursors.set(stateOf("/t/7.jsonl", { read: at(10) }));
    cursors.flush();
    cursors.flush();

    expect(readFileSync(journalOf(stateDir)).length - before).toBeLessThan(400);
  });

  it("compacts the journal once it holds twice the live entries", () => {
    const stateDir = createTempFolder().path;
    const cursors = createCursors({ files, stateDir });
    for (let round = 0; round < 1200; round += 1) {
      cursors.set(stateOf("/t/a.jsonl", { read: at(round) }));
      cursors.flush();
    }

    const lines = readFileSync(journalOf(stateDir), "utf8").split("\n").length;

    expect(lines).toBeLessThan(1100);
    expect(createCursors({ files, stateDir }).get("/t/a.jsonl")?.read).toEqual(at(1199));
  });

  it("skips a line it cannot read and keeps the lines around it", () => {
    const stateDir = createTempFolder().path;
    const cursors = createCursors({ files, stateDir });
    cursors.set(stateOf("/t/a.jsonl"));
    cursors.flush();
    appendFileSync(journalOf(stateDir), '{"v":1,"path":"/t/torn');

    const reopened = createCursors({ files, stateDir });
    reopened.set(stateOf("/t/b.jsonl"));
    reopened.flush();

    const paths = [...createCursors({ files, stateDir }).all()].map((state) => state.path);
    expect(paths).toEqual(["/t/a.jsonl", "/t/b.jsonl"]);
  });

  it("keeps paths named like object internals", () => {
    const stateDir = createTempFolder().path;
    const cursors = createCursors({ files, stateDir });
    for (const name of ["constructor", "__proto__", "toString"]) cursors.set(stateOf(name));
    cursors.flush();

    expect(createCursors({ files, stateDir }).size).toBe(3);
  });

  it("forgets a source for good", () => {
    const stateDir = createTempFolder().path;
    const cursors = createCursors({ files, stateDir });
    cursors.set(stateOf("/t/a.jsonl"));
    cursors.flush();

    cursors.forget("/t/a.jsonl");
    cursors.flush();

    expect(createCursors({ files, stateDir }).size).toBe(0);
  });

  it("treats a journal of another format version as unread lines, not as an error", () => {
    const stateDir = createTempFolder().path;
    mkdirSync(join(stateDir, "cursors"));
    writeFileSync(journalOf(stateDir), '{"v":9,"path":"/t/a.jsonl","fileId":"1:2"}\n');

    expect(createCursors({ files, stateDir }).size).toBe(0);
  });
});

describe("what is unread", () => {
  it("counts from the further of the two cursors, a backfill from the one read", () => {
    const state = stateOf("/t/a.jsonl", { bytes: 100, read: at(20), passed: at(80) });

    expect(positionOf(state)).toEqual(at(80));
    expect(unreadBytes(state)).toBe(20);
    expect(backfillBytes(state)).toBe(80);
  });

  it("is never negative for a file that shrank", () => {
    expect(unreadBytes(stateOf("/t/a.jsonl", { bytes: 10, read: at(20) }))).toBe(0);
  });

  it("again for a backfill by rules is only what was passed over", () => {
    const state = stateOf("/t/a.jsonl", { read: at(20), passed: at(80), passedWhy: "old", rulesUntil: 80 });

    const open = reopenedState(state, "rules");

    expect(open).toEqual({ ...state, passed: undefined, passedWhy: undefined });
  });

  it("again for a backfill by a model is the whole file, where rules alone have read some of it", () => {
    const state = stateOf("/t/a.jsonl", { read: at(90), rulesUntil: 40, offRecord: true });

    const open = reopenedState(state, "model");

    expect(open).toMatchObject({ read: undefined, rulesUntil: 0, again: 100, offRecord: false });
    expect(unreadBytes(open)).toBe(100);
    const byModel = stateOf("/t/a.jsonl", { read: at(90), offRecord: true });
    expect(reopenedState(byModel, "model")).toEqual(byModel);
  });
});
