// Claude Code's transcripts as a `TranscriptFormat`: joins places, line reading and parsing. Holds no state.
import type { Origin, TranscriptRecord } from "../../../domain/records.ts";
import type { Cursor, FormatDeps, Peek, Slice, Source, TranscriptFormat } from "../../transcripts/format.ts";
import type { Line } from "../../transcripts/json-lines.ts";
import { endOfLines, lineCursor, linesBefore, peekLines, readLines } from "../../transcripts/json-lines.ts";
import { pickJson } from "../../transcripts/json-pick.ts";
import type { Parser } from "./parse.ts";
import { createParser } from "./parse.ts";
import { rootsOf, sourceAt } from "./places.ts";
import { RECORD } from "./wanted.ts";

export function createClaudeCodeFormat(deps: FormatDeps): TranscriptFormat {
  return {
    agent: "claude-code",
    // `cleanupPeriodDays` unless settings say otherwise (vendor's documentation, 2.1.x).
    retentionDays: 30,
    roots: rootsOf,
    sourceAt,
    readSlice: async (source, from) => readSlice(deps, { source, from }),
    peek: (source, offset) => peek(deps, { source, offset }),
    recordsBefore: (source, offset) => recordsBefore(deps, { source, offset }),
    cursorAt: (source, offset) => lineCursor(deps.files, { path: source.path, offset }),
    endOf: (source) => endOfLines(deps.files, source.path),
  };
}

interface Position {
  readonly source: Source;
  readonly from: Cursor | undefined;
}

interface PeekPosition {
  readonly source: Source;
  readonly offset: number;
}

function readSlice({ files, oursUnder }: FormatDeps, { source, from }: Position): Slice {
  const parser = createParser(source, oursUnder);
  let damaged = 0;
  const read = readLines({
    files,
    path: source.path,
    from,
    onLine: (line) => {
      if (!addLine(parser, line)) damaged += 1;
    },
  });
  const { records, unknownTypes, turn, sessionEnded, cwd } = parser.finish();
  return { ...read, records, damaged, unknownTypes, turn, sessionEnded, cwd };
}

function peek(
  { files, oursUnder, isUrgent }: FormatDeps,
  { source, offset }: PeekPosition,
): Peek | undefined {
  const parser = createParser(source, oursUnder);
  const onLine = (line: Line) => void addLine(parser, line);
  if (!peekLines({ files, path: source.path, offset, onLine })) return undefined;
  const { records, turn, sessionEnded, cwd, sessionId } = parser.finish();
  const urgent = records.some((record) => record.kind === "user-text" && isUrgent(record.text));
  return { cwd, sessionId, by: speakerIn(records), urgent, sessionEnded, turn };
}

function speakerIn(records: readonly TranscriptRecord[]): Origin | undefined {
  const origins = records.filter(({ kind }) => kind === "user-text").map(({ origin }) => origin);
  return origins.includes("user") ? "user" : origins[0];
}

function recordsBefore({ files, oursUnder }: FormatDeps, { source, offset }: PeekPosition) {
  const parser = createParser(source, oursUnder);
  linesBefore({ files, path: source.path, offset, onLine: (line) => void addLine(parser, line) });
  return parser.finish().records;
}

/** False: the line is damaged. One with invalid UTF-8 is read all the same, with replacement characters. */
function addLine(parser: Parser, { bytes, endOffset, validUtf8 }: Line): boolean {
  const picked = pickJson(bytes, RECORD);
  switch (picked.kind) {
    case "value":
      return parser.add(picked.value, endOffset) && validUtf8;
    case "dropped":
      return validUtf8;
    case "malformed":
      return false;
  }
}
