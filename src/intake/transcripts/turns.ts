// Reads what is unread of one source and hands it on as whole turns, in bounded memory.
// A turn is held back until its end is seen, so that a memory the agent wrote itself in that turn is known.
import type { TranscriptRecord } from "../../domain/records.ts";
import type { Cursor, Slice, Source, TranscriptFormat } from "./format.ts";

/** Some whole turns of one session, with the records right before them for context. */
export interface TurnWindow {
  /** Records already handed on in an earlier window or reading, for antecedents only. */
  readonly context: readonly TranscriptRecord[];
  readonly records: readonly TranscriptRecord[];
  /** Everything before this cursor has been handed on; undefined while a turn is held back. */
  readonly next: Cursor | undefined;
}

export interface ReadTotals {
  readonly lines: number;
  readonly records: number;
  readonly damaged: number;
  readonly skipped: number;
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly cwd: string | undefined;
  readonly turn: Slice["turn"];
  readonly restarted: boolean;
}

/** Records kept as context of the next window. */
const CONTEXT_RECORDS = 8;
/** An open turn longer than this is handed on before its end. */
const HELD_RECORDS_MAX = 20_000;
/** Slices of one read; 1 TB of transcript at 1 MiB each, so only a runaway reader meets it. */
const SLICES_MAX = 1_000_000;

/** Slices of one large window: 4 MiB. */
const LARGE_SLICES = 8;

export interface TurnReader {
  readonly format: TranscriptFormat;
  readonly source: Source;
  readonly from: Cursor | undefined;
  readonly signal: AbortSignal;
  /** Lets other work go on between slices. */
  pause(): Promise<void>;
  /** Whether windows may be of several slices: a model is asked the fewer times the fuller they are. Default: no. */
  wantsLarge?(): boolean;
}

/**
 * Yields windows oldest first; the return value sums what was read. At the end of the file the last,
 * perhaps open, turn is handed on too: who asks has already waited for quiet.
 */
export async function* readTurns(reader: TurnReader): AsyncGenerator<TurnWindow, ReadTotals> {
  const { format, source, signal } = reader;
  let cursor = reader.from;
  let context = contextBefore(reader);
  let held: TranscriptRecord[] = [];
  let totals = NOTHING_READ;
  let gathered = 0;
  for (let count = 0; count < SLICES_MAX; count += 1) {
    signal.throwIfAborted();
    const slice = await format.readSlice(source, cursor);
    totals = add(totals, slice);
    // A file that was rewritten starts anew; what was held belongs to bytes that are gone.
    if (slice.restarted) [held, context] = [[], []];
    held.push(...slice.records);
    cursor = slice.next;
    gathered += 1;
    const waits = slice.more && gathered < LARGE_SLICES && reader.wantsLarge?.() === true;
    const cut = slice.more && held.length <= HELD_RECORDS_MAX ? afterLastTurnEnd(held) : held.length;
    if (!waits && (cut > 0 || !slice.more)) {
      gathered = 0;
      const records = held.slice(0, cut);
      held = held.slice(cut);
      yield { context, records, next: held.length === 0 ? cursor : undefined };
      context = [...context, ...records].slice(-CONTEXT_RECORDS);
    }
    if (!slice.more) break;
    await reader.pause();
  }
  return totals;
}

/** What was read last time may be what the first new words answer. */
function contextBefore({ format, source, from }: TurnReader): readonly TranscriptRecord[] {
  return from === undefined ? [] : format.recordsBefore(source, from.offset).slice(-CONTEXT_RECORDS);
}

const NOTHING_READ: ReadTotals = {
  lines: 0,
  records: 0,
  damaged: 0,
  skipped: 0,
  unknownTypes: {},
  cwd: undefined,
  turn: "unknown",
  restarted: false,
};

function afterLastTurnEnd(records: readonly TranscriptRecord[]): number {
  return records.findLastIndex((record) => record.kind === "turn-end") + 1;
}

function add(totals: ReadTotals, slice: Slice): ReadTotals {
  const unknownTypes: Record<string, number> = Object.assign(Object.create(null), totals.unknownTypes);
  for (const [type, count] of Object.entries(slice.unknownTypes)) {
    unknownTypes[type] = (unknownTypes[type] ?? 0) + count;
  }
  return {
    lines: totals.lines + slice.lines,
    records: totals.records + slice.records.length,
    damaged: totals.damaged + slice.damaged,
    skipped: totals.skipped + slice.skipped,
    unknownTypes,
    cwd: totals.cwd ?? slice.cwd,
    turn: slice.turn,
    restarted: totals.restarted || slice.restarted,
  };
}
