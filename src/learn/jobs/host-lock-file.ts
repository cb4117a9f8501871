// `.consolidate-lock`, the file by which a host agent and engramd exclude each other: its body is the holder's process id,
// its time the last consolidation. Replaced whole, and what somebody wrote meanwhile is put back. Never follows a link.
import { AppError, systemCode } from "../../domain/errors.ts";
import type { Instant } from "../../domain/records.ts";
import { onDisk } from "../../memory/journal/failures.ts";
import type { Folder, HeldFile } from "../../system/folder.ts";

const HOST_LOCK = ".consolidate-lock";
/** The reference's: a holder is believed so long, even one whose process lives. */
export const HOLDER_STALE_MS = 3_600_000;
/** A process id has ten digits; what has more is not written by any agent. */
const BODY_BYTES_MAX = 4_096;

export interface LockFacts {
  readonly mtimeMs: number;
  /** Undefined: the body names no process. */
  readonly pid: number | undefined;
}

/** Undefined when there is none. Throws `lock-blocked` (retry) for what is no lock. */
export function lookAtLock(folder: Folder): LockFacts | undefined {
  const held = holdLock(folder);
  if (held === undefined) return undefined;
  try {
    return factsIn(folder, held);
  } finally {
    held.close();
  }
}

export interface Replacement {
  readonly body: string;
  readonly mtimeMs: Instant;
}

/**
 * Puts the lock that `wants` accepts into another state; `undefined` removes it. False when `wants` refused, or when
 * somebody else wrote it meanwhile: then theirs stands.
 */
export function changeLock(
  folder: Folder,
  wants: (facts: LockFacts | undefined) => boolean,
  next: Replacement | undefined,
): boolean {
  const held = holdLock(folder);
  try {
    const before = held === undefined ? undefined : factsIn(folder, held);
    if (!wants(before)) return false;
    return onDisk({ what: "memory", path: folder.path }, () =>
      held === undefined || before === undefined
        ? next === undefined || create(folder, next)
        : swap(folder, { held, before }, next),
    );
  } finally {
    held?.close();
  }
}

function create(folder: Folder, { body, mtimeMs }: Replacement): boolean {
  return folder.create(HOST_LOCK, Buffer.from(body), { mtimeMs });
}

interface Known {
  readonly held: HeldFile;
  readonly before: LockFacts;
}

/** A host writes into the file, we put another in its place: whoever wrote into the old one just before is seen there. */
function swap(folder: Folder, { held, before }: Known, next: Replacement | undefined): boolean {
  const { fileId } = held.facts();
  const isSame = () => {
    const now = folder.look(HOST_LOCK);
    return now?.fileId === fileId && now.mtimeMs === before.mtimeMs;
  };
  if (next === undefined) {
    if (!isSame()) return false;
    folder.remove(HOST_LOCK);
  } else if (!replaced(folder, next, isSame)) {
    return false;
  }
  const after = factsIn(folder, held);
  // One that is still writing finds our body when it reads its own back, and gives way.
  if (after.pid === undefined || (after.pid === before.pid && after.mtimeMs === before.mtimeMs)) return true;
  const theirs = { body: String(after.pid), mtimeMs: after.mtimeMs };
  if (next === undefined) create(folder, theirs);
  else folder.replace(HOST_LOCK, theirs.body, { mtimeMs: theirs.mtimeMs });
  return false;
}

function replaced(folder: Folder, { body, mtimeMs }: Replacement, stillValid: () => boolean): boolean {
  try {
    folder.replace(HOST_LOCK, body, { mtimeMs, stillValid });
    return true;
  } catch (error) {
    if (systemCode(error) === "changed") return false;
    throw error;
  }
}

function holdLock(folder: Folder): HeldFile | undefined {
  try {
    return folder.hold(HOST_LOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === "unsafe-file" || code === "EACCES" || code === "EPERM") throw blocked(folder, error);
    throw error;
  }
}

function factsIn(folder: Folder, held: HeldFile): LockFacts {
  try {
    const { mtimeMs } = held.facts();
    const body = held.content(BODY_BYTES_MAX).toString("latin1").trim();
    return { mtimeMs, pid: /^[1-9]\d{0,9}$/u.test(body) ? Number(body) : undefined };
  } catch (error) {
    if (systemCode(error) === "too-large") throw blocked(folder, error);
    throw error;
  }
}

function blocked(folder: Folder, cause: unknown): AppError {
  const why = cause instanceof AppError ? cause.message : "it may not be read";
  return new AppError({
    code: "lock-blocked",
    message: `${HOST_LOCK} in ${folder.path} is no lock: ${why}`,
    fix: "look at it and remove it by hand",
    disposition: "retry",
    cause,
  });
}
