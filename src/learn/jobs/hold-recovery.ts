// Ends a taking of a memory folder by its record: counted as done when the stamp names its run, else undone. Called by whoever
// has our lock of the folder; harmless when repeated. What others did to the host's lock since is left alone.
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { openFolder } from "../../system/folder.ts";
import type { HoldRecord, HoldRecords } from "./hold-record.ts";
import type { LockFacts } from "./host-lock-file.ts";
import { changeLock } from "./host-lock-file.ts";
import type { Stamps } from "./stamps.ts";

/** File systems keep times as coarse as two seconds. */
const SAME_TIME_MS = 2_000;
/** A memory folder that is gone may be on a volume that comes back; one gone for so long does not. */
const GONE_MS_MAX = 30 * 86_400_000;

export interface RecoveryParts {
  readonly files: Files;
  readonly records: HoldRecords;
  readonly stamps: Stamps;
}

/** Whether the host's lock is as this taking left it: ours to change. */
export function isOfRecord(
  facts: LockFacts | undefined,
  { pid, takenAt }: Pick<HoldRecord, "pid" | "takenAt">,
): boolean {
  // One without a body is not ours to undo: we clear it with its time in one step, a host that is writing does not.
  return facts?.pid === pid && Math.abs(facts.mtimeMs - takenAt) <= SAME_TIME_MS;
}

/** Answers whether the record is closed now; a folder that is away keeps it open. */
export function endByRecord(
  { files, records, stamps }: RecoveryParts,
  {
    folderId,
    record,
    now,
  }: { readonly folderId: string; readonly record: HoldRecord; readonly now: Instant },
): boolean {
  const folder = openFolder(files, record.memoryDir);
  if (folder === undefined) {
    if (now - record.takenAt > GONE_MS_MAX) records.close(folderId);
    return false;
  }
  try {
    const isDone = stamps.lastRun(folderId) === record.run;
    const mtimeMs = isDone ? record.takenAt : record.priorMs;
    const next = mtimeMs === null ? undefined : { body: "", mtimeMs };
    changeLock(folder, (facts) => isOfRecord(facts, record), next);
  } finally {
    folder.close();
  }
  records.close(folderId);
  return true;
}
