// What an undo does to the index where runs changed it for its own sake: it goes back as long as nobody wrote it since.
// Lines are no edits: where it cannot go back, nothing of what it leads to is lost. Pure.
import type { RunId } from "../../domain/changes.ts";
import type { ContentHash } from "../../domain/memories.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import type { JournalEntry } from "./entries.ts";
import { standingFiles, type UndoneFiles } from "./undone.ts";

export interface IndexUndo {
  readonly file: typeof INDEX_FILE;
  readonly from: ContentHash;
  readonly to: ContentHash;
  /** Runs that are put back in it, newest first. */
  readonly runs: readonly RunId[];
}

export interface IndexUndoFacts {
  /** Entries of the runs that are meant, in the order they were written. */
  readonly chosen: readonly JournalEntry[];
  readonly undone: UndoneFiles;
  /** Hash of what is at a name now; null: nothing. */
  current(file: string): ContentHash | null;
  hasImage(hash: ContentHash): boolean;
}

export interface IndexUndoPlan {
  /** Undefined: it stays as it is. */
  readonly undo: IndexUndo | undefined;
  /** A run changed it and it does not go back. */
  readonly isLeft: boolean;
}

export function planIndexUndo({ chosen, undone, current, hasImage }: IndexUndoFacts): IndexUndoPlan {
  const standing = chosen.filter((entry) => standingFiles(entry, undone).includes(INDEX_FILE)).toReversed();
  const from = current(INDEX_FILE);
  let to = from;
  const runs = new Set<RunId>();
  for (const { run, index } of standing) {
    if (to === null || index.after !== to || index.before === null || !hasImage(index.before)) break;
    to = index.before;
    runs.add(run);
  }
  const undo =
    from === null || to === null || to === from
      ? undefined
      : ({ file: INDEX_FILE, from, to, runs: [...runs] } as const);
  return { undo, isLeft: undo === undefined && standing.length > 0 };
}

/** Told where one run was named, and the index is all it had changed. */
export const INDEX_LEFT = {
  file: INDEX_FILE,
  why: "it was changed since, or no copy of what it was is kept",
  forcible: false,
} as const;
