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
  const found = findLeftovers(files, ask);
  for (const path of found) files.remove(path);
  return found.length;
}

/** Paths of unfinished replacements that nobody will finish. */
export function findLeftovers(files: Files, ask: LeftoversAsk): readonly string[] {
  return findBelow(files, ask, LEVELS_MAX);
}

function findBelow(files: Files, { folder, now }: LeftoversAsk, levels: number): string[] {
  return (files.names(folder) ?? []).flatMap((name) => {
    const path = join(folder, name);
    const facts = files.look(path);
    if (facts?.kind === "folder" && levels > 0) return findBelow(files, { folder: path, now }, levels - 1);
    const isOld = facts?.kind === "file" && facts.mtimeMs <= now - LEFTOVER_AGE_MS;
    return isOld && isLeftover(path) ? [path] : [];
  });
}

function isLeftover(path: string): boolean {
  return basename(path).startsWith(TEMPORARY_PREFIX);
}
