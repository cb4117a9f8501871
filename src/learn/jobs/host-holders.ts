// Whether somebody works on a memory folder, by what stands in its `.consolidate-lock`. Looks only.
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { isAlive, processSpace, startOf } from "../../system/process.ts";
import { reachesWriters } from "../../system/process-reach.ts";
import type { LockFacts } from "./host-lock-file.ts";
import { HOLDER_STALE_MS } from "./host-lock-file.ts";

/** What is known of processes; tests have their own. */
export interface Processes {
  readonly own: number;
  isAlive(pid: number): boolean;
  /** False where process ids in that folder may be of another machine or container. */
  reaches(folder: string): boolean;
  /** When a process began; "" where nothing tells. */
  startOf(pid: number): string;
}

export function realProcesses(files: Files): Processes {
  return {
    own: process.pid,
    isAlive,
    reaches: (folder) => reachesWriters(files, { folder, space: processSpace(files) }),
    startOf: (pid) => startOf(files, pid),
  };
}

export interface HolderAsk {
  readonly processes: Processes;
  readonly folder: string;
  readonly now: Instant;
}

/** Until when the holder is believed at most; undefined when there is none. */
export function heldUntil(
  facts: LockFacts | undefined,
  { processes, folder, now }: HolderAsk,
): Instant | undefined {
  if (facts?.pid === undefined) return undefined;
  const until = facts.mtimeMs + HOLDER_STALE_MS;
  // A lock of the future would hold for as long as its clock was wrong.
  if (until <= now || facts.mtimeMs > now + HOLDER_STALE_MS) return undefined;
  if (!processes.reaches(folder)) return until;
  // Our own id and no work of ours: it was given to us after its former owner had died.
  return facts.pid !== processes.own && processes.isAlive(facts.pid) ? until : undefined;
}
