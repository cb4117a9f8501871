// Removes what a killed process left of an unfinished replacement. Never touches a young file: another process
// may be about to rename it.
import { basename, join } from "node:path";
import type { Files } from "./files.ts";
import { TEMPORARY_PREFIX } from "./files.ts";

/** A replacement takes milliseconds; an hour also covers a suspended machine. */
export const LEFTOVER_AGE_MS = 3_600_000;
/** Folders below a folder of ours are never deeper than this (`journal/<id>/blobs`). */
const LEVELS_MAX = 4;

export interface LeftoversAsk {
  /** A folder of our own; links in it are not followed. */
  readonly folder: string;
  /** Wall time now. */
  readonly now: number;
}

/** Answers how many files were removed. */
export function removeLeftovers(files: Files, ask: LeftoversAsk): number {
  return removeBelow(files, ask, LEVELS_MAX);
}

function removeBelow(files: Files, { folder, now }: LeftoversAsk, levels: number): number {
  let removed = 0;
  for (const name of files.names(folder) ?? []) {
    const path = join(folder, name);
    const facts = files.look(path);
    if (facts?.kind === "folder" && levels > 0)
      removed += removeBelow(files, { folder: path, now }, levels - 1);
    if (facts?.kind !== "file" || !isLeftover(path) || facts.mtimeMs > now - LEFTOVER_AGE_MS) continue;
    files.remove(path);
    removed += 1;
  }
  return removed;
}

function isLeftover(path: string): boolean {
  return basename(path).startsWith(TEMPORARY_PREFIX);
}
