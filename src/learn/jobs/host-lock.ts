// Whose turn it is to rework a memory folder: one job of this process, one engramd, and the host agent exclude each other.
// Every taking is noted before and closed after, so that whatever ends it half-way is undone once. Never waits for anybody.
import { AppError, messageOf } from "../../domain/errors.ts";
import type { Instant } from "../../domain/records.ts";
import { folderIdOf } from "../../memory/journal/folder-id.ts";
import type { Clock } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { FileLocks, Lock } from "../../system/file-lock.ts";
import type { Files } from "../../system/files.ts";
import type { Folder } from "../../system/folder.ts";
import { openFolder } from "../../system/folder.ts";
import type { Hold, HoldAnswer, HoldAsk, Holds } from "./consolidating.ts";
import type { HoldRecord, HoldRecords } from "./hold-record.ts";
import { createHoldRecords } from "./hold-record.ts";
import { endByRecord, isOfRecord } from "./hold-recovery.ts";
import type { Processes } from "./host-holders.ts";
import { heldUntil, realProcesses } from "./host-holders.ts";
import { changeLock, HOLDER_STALE_MS, lookAtLock } from "./host-lock-file.ts";
import type { Stamps } from "./stamps.ts";
import { pastTime } from "./stamps.ts";

export interface HoldsDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly locks: FileLocks;
  readonly stateDir: string;
  readonly stamps: Stamps;
  /** For tests. */
  readonly processes?: Processes;
  /** For tests. */
  readonly settleMs?: number;
}

/**
 * How long a taken folder is watched before it is believed: a host that saw it free just before may still be about to
 * write its own id. Its gap is two calls; half a second lets a busy machine make them.
 */
const SETTLE_MS = 500;
/** When to ask again about an engramd that works there: its job has so long, see `JOB_LIMITS.jobMs`. */
const BUSY_MS = 600_000;

interface Parts extends Required<HoldsDeps> {
  readonly records: HoldRecords;
  /** Folders that a job of this process has or takes: a process id cannot tell jobs apart. */
  readonly busy: Set<string>;
}

export function createHolds(deps: HoldsDeps): Holds {
  const parts: Parts = {
    processes: realProcesses(deps.files),
    settleMs: SETTLE_MS,
    ...deps,
    records: createHoldRecords(deps),
    busy: new Set(),
  };
  return {
    take: (ask) => take(parts, ask),
    recover: () => recover(parts),
    lastSuccessAt: (memoryDir) => lastSuccessAt(parts, memoryDir),
  };
}

function lockName(folderId: string): string {
  return `consolidate-${folderId}`;
}

async function take(parts: Parts, ask: HoldAsk): Promise<HoldAnswer> {
  const { busy, clock, locks } = parts;
  const folderId = folderIdOf(ask.memoryDir);
  const later: HoldAnswer = { blocked: "locked", until: clock.now() + BUSY_MS };
  if (busy.has(folderId)) return later;
  busy.add(folderId);
  let lock: Lock | undefined;
  let taken: HoldAnswer | undefined;
  try {
    lock = await locks.take(lockName(folderId), { waitMs: 0 });
    taken = lock === undefined ? later : await takeHosts(parts, { ...ask, folderId, lock });
    return taken;
  } finally {
    if (taken === undefined || !("hold" in taken)) await letGo(parts, folderId, lock);
  }
}

/** Never throws: what was done stands. */
async function letGo(parts: Parts, folderId: string, lock: Lock | undefined): Promise<void> {
  try {
    await lock?.release();
  } catch (error) {
    warn(parts, "consolidation-lock-kept", error);
  } finally {
    parts.busy.delete(folderId);
  }
}

interface Taking extends HoldAsk {
  readonly folderId: string;
  /** Ours, and held. */
  readonly lock: Lock;
}

