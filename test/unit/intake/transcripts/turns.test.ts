import { describe, expect, it } from "vitest";
import type { TranscriptRecord } from "../../../../src/domain/records.ts";
import type { Cursor, Slice, Source, TranscriptFormat } from "../../../../src/intake/transcripts/format.ts";
import type { TurnWindow } from "../../../../src/intake/transcripts/turns.ts";
import { readTurns } from "../../../../src/intake/transcripts/turns.ts";

const source: Source = {
  agent: "claude-code",
  path: "/t/s1.jsonl",
  sessionId: "s1",
  role: "session",
  root: { agent: "claude-code", path: "/t", agentHome: "/", depth: 1 },
};

function record(kind: "user-text" | "assistant-text" | "turn-end", id: string): TranscriptRecord {
  const common = {
    recordId: id,
    sessionId: "s1",
    agent: "claude-code",
    at: undefined,
    cwd: undefined,
    origin: "user",
    endOffset: 0,
  } as const;
  return kind === "turn-end" ? { kind, ...common } : { kind, text: id, ...common };
}

const cursorAt = (offset: number): Cursor => ({ kind: "bytes", offset, fileId: "1:1", fingerprint: "f" });

/** A format that answers scripted slices, one after the other. */
function formatOf(
  slices: readonly Partial<Slice>[],
  before: readonly TranscriptRecord[] = [],
): TranscriptFormat {
  let count = 0;
  return {
    agent: "claude-code",
    roots: () => [],
    sourceAt: () => source,
    peek: () => undefined,
    endOf: () => undefined,
    cursorAt: () => undefined,
    recordsBefore: () => before,
    async readSlice() {
      const slice = slices[count] ?? {};
      count += 1;
      return {
        records: [],
        next: cursorAt(count),
        more: count < slices.length,
        lines: 1,
        damaged: 0,
        skipped: 0,
        unknownTypes: {},
        turn: "ended",
        sessionEnded: false,
        cwd: undefined,
        restarted: false,
        ...slice,
      };
    },
  };
}

async function read(slices: readonly Partial<Slice>[], before?: readonly TranscriptRecord[]) {
  const windows: TurnWindow[] = [];
  const turns = readTurns({
    format: formatOf(slices, before),
    source,
    from: before === undefined ? undefined : cursorAt(0),
    signal: new AbortController().signal,
    pause: async () => {},
  });
  for (;;) {
    const step = await turns.next();
    if (step.done === true) return { windows, totals: step.value };
    windows.push(step.value);
  }
}

const ids = (records: readonly TranscriptRecord[]) => records.map((each) => each.recordId);

describe("reading whole turns", () => {
  it("holds a turn back until the slice that ends it", async () => {
    const { windows } = await read([
      { records: [record("user-text", "u1"), record("turn-end", "e1"), record("user-text", "u2")] },
      { records: [record("assistant-text", "a2"), record("turn-end", "e2")] },
    ]);

    expect(windows.map((window) => ids(window.records))).toEqual([
      ["u1", "e1"],
      ["u2", "a2", "e2"],
    ]);
  });

  it("gives no safe cursor while a turn is held back", async () => {
    const { windows } = await read([
      { records: [record("turn-end", "e1"), record("user-text", "u2")] },
      { records: [record("turn-end", "e2")] },
    ]);

    expect(windows.map((window) => window.next?.offset)).toEqual([undefined, 2]);
  });

  it("hands on the open last turn at the end of the file", async () => {
    const { windows } = await read([{ records: [record("user-text", "u1")], turn: "open" }]);

    expect(windows.map((window) => ids(window.records))).toEqual([["u1"]]);
    expect(windows[0]?.next).toEqual(cursorAt(1));
  });

  it("shows earlier records as context only", async () => {
    const { windows } = await read([
      { records: [record("assistant-text", "a1"), record("turn-end", "e1")] },
      { records: [record("user-text", "u2"), record("turn-end", "e2")] },
    ]);

    expect(ids(windows[1]?.context ?? [])).toEqual(["a1", "e1"]);
    expect(ids(windows[1]?.records ?? [])).toEqual(["u2", "e2"]);
  });

  it("shows what an earlier reading ended with as context of the first window", async () => {
    const { windows } = await read(
      [{ records: [record("user-text", "u2")] }],
      [record("assistant-text", "a1")],
    );

    expect(ids(windows[0]?.context ?? [])).toEqual(["a1"]);
    expect(ids(windows[0]?.records ?? [])).toEqual(["u2"]);
  });

  it("has no context from a file that turns out to be rewritten", async () => {
    const slices = [{ records: [record("user-text", "u2")], restarted: true }];

    const { windows } = await read(slices, [record("assistant-text", "a1")]);

    expect(windows[0]?.context).toEqual([]);
  });

  it("drops what it held when the file turns out to be rewritten", async () => {
    const { windows, totals } = await read([
      { records: [record("user-text", "gone")] },
      { records: [record("user-text", "new"), record("turn-end", "e")], restarted: true },
    ]);

    expect(windows.flatMap((window) => ids(window.records))).toEqual(["new", "e"]);
    expect(totals.restarted).toBe(true);
  });

  it("sums lines, damage and unknown types", async () => {
    const { totals } = await read([
      { damaged: 1, unknownTypes: { "new-thing": 2 }, cwd: "/a" },
      { damaged: 2, unknownTypes: { "new-thing": 1, __proto__x: 1 }, cwd: "/b" },
    ]);

    expect(totals).toMatchObject({ lines: 2, damaged: 3, cwd: "/a" });
    expect(totals.unknownTypes["new-thing"]).toBe(3);
  });

  it("hands on several slices at once to who wants large windows, up to a bound", async () => {
    const slices = Array.from({ length: 10 }, (_, at) => ({ records: [record("turn-end", `e${at}`)] }));
    const sizes = async (wantsLarge: boolean) => {
      const turns = readTurns({
        format: formatOf(slices),
        source,
        from: undefined,
        signal: new AbortController().signal,
        pause: async () => {},
        wantsLarge: () => wantsLarge,
      });
      const found: number[] = [];
      for await (const { records } of turns) found.push(records.length);
      return found;
    };

    expect(await sizes(true)).toEqual([8, 2]);
    expect(await sizes(false)).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it("stops between slices when it is told to", async () => {
    const abort = new AbortController();
    const turns = readTurns({
      format: formatOf([{ records: [record("turn-end", "e1")] }, { records: [record("turn-end", "e2")] }]),
      source,
      from: undefined,
      signal: abort.signal,
      pause: async () => abort.abort(),
    });
    await turns.next();

    await expect(turns.next()).rejects.toThrow(/abort/i);
  });
});
