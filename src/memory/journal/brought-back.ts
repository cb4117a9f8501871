// Files that an undo brought back and nobody has changed since: whoever removed them was told no. Pure.
import type { Memory } from "../../domain/memories.ts";
import type { JournalEntry } from "./entries.ts";
import { undoneFiles } from "./undone.ts";

/** Change sets looked at: years of a busy project. */
export const BROUGHT_BACK_ENTRIES_MAX = 5_000;

/** `entries`: oldest first. */
export function broughtBack(
  entries: readonly JournalEntry[],
  memories: readonly Pick<Memory, "file" | "hash">[],
): ReadonlySet<string> {
  const undone = undoneFiles(entries);
  const back = new Map<string, string>();
  for (const { run, undoes = [], ops, skipped } of entries) {
    if (undoes.length === 0) continue;
    for (const { file, before, after } of ops) {
      const stands = !skipped.includes(file) && undone.get(run)?.has(file) !== true;
      if (stands && before === null && after !== null) back.set(file, after);
    }
  }
  return new Set(memories.filter(({ file, hash }) => back.get(file) === hash).map(({ file }) => file));
}