async function takeHosts(parts: Parts, taking: Taking): Promise<HoldAnswer> {
  const { folderId, lock } = taking;
  endLeft(parts, folderId);
  const folder = openFolder(parts.files, taking.memoryDir);
  if (folder === undefined) throw missing(taking.memoryDir);
  try {
    const record = await writeOurs(parts, { taking, folder });
    if ("blocked" in record) return record;
    return { hold: createHold(parts, { taking, record }) };
  } catch (error) {
    // As if it had never been taken; what fails here as well is undone by the next taking, or at start.
    tryEnd(parts, folderId, lock);
    throw error;
  } finally {
    folder.close();
  }
}

interface Opened {
  readonly taking: Taking;
  readonly folder: Folder;
}

type Blocked = Extract<HoldAnswer, { readonly blocked: "locked" }>;

/** The record first, then our id into the host's lock, then a look whether it stays there. */
async function writeOurs(parts: Parts, { taking, folder }: Opened): Promise<HoldRecord | Blocked> {
  const { clock, processes, records, settleMs } = parts;
  const { folderId, memoryDir, run, kind } = taking;
  const takenAt = clock.now();
  const before = lookAtLock(folder);
  const until = heldUntil(before, { processes, folder: folder.path, now: takenAt });
  if (until !== undefined) return { blocked: "locked", until };
  const pid = processes.own;
  const priorMs = before?.mtimeMs ?? null;
  const record = { memoryDir, run, kind, takenAt, pid, started: processes.startOf(pid), priorMs };
  records.open(folderId, record);
  const isAsSeen = (now: typeof before) =>
    now?.mtimeMs === before?.mtimeMs &&
    now?.pid === before?.pid &&
    (now === undefined) === (before === undefined);
  const isWritten = changeLock(folder, isAsSeen, { body: String(pid), mtimeMs: takenAt });
  if (isWritten && settleMs > 0) await wait(clock, settleMs, taking.lock.lost);
  if (isWritten && taking.lock.held() && isOurs(folder, record)) return record;
  // The host was quicker, or another engramd has taken our lock: what is theirs is left alone.
  if (taking.lock.held()) endByRecord(parts, { folderId, record, now: clock.now() });
  return { blocked: "locked", until: takenAt + (taking.lock.held() ? HOLDER_STALE_MS : BUSY_MS) };
}

function isOurs(folder: Folder, record: HoldRecord): boolean {
  return isOfRecord(lookAtLock(folder), record);
}

interface Held {
  readonly taking: Taking;
  readonly record: HoldRecord;
}

function createHold(parts: Parts, held: Held): Hold {
  const { records, stamps } = parts;
  const { folderId, lock, run } = held.taking;
  const lost = new AbortController();
  const lose = () => lost.abort();
  lock.lost.addEventListener("abort", lose, { once: true });
  if (lock.lost.aborted) lose();
  let ending: Promise<void> | undefined;

  function assertOurs(): void {
    if (ending === undefined && !lost.signal.aborted && lock.held() && standsAsOurs(parts, held)) return;
    lose();
    throw lostError(held.taking.memoryDir);
  }

  /** Never throws: what cannot be ended now is ended by the next taking, or at start. */
  async function end(): Promise<void> {
    lock.lost.removeEventListener("abort", lose);
    let still: Lock | undefined = lock;
    try {
      if (!lock.held()) still = await retake(parts, folderId, lock);
      // Whoever has our lock now has ended this taking, or does so at its start.
      if (still !== undefined && records.read(folderId)?.run === run) endLeft(parts, folderId);
    } catch (error) {
      warn(parts, "consolidation-not-rolled-back", error);
    } finally {
      await letGo(parts, folderId, still);
    }
  }

  return {
    lost: lost.signal,
    assertOurs,
    async succeed() {
      if (ending !== undefined) return ending;
      assertOurs();
      stamps.note(folderId, { at: held.record.takenAt, run });
      ending = end();
      return ending;
    },
    rollBack: () => (ending ??= end()),
  };
}

