// What of the history still stands: which runs were put back in which files, and what is left without them. Pure.
import type { RunId } from "../../domain/changes.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import { EDIT_KIND, type JournalEntry, type JournalOp, UNDO_KIND } from "./entries.ts";
import { whyKept } from "./why-changed.ts";

/** Files in which a run was put back, by run. An undo that was undone itself does not count. */
export type UndoneFiles = ReadonlyMap<RunId, ReadonlySet<string>>;

/** `entries`: oldest first. */
export function undoneFiles(entries: readonly JournalEntry[]): UndoneFiles {
  const undone = new Map<RunId, Set<string>>();
  for (const { run: undo, undoes = [], skipped } of entries.toReversed()) {
    const voided = undone.get(undo);
    for (const { run, files } of undoes) {
      const stands = files.filter((file) => voided?.has(file) !== true && !skipped.includes(file));
      const known = undone.get(run);
      if (known === undefined) undone.set(run, new Set(stands));
      else for (const file of stands) known.add(file);
    }
  }
  return undone;
}

/** Files of an entry in which it still stands; nothing of a purged one is left that could. */
export function standingFiles(entry: JournalEntry, undone: UndoneFiles): readonly string[] {
  const gone = undone.get(entry.run);
  const there = entry.ops.filter(({ purged }) => purged === undefined).map(({ file }) => file);
  return changedFiles(entry, there).filter((file) => gone?.has(file) !== true);
}

/** Files an entry changed: the index as well, where it was changed for its own sake. */
export function changedFiles(
  { ops, skipped, index, indexWork }: JournalEntry,
  files: readonly string[] = ops.map(({ file }) => file),
): readonly string[] {
  const isIndex = indexWork !== undefined && index.before !== index.after;
  return [...files.filter((file) => !skipped.includes(file)), ...(isIndex ? [INDEX_FILE] : [])];
}

/** What an entry did to each of them. */
export function changesIn(entry: JournalEntry): readonly ChangedFile[] {
  const changed = changedFiles(entry);
  const index = { file: INDEX_FILE, op: "updated", ...entry.index, why: whyKept(entry, INDEX_FILE) } as const;
  const ops = entry.ops.map((op) => ({ ...op, why: whyKept(entry, op) }));
  return [...ops, index].filter(({ file }) => changed.includes(file));
}

export interface ChangedFile extends Pick<JournalOp, "file" | "op" | "before" | "after" | "purged"> {
  /** One sentence; file names and days in it, no words of anybody. */
  readonly why: string;
}

/** Hand edits are the person's own, and an undo of one would be the loss it is there to prevent. */
export function isUndoable(entry: JournalEntry, undone: UndoneFiles): boolean {
  return entry.kind !== EDIT_KIND && standingFiles(entry, undone).length > 0;
}

/** The history as if what was undone, its undoing, and what was purged had never happened. */
export function standingEntries(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const undone = undoneFiles(entries);
  const isPurged = ({ ops }: JournalEntry) => ops.some(({ purged }) => purged !== undefined);
  if (undone.size === 0 && !entries.some(isPurged)) return entries;
  return entries.flatMap((entry) => {
    if (entry.kind === UNDO_KIND) return [];
    const files = new Set(standingFiles(entry, undone));
    return [{ ...entry, ops: entry.ops.filter(({ file }) => files.has(file)) }];
  });
}

/** In the order things were written: a run's name tells when it began. */
export function byTime(entries: readonly JournalEntry[]): JournalEntry[] {
  return entries.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
}
