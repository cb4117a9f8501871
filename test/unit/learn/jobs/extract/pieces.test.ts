import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptRecord } from "../../../../../src/domain/records.ts";
import { estimateTokens } from "../../../../../src/domain/tokens.ts";
import {
  PIECE_TOKENS_MAX,
  PIECE_TOKENS_MIN,
  piecesOf,
  pieceTokens,
} from "../../../../../src/learn/jobs/extract/pieces.ts";
import { createSession, NOW } from "./said.ts";
import { BERLIN } from "../../../../helpers/time-zone.ts";

interface Options {
  readonly context?: readonly TranscriptRecord[];
  readonly isFresh?: (recordId: string) => boolean;
  readonly tokensMax?: number;
}

function cut(
  records: readonly TranscriptRecord[],
  { context = [], isFresh = () => true, tokensMax = 1_000 }: Options = {},
) {
  return piecesOf({ context, records, isFresh, now: NOW, timeZone: BERLIN, tokensMax });
}

type Pieces = ReturnType<typeof cut>;
const personIds = (pieces: Pieces) =>
  pieces.map(({ window }) => [...window.shown].filter(([, { by }]) => by === "user").map(([id]) => id));
const words = (count: number) => "word ".repeat(count).trim();

describe("a session that fits", () => {
  it("is one piece, and the cursor moves to its end", () => {
    const session = createSession();
    session.typed("We deploy on Mondays.");
    session.answered("Good.");
    session.turnEnd();
    session.typed("Never on Fridays.");
    session.turnEnd();

    const pieces = cut(session.records);

    expect(pieces).toMatchObject([{ endOffset: 50, typed: 2 }]);
    expect(personIds(pieces)).toEqual([["r1", "r4"]]);
  });

  it("is none when nobody typed anything new", () => {
    const session = createSession();
    session.answered("I am done.");
    session.called("ls");
    session.returned("a file");
    session.typed("Old words.");
    session.typed("Review this, agent.", { origin: "subagent" });
    session.turnEnd();

    expect(cut(session.records, { isFresh: (id) => id !== "r4" })).toEqual([]);
    expect(cut([])).toEqual([]);
  });

  it("gets the words before it for understanding, the latest first", () => {
    const before = createSession({ prefix: "old" });
    for (let count = 0; count < 10; count += 1) before.typed(`Earlier thought number ${count}.`);
    before.called("ls");
    const session = createSession();
    session.typed("That also holds for Thursdays.");

    const [piece] = cut(session.records, { context: before.records, tokensMax: 4_000 });

    expect(piece?.window.text).toContain("thought number 9");
    expect(piece?.window.text).toContain("thought number 4");
    expect(piece?.window.text).not.toContain("thought number 3");
    expect([...(piece?.window.shown.keys() ?? [])]).toEqual(["r1"]);
  });
});

describe("a long session is cut", () => {
  it("at the end of a turn, also where more would fit", () => {
    const session = createSession();
    for (let turn = 0; turn < 3; turn += 1) {
      session.typed(words(250));
      session.typed(words(250));
      session.turnEnd();
    }

    const pieces = cut(session.records, { tokensMax: 1_200 });

    expect(personIds(pieces)).toEqual([
      ["r1", "r2"],
      ["r4", "r5"],
      ["r7", "r8"],
    ]);
    expect(pieces.map(({ endOffset }) => endOffset)).toEqual([30, 60, 90]);
  });

  it("between messages where one turn has many", () => {
    const session = createSession();
    for (let count = 0; count < 4; count += 1) session.typed(words(250));

    expect(personIds(cut(session.records, { tokensMax: 900 }))).toEqual([
      ["r1", "r2"],
      ["r3", "r4"],
    ]);
  });

  it("before a message whose answers do not fit any more", () => {
    const session = createSession();
    session.typed(words(250));
    session.typed("Now explain it.");
    for (let count = 0; count < 4; count += 1) session.answered(words(250));

    const pieces = cut(session.records, { tokensMax: 1_600 });

    expect(personIds(pieces)).toEqual([["r1"], ["r2"]]);
    expect(pieces[1]?.window.shown.size).toBe(5);
  });

  it("and one huge message is shown without its middle, which its header tells", () => {
    const session = createSession();
    session.typed(`Read this log. ${words(30_000)} From now on log in UTC.`);
    session.answered("I did.");

    const [piece, ...more] = cut(session.records);

    expect(more).toEqual([]);
    expect(piece?.window.tokens).toBeLessThanOrEqual(1_000);
    expect(piece?.window.tokens).toBeGreaterThan(800);
    expect(piece?.window.text).toContain("Read this log.");
    expect(piece?.window.text).toContain("From now on log in UTC.");
    expect(piece?.window.text).toMatch(/, 14\d{4} characters left out at …, id r1\]\]/u);
  });

  it("without the stretches that were read before", () => {
    const session = createSession();
    session.typed("Copied from another session, long ago.");
    for (let count = 0; count < 5; count += 1) session.answered(words(390));
    session.typed("A new thought: releases are named after rivers.");
    session.answered("Good.");
    session.typed("Copied as well.");
    for (let count = 0; count < 5; count += 1) session.answered(words(390));

    const pieces = cut(session.records, { isFresh: (id) => id === "r7", tokensMax: 4_000 });

    expect(pieces).toHaveLength(1);
    expect(pieces[0]?.window.text).toContain("named after rivers");
    expect(pieces[0]?.window.text).not.toContain("Copied as well");
    expect(pieces[0]?.window.tokens).toBeLessThan(1_000);
    expect(pieces[0]?.endOffset).toBe(140);
  });

  it("and a copy of a message is new only once", () => {
    const session = createSession();
    session.typed(words(250), { recordId: "same" });
    session.typed(words(250));
    session.typed(words(250), { recordId: "same" });

    const pieces = cut(session.records, { tokensMax: 600 });

    expect(personIds(pieces)).toEqual([["same"], ["r2"]]);
    expect(pieces.map(({ typed }) => typed)).toEqual([1, 1]);
  });

  it("but the cursor never stops inside a line that reaches into the next piece", () => {
    const session = createSession();
    session.typed(words(200), { endOffset: 10 });
    session.typed(words(200), { endOffset: 20 });
    session.typed(words(200), { endOffset: 20 });
    session.typed(words(200), { endOffset: 30 });

    const pieces = cut(session.records, { tokensMax: 400 });

    expect(personIds(pieces)).toEqual([["r1"], ["r2"], ["r3"], ["r4"]]);
    expect(pieces.map(({ endOffset }) => endOffset)).toEqual([10, 10, 20, 30]);
    expect(cut(session.records.slice(1), { tokensMax: 400 })[0]?.endOffset).toBeUndefined();
  });
});

