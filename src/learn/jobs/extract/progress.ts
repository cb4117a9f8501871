// What is remembered of a source while its session is read: how many messages were counted, and how far it is read.
// Moves cursors and counts only; never decides what is learnt.
import { READ_LIMITS } from "../../../domain/limits.ts";
import type { SourceState } from "../../../intake/transcripts/cursors.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import type { Cursor } from "../../../intake/transcripts/format.ts";
import type { MarkedBy, Seen } from "../../../intake/transcripts/lineage.ts";
import type { ReadTotals } from "../../../intake/transcripts/turns.ts";
import type { ClosedStretch } from "../../offline/privacy.ts";
import type { Catalog, CatalogEntry } from "../../../intake/watch/catalog.ts";

/** The part of a session's pass that outlives it. */
export interface Progress {
  readonly entry: CatalogEntry;
  readonly seen: Seen;
  /** What reads the present stretch. */
  readBy: MarkedBy;
  /** A model has left out words up to here that only rules have read. */
  rulesOnlyUntil: number;
  /** Where the source stands as far as this pass knows. */
  position: number;
  /** Typed messages not seen before this pass. */
  typed: number;
  /** Typed messages that only rules had read before. */
  again: number;
  /** Of these, how many the source's state holds already. */
  counted: number;
  /** Of all that were heard, how many are marked on disk. */
  saved: number;
  headlessTyped: number;
  /** A `<private>` of an earlier message is open where the next stretch begins. */
  inPrivate: boolean;
  /** Where the present stretch is inside one. */
  closedTo: readonly ClosedStretch[];
}

/** Messages handed to the extraction. */
export function heardIn({ typed, again }: Pick<Progress, "typed" | "again">): number {
  return typed + again;
}

export function offsetOf(state: SourceState): number {
  return positionOf(state)?.offset ?? 0;
}

/** What stood there before a model was allowed. */
export function isReadByRules(state: SourceState): boolean {
  return offsetOf(state) < state.rulesUntil;
}

/**
 * What is marked as seen is never counted again, so count and marks go to disk together. Nothing new: nothing is
 * written, a cursor that moved meanwhile goes with the next write.
 */
export function saveCount(progress: Progress, catalog: Catalog): void {
  if (heardIn(progress) === progress.saved) return;
  const state = stateOf(progress, catalog);
  catalog.update({ ...state, typed: state.typed + progress.typed - progress.counted });
  progress.counted = progress.typed;
  progress.saved = heardIn(progress);
  progress.seen.save();
  catalog.flush();
}

/** The person asked that nothing of this session be kept any more; it stays so until the file is another one. */
export function goOffRecord(progress: Progress, catalog: Catalog): void {
  const state = stateOf(progress, catalog);
  if (!isElsewhere(progress, state)) catalog.update({ ...state, offRecord: true });
}

export function isOffRecord(progress: Progress, catalog: Catalog): boolean {
  return stateOf(progress, catalog).offRecord;
}

/** The cursor moves last. Bytes with skipped words are passed over, not read: a backfill may want them. */
export function advance(progress: Progress, next: Cursor, catalog: Catalog): void {
  const before = stateOf(progress, catalog);
  if (isElsewhere(progress, before)) return;
  const state = {
    ...before,
    rulesUntil: rulesUntilAt(next.offset, { progress, before }),
    inPrivate: progress.closedTo.some(({ from, to }) => from <= next.offset && next.offset < to),
  };
  const skipping = progress.headlessTyped > 0 || state.passed !== undefined;
  const after: SourceState = skipping
    ? { ...state, passed: next, passedWhy: state.passedWhy ?? "headless" }
    : { ...state, read: next, passed: undefined, passedWhy: undefined };
  note(catalog, before, after);
  progress.position = offsetOf(after);
}

/** What is the same is not written once more. */
function note(catalog: Catalog, before: SourceState, after: SourceState): void {
  if (JSON.stringify(after) !== JSON.stringify(before)) catalog.update(after);
}

/** Somebody moved the cursor meanwhile: a backfill began, or the source is passed over. Theirs stands. */
function isElsewhere({ position }: Progress, state: SourceState): boolean {
  return offsetOf(state) !== position;
}

/** A rewritten file may have become shorter; nothing after the cursor was read by anybody. */
function rulesUntilAt(
  offset: number,
  { progress, before }: { readonly progress: Progress; readonly before: SourceState },
): number {
  return progress.readBy === "rules"
    ? Math.max(before.rulesUntil, offset)
    : Math.min(offset, Math.max(before.rulesUntil, progress.rulesOnlyUntil));
}

/** The source was read to the end it had when the pass began. */
export function finish(progress: Progress, totals: ReadTotals, catalog: Catalog): void {
  const state = stateOf(progress, catalog);
  if (isElsewhere(progress, state)) return;
  note(catalog, state, { ...state, ...countsAt(progress, { state, totals }), again: 0 });
  catalog.drained(state.path, progress.entry.state.bytes);
  catalog.flush();
}

type Countable = Pick<SourceState, "headlessTyped" | "damaged" | "skipped" | "unknownTypes">;

interface Read {
  readonly state: SourceState;
  readonly totals: ReadTotals;
}

function countsAt({ entry, headlessTyped }: Progress, { state, totals }: Read): Partial<Countable> {
  const { damaged, skipped, unknownTypes } = totals;
  if (positionOf(entry.state) === undefined || totals.restarted) {
    return { headlessTyped, damaged, skipped, unknownTypes };
  }
  // A backfill that goes on where it stopped: what it reads was counted the first time.
  if (offsetOf(entry.state) < entry.state.again) return {};
  return {
    headlessTyped: state.headlessTyped + headlessTyped,
    damaged: state.damaged + damaged,
    skipped: state.skipped + skipped,
    unknownTypes: sumOf(state.unknownTypes, unknownTypes),
  };
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