/** The heart-beat failed, or somebody removed our lock: nobody else need have it. */
async function retake({ locks }: Parts, folderId: string, former: Lock): Promise<Lock | undefined> {
  await former.release();
  return locks.take(lockName(folderId), { waitMs: 0 });
}

/** By what is on disk now. What cannot be read is not ours any more. */
function standsAsOurs({ files, records }: Parts, { taking, record }: Held): boolean {
  try {
    const known = records.read(taking.folderId);
    if (known?.run !== record.run || known.takenAt !== record.takenAt) return false;
    const folder = openFolder(files, taking.memoryDir);
    if (folder === undefined) return false;
    try {
      return isOurs(folder, record);
    } finally {
      folder.close();
    }
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Ends what a crash, or a disk that failed, left open; the caller has our lock. Fails as the disk does. */
function endLeft(parts: Parts, folderId: string): boolean {
  const record = parts.records.read(folderId);
  return record !== undefined && endByRecord(parts, { folderId, record, now: parts.clock.now() });
}

/** The same where nothing may throw. */
function tryEnd(parts: Parts, folderId: string, lock: Lock): boolean {
  try {
    return lock.held() && endLeft(parts, folderId);
  } catch (error) {
    warn(parts, "consolidation-not-rolled-back", error);
    return false;
  }
}

async function recover(parts: Parts): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const folderId of parts.records.folderIds()) {
    const record = parts.records.read(folderId);
    if (record === undefined || parts.busy.has(folderId)) continue;
    parts.busy.add(folderId);
    let lock: Lock | undefined;
    try {
      lock = await parts.locks.take(lockName(folderId), { waitMs: 0 });
      // Somebody works there, or is not yet known to be dead: whoever takes the folder next ends it.
      if (lock !== undefined && tryEnd(parts, folderId, lock)) ended.push(record.memoryDir);
    } catch (error) {
      warn(parts, "consolidation-not-rolled-back", error);
    } finally {
      await letGo(parts, folderId, lock);
    }
  }
  return ended;
}

function lastSuccessAt(parts: Parts, memoryDir: string): Instant | undefined {
  const { clock, stamps } = parts;
  const own = stamps.lastSuccessAt(folderIdOf(memoryDir));
  const hosts = hostsTime(parts, memoryDir);
  const host = hosts === undefined ? undefined : pastTime(hosts, clock.now());
  if (own === undefined || host === undefined) return own ?? host;
  return Math.max(own, host);
}

/** A lock somebody holds tells when that work began, not that any was done. */
function hostsTime(parts: Parts, memoryDir: string): Instant | undefined {
  const { clock, files, processes, records, stamps } = parts;
  const folder = openFolder(files, memoryDir);
  if (folder === undefined) return undefined;
  try {
    const facts = lookAtLock(folder);
    const record = records.read(folderIdOf(memoryDir));
    if (
      record !== undefined &&
      isOfRecord(facts, record) &&
      stamps.lastRun(folderIdOf(memoryDir)) !== record.run
    )
      return record.priorMs ?? undefined;
    if (heldUntil(facts, { processes, folder: folder.path, now: clock.now() }) !== undefined)
      return undefined;
    return facts?.mtimeMs;
  } catch (error) {
    // What lies there is no lock; taking it says so.
    if (error instanceof AppError) return undefined;
    throw error;
  } finally {
    folder.close();
  }
}

function warn({ emitter }: Parts, code: string, error: unknown): void {
  emitter.emit("warning:raised", { code, message: messageOf(error) });
}

function missing(memoryDir: string): AppError {
  return new AppError({
    code: "memory-missing",
    message: `${memoryDir} is not there: nothing to consolidate`,
  });
}

function lostError(memoryDir: string): AppError {
  return new AppError({
    code: "consolidation-lost",
    message: `another process works on ${memoryDir} now; nothing was written`,
    disposition: "retry",
  });
}