describe("whatever a session holds", () => {
  const step = fc.record({
    kind: fc.constantFrom(
      "typed",
      "typed",
      "old",
      "answered",
      "called",
      "returned",
      "turnEnd",
      "compacted",
      "subagent",
    ),
    size: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3_000 })),
    word: fc.constantFrom("plain ", "記憶", "🙂 ", "https://example.org/a?b=c ", "x", "\n", "e\u0301"),
    line: fc.boolean(),
  });
  const steps = fc.array(step, { maxLength: 40, size: "max" });
  const bounds = fc.integer({ min: PIECE_TOKENS_MIN, max: 3_000 });

  function sessionOf(list: readonly { kind: string; size: number; word: string; line: boolean }[]) {
    const session = createSession();
    const old = new Set<string>();
    const fresh: string[] = [];
    let offset = 0;
    for (const { kind, size, word, line } of list) {
      if (line || offset === 0) offset += 10;
      const text = `${session.records.length} ${word.repeat(size)}`;
      const extra = { endOffset: offset };
      if (kind === "typed") fresh.push(session.typed(text, extra));
      else if (kind === "old") old.add(session.typed(text, extra));
      else if (kind === "answered") session.answered(text, extra);
      else if (kind === "called") session.called(text, extra);
      else if (kind === "returned") session.returned(text, extra);
      else if (kind === "subagent") session.typed(text, { ...extra, origin: "subagent" });
      else if (kind === "compacted") session.injected("compaction");
      else session.turnEnd();
    }
    return { records: session.records, fresh, isFresh: (id: string) => !old.has(id) };
  }

  it("each new message is in exactly one piece, in order, and no piece is larger than asked", () => {
    fc.assert(
      fc.property(steps, bounds, (list, tokensMax) => {
        const { records, fresh, isFresh } = sessionOf(list);
        const pieces = cut(records, { isFresh, tokensMax });

        expect(personIds(pieces).flat()).toEqual(fresh);
        for (const { window, typed } of pieces) {
          expect(typed).toBeGreaterThan(0);
          expect(window.tokens).toBe(estimateTokens(window.text));
          expect(window.tokens).toBeLessThanOrEqual(tokensMax);
          for (const { text } of window.shown.values()) expect(window.text).toContain(text);
        }
      }),
    );
  });

  it("a reader that starts again where the cursor stands misses no message", () => {
    fc.assert(
      fc.property(steps, bounds, (list, tokensMax) => {
        const { records, fresh, isFresh } = sessionOf(list);
        const pieces = cut(records, { isFresh, tokensMax });
        const done = personIds(pieces);
        for (const [index, { endOffset }] of pieces.entries()) {
          const later = records.filter((record) => record.endOffset > (endOffset ?? 0));
          const again = personIds(cut(later, { isFresh, tokensMax })).flat();
          const missed = fresh.filter(
            (id) =>
              !done
                .slice(0, index + 1)
                .flat()
                .includes(id),
          );

          expect(again).toEqual(expect.arrayContaining(missed));
        }
      }),
      { numRuns: 25 },
    );
  });

  it("a very long session loses nothing", () => {
    const session = createSession();
    for (let count = 0; count < 5_000; count += 1) session.typed(`message number ${count} about the harbour`);

    expect(personIds(cut(session.records, { tokensMax: PIECE_TOKENS_MIN })).flat()).toHaveLength(5_000);
  });
});

describe("the room of a piece", () => {
  it("leaves two requests of a run within the bound", () => {
    const fixedTokens = 9_000;
    for (const maxInputTokens of [30_000, 45_000, 60_000]) {
      expect(2 * (fixedTokens + pieceTokens({ maxInputTokens, fixedTokens }))).toBeLessThanOrEqual(
        maxInputTokens,
      );
    }
  });

  it("has a floor and a ceiling", () => {
    expect(pieceTokens({ maxInputTokens: 1_000, fixedTokens: 2_000 })).toBe(PIECE_TOKENS_MIN);
    expect(pieceTokens({ maxInputTokens: 10_000_000, fixedTokens: 2_000 })).toBe(PIECE_TOKENS_MAX);
  });
});
