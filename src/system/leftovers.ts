// Removes what a killed process left of an unfinished replacement. Never touches a young file that a living process,
// or one nobody can ask about, may be about to rename.
import { join } from "node:path";
import type { Files } from "./files.ts";
import { TEMPORARY_PREFIX } from "./files.ts";
import { makerOf } from "./process-mark.ts";
import { isAlive } from "./process.ts";

/** For files whose process cannot be told: a replacement takes milliseconds; an hour also covers a suspended machine. */
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
    return facts?.kind === "file" && isLeftover({ name, mtimeMs: facts.mtimeMs }, now) ? [path] : [];
  });
}

/** Whether a file is an unfinished replacement of a process that is gone, or too old to be finished by anybody. */
export function isLeftover(
  { name, mtimeMs }: { readonly name: string; readonly mtimeMs: number },
  now: number,
): boolean {
  if (!name.startsWith(TEMPORARY_PREFIX)) return false;
  if (mtimeMs <= now - LEFTOVER_AGE_MS) return true;
  const pid = makerOf(name.slice(TEMPORARY_PREFIX.length));
  return pid !== undefined && !isAlive(pid);
}
