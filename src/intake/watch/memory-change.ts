// Turns events below memory folders into one "look at this memory folder" per folder. Never decides whether
// something changed: whoever looks compares with its own last listing, so our own writes cause nothing.
import { basename } from "node:path";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import { TEMPORARY_PREFIX } from "../../system/files.ts";
import type { Debounce } from "./debounce.ts";

/** Written by a consolidation, ours or the agent's own; no memory. */
const LOCK_NAME = ".consolidate-lock";
/** Daily logs are read by the nightly distiller at its own time. */
const LOGS_NAME = "logs";

export interface MemoryChange {
  /** The memory folders that exist now; replaces the former set. */
  setFolders(folders: readonly string[]): void;
  /** Takes one watcher event. Undefined when the path belongs to no memory folder; else whether or not it matters. */
  notice(path: string): MemoryPath | undefined;
}

/** A memory folder itself, or something below it. */
export type MemoryPath = "folder" | "inside";

/** The debounce is this module's own: its keys are the memory folders, its `fire` is the look. */
export function createMemoryChange({ debounce }: { readonly debounce: Debounce }): MemoryChange {
  let folders: ReadonlySet<string> = new Set();
  return {
    setFolders: (given) => void (folders = new Set(given)),
    notice(path) {
      const found = findFolder(folders, path);
      if (found === undefined) return undefined;
      if (isOurBusiness(path, found)) {
        debounce.touch(found.folder, {
          quietMs: WATCH_LIMITS.memoryQuietMs,
          maxWaitMs: WATCH_LIMITS.memoryMaxWaitMs,
        });
      }
      return found.first === undefined ? "folder" : "inside";
    },
  };
}

interface Found {
  readonly folder: string;
  /** First name below the folder; undefined for the folder itself. */
  readonly first: string | undefined;
}

/** The nearest memory folder at or above an absolute path. For every event, and `dirname` goes letter by letter. */
function findFolder(folders: ReadonlySet<string>, path: string): Found | undefined {
  let first: string | undefined;
  let at = path;
  while (!folders.has(at)) {
    const slash = at.lastIndexOf("/");
    if (slash <= 0) return undefined;
    first = at.slice(slash + 1);
    at = at.slice(0, slash);
  }
  return { folder: at, first };
}

function isOurBusiness(path: string, { first }: Found): boolean {
  if (first === undefined) return true;
  return first !== LOGS_NAME && first !== LOCK_NAME && !basename(path).startsWith(TEMPORARY_PREFIX);
}
