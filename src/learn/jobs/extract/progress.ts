// What is remembered of a source while its session is read: how many messages were counted, and how far it is read.
// Moves cursors and counts only; never decides what is learnt.
import { READ_LIMITS } from "../../../domain/limits.ts";
import type { SourceState } from "../../../intake/transcripts/cursors.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import type { Cursor } from "../../../intake/transcripts/format.ts";
import type { Seen } from "../../../intake/transcripts/lineage.ts";
import type { ReadTotals } from "../../../intake/transcripts/turns.ts";
import type { Catalog, CatalogEntry } from "../../../intake/watch/catalog.ts";

/** The part of a session's pass that outlives it. */
export interface Progress {
  readonly entry: CatalogEntry;
  readonly seen: Seen;
  /** Typed messages not seen before this pass. */
  typed: number;
  /** Of these, how many the source's state holds already. */
  counted: number;
  headlessTyped: number;
}

/**
 * What is marked as seen is never counted again, so count and marks go to disk together. Nothing new: nothing is
 * written, a cursor that moved meanwhile goes with the next write.
 */
export function saveCount(progress: Progress, catalog: Catalog): void {
  if (progress.typed === progress.counted) return;
  const state = stateOf(progress, catalog);
  catalog.update({ ...state, typed: state.typed + progress.typed - progress.counted });
  progress.counted = progress.typed;
  progress.seen.save();
  catalog.flush();
}

/** The person asked that nothing of this session be kept any more; it stays so until the file is another one. */
export function goOffRecord(progress: Progress, catalog: Catalog): void {
  catalog.update({ ...stateOf(progress, catalog), offRecord: true });
}

export function isOffRecord(progress: Progress, catalog: Catalog): boolean {
  return stateOf(progress, catalog).offRecord;
}

/** The cursor moves last. Bytes with skipped words are passed over, not read: a backfill may want them. */
export function advance(progress: Progress, next: Cursor, catalog: Catalog): void {
  const state = stateOf(progress, catalog);
  const skipping = progress.headlessTyped > 0 || state.passed !== undefined;
  catalog.update(
    skipping
      ? { ...state, passed: next, passedWhy: state.passedWhy ?? "headless" }
      : { ...state, read: next, passed: undefined, passedWhy: undefined },
  );
}

/** The source was read to the end it had when the pass began. */
export function finish(progress: Progress, totals: ReadTotals, catalog: Catalog): void {
  const state = stateOf(progress, catalog);
  const fromStart = positionOf(progress.entry.state) === undefined || totals.restarted;
  const base = fromStart ? 0 : 1;
  catalog.update({
    ...state,
    headlessTyped: base * state.headlessTyped + progress.headlessTyped,
    damaged: base * state.damaged + totals.damaged,
    skipped: base * state.skipped + totals.skipped,
    unknownTypes: fromStart ? totals.unknownTypes : sumOf(state.unknownTypes, totals.unknownTypes),
  });
  catalog.drained(state.path, progress.entry.state.bytes);
  catalog.flush();
}

function stateOf({ entry }: Progress, catalog: Catalog): SourceState {
  return catalog.get(entry.source.path)?.state ?? entry.state;
}

type Counts = SourceState["unknownTypes"];

/** A type may be called `__proto__`; beyond the bound the names that came first stay. */
function sumOf(before: Counts, more: Counts): Counts {
  const sums = new Map(Object.entries(before));
  for (const [type, count] of Object.entries(more)) {
    if (sums.has(type) || sums.size < READ_LIMITS.unknownTypesMax) {
      sums.set(type, (sums.get(type) ?? 0) + count);
    }
  }
  return Object.fromEntries(sums);
}
