import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { READ_LIMITS } from "../../../../../src/domain/limits.ts";
import type { TranscriptRecord } from "../../../../../src/domain/records.ts";
import { createParser } from "../../../../../src/intake/agents/claude-code/parse.ts";
import { RECORD } from "../../../../../src/intake/agents/claude-code/wanted.ts";
import type { Cursor } from "../../../../../src/intake/transcripts/format.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../../../../helpers/claude-transcript.ts";
import { createCorpus } from "../../../../bench/corpus.ts";
import { project } from "../../transcripts/json-model.ts";
import type { Placed } from "./reading.ts";
import { fixture, format, kindsOf, place, typedIn } from "./reading.ts";
import { costOf } from "../../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 9;

async function readAll(placed: Placed, from?: Cursor) {
  const records: TranscriptRecord[] = [];
  let cursor = from;
  let damaged = 0;
  for (;;) {
    const slice = await placed.read(cursor);
    records.push(...slice.records);
    damaged += slice.damaged;
    cursor = slice.next;
    if (!slice.more) return { records, damaged, next: cursor };
  }
}

describe("readSlice", () => {
  it("gives every record its id, session, time, place and end", async () => {
    const placed = place(
      createTranscript({ cwd: "/home/ana/a b" }).user("Use tabs.").assistant("Ok.").text(),
    );

    const { records, lines, cwd, next } = await placed.read();

    expect(records[0]).toEqual({
      kind: "user-text",
      text: "Use tabs.",
      recordId: recordIdOf(1),
      sessionId: sessionIdOf(1),
      agent: "claude-code",
      at: Date.UTC(2026, 4, 4, 9, 1),
      cwd: "/home/ana/a b",
      origin: "user",
      endOffset: createTranscript({ cwd: "/home/ana/a b" }).user("Use tabs.").text().length,
    });
    expect(records[1]?.endOffset).toBe(next.offset);
    expect({ lines, cwd }).toEqual({ lines: 2, cwd: "/home/ana/a b" });
  });

  it("gives tool calls and results with what they touch, shortened", async () => {
    const { records, turn, sessionEnded } = await fixture("tools.jsonl").read();

    expect(
      records.map(
        ({ recordId: _1, sessionId: _2, agent: _3, at: _4, cwd: _5, origin: _6, endOffset: _7, ...own }) =>
          own,
      ),
    ).toMatchObject([
      { kind: "user-text" },
      { kind: "assistant-text", text: "Writing." },
      { kind: "tool-call", tool: "Write", callId: "c1", touchedPath: "/home/ana/shop/notes.txt" },
      { kind: "tool-result", callId: "c1", ok: true, preview: "File created successfully", bytes: 27 },
      { kind: "tool-call", tool: "Edit", callId: "c2", touchedPath: "notes.txt" },
      { kind: "tool-call", tool: "Bash", callId: "c3", command: "cat notes.txt | wc -l" },
      { kind: "tool-result", callId: "c2", ok: false },
      { kind: "tool-result", callId: "c3", ok: true, preview: "42\nlines" },
      { kind: "tool-call", tool: "NotebookEdit", touchedPath: "/home/ana/shop/a.ipynb" },
      { kind: "assistant-text", text: "Done." },
      { kind: "turn-end" },
    ]);
    const [, , write, , edit] = records;
    expect(write?.kind === "tool-call" ? write.preview : "").toBe(
      `{"file_path":"/home/ana/shop/notes.txt","content":"${"x".repeat(3000)}`.slice(
        0,
        READ_LIMITS.toolPreviewChars,
      ),
    );
    expect(edit).toMatchObject({
      preview: '{"replace_all":false,"file_path":"notes.txt","old_string":"a","new_string":"b"}',
    });
    expect({ turn, sessionEnded }).toEqual({ turn: "ended", sessionEnded: true });
  });

  it("does not take for the model's what the client invented", async () => {
    const text = createTranscript()
      .assistant("No response requested.", { madeBy: "other" })
      .assistant("API Error", { isApiErrorMessage: true })
      .assistant("", {
        message: {
          model: "<synthetic>",
          content: [{ type: "text", text: "No." }],
          stop_reason: "stop_sequence",
        },
      })
      .text();

    expect(typesOf(await place(text).read())).not.toContain("assistant-text");
  });

  it("accepts bookkeeping first, counts unknown types, survives odd records (B12)", async () => {
    const slice = await fixture("odd-records.jsonl").read();

    expect(typedIn(slice.records)).toEqual(["a message that is a plain string", "No releases on Fridays."]);
    expect(slice.cwd).toBe("/home/ana/shop");
    expect({ ...slice.unknownTypes }).toEqual({
      "never-seen-before": 2,
      constructor: 1,
      ["__proto__"]: 1,
    });
    // A bare string, a list, and a type that is a number.
    expect(slice.damaged).toBe(3);
    expect(slice.lines).toBe(17);
  });

  it("bounds the tally of unknown types", async () => {
    const lines = Array.from({ length: 200 }, (_, n) => JSON.stringify({ type: `t${n}${"x".repeat(500)}` }));

    const { unknownTypes } = await place(`${lines.join("\n")}\n`).read();

    expect(Object.keys(unknownTypes)).toHaveLength(READ_LIMITS.unknownTypesMax);
    expect(Object.keys(unknownTypes).every((type) => type.length <= 64)).toBe(true);
  });

  it("keeps file order whatever the stamps say, and gives only certain moments (B45c)", async () => {
    const { records } = await fixture("odd-times.jsonl").read();

    expect(typedIn(records)).toEqual(["note 1", "note 2", "note 3", "note 4", "note 5", "note 6"]);
    expect(records.filter((record) => record.kind === "user-text").map((record) => record.at)).toEqual([
      undefined,
      Date.UTC(2026, 4, 4),
      1777885200000,
      undefined,
      Date.UTC(2028, 0, 1),
      Date.UTC(2026, 4, 4, 0, 1),
    ]);
  });

  it.each([
    ["2026-05-04T09:00:00", undefined],
    ["2026-13-04T09:00:00Z", undefined],
    ["May 4, 2026", undefined],
    ["1777885200000", undefined],
    [1777885200, 1777885200000],
    [-5, undefined],
    [1e20, undefined],
    ["0001-01-01T00:00:00Z", undefined],
    ["2026-05-04T09:00:00.123456+0200", Date.UTC(2026, 4, 4, 7, 0, 0, 123)],
    [null, undefined],
    [{ $date: 1 }, undefined],
  ])("reads the stamp %j as %j", async (timestamp, at) => {
    const { records } = await place(createTranscript().user("x", { timestamp }).text()).read();

    expect(records[0]?.at).toBe(at);
  });

  it("goes on after a line with bytes that are not UTF-8, and never reads it again (B04, fault 34)", async () => {
    const line = (n: number, text: string) => createTranscript({ firstNumber: n }).user(text).text();
    const result = createTranscript({ firstNumber: 2 }).toolResult("log ## end", {}).text();
    const bad = Buffer.from(result).map((byte) => (byte === 0x23 ? 0xff : byte));
    const placed = place(
      Buffer.concat([Buffer.from(line(1, "first")), bad, Buffer.from(line(3, "Name the branch."))]),
    );
    const first = await readAll(placed);
    placed.append(line(4, "and sign commits."));
    const second = await readAll(placed, first.next);

    expect(typedIn(first.records)).toEqual(["first", "Name the branch."]);
    expect(first.records[1]).toMatchObject({ kind: "tool-result", preview: "log \ufffd\ufffd end" });
    expect(first.damaged).toBe(1);
    expect(typedIn(second.records)).toEqual(["and sign commits."]);
    expect(second.damaged).toBe(0);
  });

  it("reads CRLF, a byte order mark and a last line without its end (fault 33)", async () => {
    const text = createTranscript().user("one").user("two").user("three").text();

    const { records, damaged } = await readAll(place(`\ufeff${text.replaceAll("\n", "\r\n").slice(0, -2)}`));

    expect(typedIn(records)).toEqual(["one", "two", "three"]);
    expect(damaged).toBe(0);
  });

  it("counts a damaged line once and reads the ones round it (fault 30)", async () => {
    const placed = place(
      createTranscript().user("one").raw('{"type":"user","message":{"role":"us').user("two").text(),
    );
    const first = await readAll(placed);

    expect(typedIn(first.records)).toEqual(["one", "two"]);
    expect(first.damaged).toBe(1);
    expect((await readAll(placed, first.next)).damaged).toBe(0);
  });

  it("refuses nesting of a million and reads on (fault 36)", async () => {
    const deep = `${'{"type":"user","message":'}${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
    const placed = place(createTranscript().raw(deep).user("after").text());

    const { records, damaged } = await readAll(placed);

    expect(await costOf(() => readAll(placed), { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
    expect(typedIn(records)).toEqual(["after"]);
    expect(damaged).toBe(1);
  });

  it("says that the file was rewritten (B07, faults 31, 32)", async () => {
    const placed = place(createTranscript().user("one").assistant("ok").user("two").text());
    const { next } = await placed.read();
    const rewritten = place(createTranscript({ firstNumber: 11 }).user("new").text());

    expect((await rewritten.read(next)).restarted).toBe(true);
    expect(typedIn((await rewritten.read(next)).records)).toEqual(["new"]);
  });

  it("rejects with source-gone when the file vanished (B15)", async () => {
    const placed = place("");
    rmSync(placed.path);

    await expect(placed.read()).rejects.toMatchObject({ code: "source-gone" });
  });

  it("reads two names that differ only in their Unicode form as two sessions (fault 42)", async () => {
    const nfc = place(createTranscript().user("one").text(), "-p/caf\u00e9.jsonl");
    const nfd = place(createTranscript().user("two").text(), "-p/cafe\u0301.jsonl");

    expect(typedIn((await nfc.read()).records)).toEqual(["one"]);
    expect(typedIn((await nfd.read()).records)).toEqual(["two"]);
    expect(nfc.source.sessionId).not.toBe(nfd.source.sessionId);
  });

  it("finds the records a full parse of every line finds", async () => {
    for (const seed of [1, 2, 3]) {
      const bytes = createCorpus({ seed, bytes: 2_000_000, talkShare: 0.6 });
      const placed = place(bytes);

      const { records, damaged } = await readAll(placed);

      const full = fullyParsed(bytes, placed);
      expect(records.length).toBeGreaterThan(100);
      expect(records).toEqual(full.records);
      expect(records.map((record) => record.endOffset)).toEqual(
        sorted(records.map((record) => record.endOffset)),
      );
      expect(damaged).toBe(full.damaged);
    }
  });
});

describe("peek", () => {
  it("tells place, session, turn and urgency of a small file", () => {
    const placed = place(
      createTranscript().user("Remember: use tabs.").assistant("Ok.").other({ type: "cost-state" }).text(),
    );

    expect(format.peek(placed.source, 0)).toEqual({
      cwd: "/home/ana/shop",
      by: "user",
      sessionId: sessionIdOf(1),
      urgent: true,
      sessionEnded: true,
      turn: "ended",
    });
  });

  it("looks only at what comes after the offset", () => {
    const before = createTranscript().user("Remember: use tabs.").text();
    const placed = place(before + createTranscript().user("Fix the tax.").text());

    expect(format.peek(placed.source, before.length)).toMatchObject({ urgent: false, turn: "open" });
  });

  it("finds the working directory behind a quarter of a megabyte of noise, and the last words of a large file", () => {
    const noise = `${JSON.stringify({ type: "progress", data: "x".repeat(250_000) })}\n`;
    const placed = place(
      noise +
        createTranscript().user("Go.").text() +
        noise.repeat(12) +
        createTranscript().user("Remember this.").text(),
    );

    expect(format.peek(placed.source, 0)).toMatchObject({
      cwd: "/home/ana/shop",
      urgent: true,
      turn: "open",
    });
  });

  it("does not find urgency in what a program wrote", () => {
    const placed = place(
      createTranscript().user("Remember this.", { isMeta: true }).assistant("Remember!").text(),
    );

    expect(format.peek(placed.source, 0)?.urgent).toBe(false);
  });

  it("is undefined when the file is gone", () => {
    const placed = place("");
    rmSync(placed.path);

    expect(format.peek(placed.source, 0)).toBeUndefined();
    expect(format.endOf(placed.source)).toBeUndefined();
  });
});

function typesOf({ records }: { readonly records: readonly TranscriptRecord[] }): string[] {
  return kindsOf(records);
}

/** The truth: every line parsed in full, nothing skipped. */
function fullyParsed(bytes: Buffer, { source }: Placed) {
  const parser = createParser(source, []);
  let damaged = 0;
  let begin = 0;
  for (let newline = bytes.indexOf(0x0a); newline !== -1; newline = bytes.indexOf(0x0a, begin)) {
    const value = parsed(bytes.toString("utf8", begin, newline));
    begin = newline + 1;
    if (value === undefined || !parser.add(project(value, RECORD), begin)) damaged += 1;
  }
  return { records: parser.finish().records, damaged };
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
