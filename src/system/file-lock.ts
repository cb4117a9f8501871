// Exclusive locks through proper-lockfile, the only importer of it. Never throws from a timer, never removes a
// lock that came to belong to somebody else. Ages compare with the real wall clock, as the library's do; only waits
// go through the injected one.
import * as fs from "node:fs";
import { join } from "node:path";
import lockfile from "proper-lockfile";
import { AppError, systemCode } from "../domain/errors.ts";
import type { Clock } from "./clock.ts";
import { wait } from "./clock.ts";
import type { Files } from "./files.ts";
import { randomSuffix } from "./ids.ts";
import type { ProcessSpace } from "./process.ts";
import { isAlive, processSpace, startOf } from "./process.ts";

/** A lock whose heart-beat is older than this counts as abandoned (library default; its minimum is 2 s). */
const STALE_MS = 10_000;
/** The lock of the daemon is held for days, and each of its heart-beats wakes the machine. */
const INSTANCE_STALE_MS = 180_000;
const INSTANCE = "engramd";
/** A heart-beat further ahead than this was written under a wrong clock and counts as abandoned. */
const FUTURE_TOLERANCE_MS = 60_000;
const RETRY_MS = 250;
/**
 * How long a taken-over lock is watched before it is believed. Another process that saw the same abandoned lock
 * may still be about to remove it; its gap between that look and the removal is two system calls.
 */
const SETTLE_MS = 500;
/** Stray files (`.DS_Store`) removed from a lock folder; more than this is not a lock of ours. */
const STRAYS_MAX = 16;
const TOKEN_BYTES_MAX = 200;
/** A lock younger than this may be taken by somebody who has not written its token yet. */
const UNCLAIMED_MS = 1_000;
/** A first lock without any token is left after this: writing it takes no time, so its owner was killed in between. */
const TOKENLESS_MS = STALE_MS;

export interface Lock {
  /** False once another process may own the lock; asked again right before a commit. */
  held(): boolean;
  /** Aborts when the heart-beat finds the lock lost, up to half the stale time later than `held` tells. */
  readonly lost: AbortSignal;
  /** May be called twice. Leaves a lock alone that somebody else took over. */
  release(): Promise<void>;
}

export interface FileLocks {
  /**
   * Takes the lock named `name`, waiting up to `waitMs`. Undefined when another owner keeps it. A lock left by a
   * killed process is free after the stale time. The library's own take-over can give two owners, so a token
   * file decides in the end. Throws `lock-blocked` when something that is no lock has its place.
   */
  take(name: string, options: Patience): Promise<Lock | undefined>;
}

export interface Patience {
  readonly waitMs: number;
  /** Ends the wait when it aborts. */
  readonly wish?: AbortSignal | undefined;
}

export interface FileLocksOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Where locks live; made when missing. */
  readonly folder: string;
  /** For tests; at least 2,000. */
  readonly staleMs?: number;
  /** For tests. */
  readonly space?: () => ProcessSpace;
}

export function createFileLocks(options: FileLocksOptions): FileLocks {
  const space = options.space ?? (() => processSpace(options.files));
  return {
    take: (name, patience) =>
      take({ ...options, space, staleMs: options.staleMs ?? staleMsOf(name) }, name, patience),
  };
}

type Place = Required<FileLocksOptions>;

function staleMsOf(name: string): number {
  return name === INSTANCE ? INSTANCE_STALE_MS : STALE_MS;
}

async function take(place: Place, name: string, { waitMs, wish }: Patience): Promise<Lock | undefined> {
  const { files, clock, folder } = place;
  files.ensureFolder(folder);
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const lock = await tryOnce(place, join(folder, name));
    if (lock !== undefined) return lock;
    if (clock.monotonicMs() >= deadline || wish?.aborted === true) return undefined;
    await wait(clock, RETRY_MS, wish);
  }
}

async function tryOnce(place: Place, target: string): Promise<Lock | undefined> {
  const { files, clock, staleMs } = place;
  const lockPath = `${target}.lock`;
  mendForeignLock(place, { lockPath, ownerPath: `${target}.owner` });
  const lost = new AbortController();
  const owner = createOwner(place, `${target}.owner`);
  const folderOps = createFolderOps(place, owner);
  let release: () => Promise<void>;
  try {
    release = await lockfile.lock(target, {
      realpath: false,
      stale: staleMs,
      lockfilePath: lockPath,
      fs: folderOps.ops,
      // The default handler throws from a timer and kills the process.
      onCompromised: () => lost.abort(),
    });
  } catch (error) {
    if (systemCode(error) === "ELOCKED") return undefined;
    // Our new lock folder vanished under the library's first heart-beat: another process took it over.
    if (systemCode(error) === "ENOENT" && files.look(place.folder) !== undefined) return undefined;
    throw error;
  }
  const lock: Lock = {
    held: () => !lost.signal.aborted && files.look(lockPath) !== undefined && owner.isUs(),
    lost: lost.signal,
    release: () => releaseOnce(release),
  };
  folderOps.markTaken();
  let isHeld = false;
  try {
    owner.claim();
    if (folderOps.tookOver()) await wait(clock, SETTLE_MS);
    isHeld = lock.held();
  } finally {
    // Kept by mistake its heart-beat would go on, and nobody, not even this process, could ever take it again.
    if (!isHeld) await lock.release();
  }
  return isHeld ? lock : undefined;
}

async function releaseOnce(release: () => Promise<void>): Promise<void> {
  try {
    await release();
  } catch (error) {
    // Already released, or lost before: what was asked for is the case.
    if (!["ERELEASED", "ENOTACQUIRED"].includes(systemCode(error) ?? "")) throw error;
  }
}

interface Owner {
  /** Writes our token over whatever was there: the last to claim is the owner. */
  claim(): void;
  claimed(): boolean;
  isUs(): boolean;
}

/** The token file stays after a release: removing it could take the next owner's. */
function createOwner({ files, space }: Place, path: string): Owner {
  const { boot, ids, machine } = space();
  // Parts that are empty stay apart by their slashes.
  const token = `${process.pid} ${randomSuffix()}${randomSuffix()} ${boot}/${ids}/${machine}/${startOf(files, process.pid)}\n`;
  let claimed = false;
  return {
    claim() {
      if (files.look(path)?.kind === "folder") throw blocked(path);
      files.replace(path, token);
      claimed = true;
    },
    claimed: () => claimed,
    isUs: () => claimed && readOwner(files, path) === token,
  };
}

interface FolderOps {
  readonly ops: object;
  readonly markTaken: () => void;
  readonly tookOver: () => boolean;
}

/**
 * What the library removes lock folders with. Before we have the lock a removal is a take-over: the age is
 * looked at again right before it. Afterwards it is our release (or the end of the process): only our own goes.
 */
function createFolderOps(place: Place, owner: Owner): FolderOps {
  let taken = false;
  let tookOver = false;
  function rmdirSync(path: string): void {
    if (taken) {
      if (!owner.claimed() || isSurelyUs(owner)) removeLockFolder(place.files, path);
      return;
    }
    const facts = place.files.look(path);
    if (facts !== undefined && facts.mtimeMs >= Date.now() - place.staleMs) {
      throw Object.assign(new Error("taken over by another process"), { code: "ELOCKED" });
    }
    tookOver = true;
    removeLockFolder(place.files, path);
  }
  function rmdir(path: string, done: (error: unknown) => void): void {
    try {
      rmdirSync(path);
    } catch (error) {
      return done(error);
    }
    done(null);
  }
  const mkdir = (path: string, done: (error: unknown) => void) => fs.mkdir(path, { mode: 0o700 }, done);
  return {
    ops: { ...fs, mkdir, rmdir, rmdirSync, stat: statAtOnce, utimes: utimesAtOnce },
    markTaken: () => void (taken = true),
    tookOver: () => tookOver,
  };
}

type Done = (error: unknown, stats?: fs.Stats) => void;

/** Through Node's threads a heart-beat wakes the process three times instead of once. */
function statAtOnce(path: string, done: Done): void {
  let stats: fs.Stats;
  try {
    stats = fs.statSync(path);
  } catch (error) {
    return done(error);
  }
  done(null, stats);
}

function utimesAtOnce(path: string, atime: Date, mtime: Date, done: Done): void {
  try {
    fs.utimesSync(path, atime, mtime);
  } catch (error) {
    return done(error);
  }
  done(null);
}

/** One read that fails (no free descriptor) must not leave a released lock behind for its stale time. */
function isSurelyUs(owner: Owner): boolean {
  try {
    return owner.isUs();
  } catch {
    // Asked once more: a failure that lasts is thrown then.
    return owner.isUs();
  }
}

/** A file that strayed into a lock folder would keep it there for ever. */
function removeLockFolder(files: Files, path: string): void {
  try {
    fs.rmdirSync(path);
    return;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
  }
  const strays = files.names(path) ?? [];
  for (const name of strays.slice(0, STRAYS_MAX)) {
    if (files.look(join(path, name))?.kind === "file") files.remove(join(path, name));
  }
  try {
    fs.rmdirSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw blocked(path, error);
  }
}

interface LockPaths {
  readonly lockPath: string;
  readonly ownerPath: string;
}

/** A lock that is a plain file, or stamped in the future, never clears by itself; one of a dead owner need not age. */
function mendForeignLock(place: Place, { lockPath, ownerPath }: LockPaths): void {
  const { files, staleMs } = place;
  const facts = files.look(lockPath);
  if (facts === undefined) return;
  if (facts.kind === "file") return files.remove(lockPath);
  if (facts.kind !== "folder") throw blocked(lockPath);
  const ageMs = Date.now() - facts.mtimeMs;
  const isDead = ageMs <= staleMs && isLeft(place, { lockPath, ownerPath });
  if (isDead || ageMs < -FUTURE_TOLERANCE_MS) makeStale(files, { lockPath, at: Date.now() - 2 * staleMs });
}

function makeStale(files: Files, { lockPath, at }: { readonly lockPath: string; readonly at: number }): void {
  try {
    files.setModified(lockPath, at);
  } catch (error) {
    // Another user's.
    if (["EPERM", "EACCES"].includes(systemCode(error) ?? "")) throw blocked(lockPath, error);
    throw error;
  }
}

/** Whether whoever took the lock is dead: by the token, or because none was written, which takes no time. */
function isLeft(place: Pick<Place, "files" | "space">, paths: LockPaths): boolean {
  const { files } = place;
  if (files.look(paths.ownerPath) === undefined) {
    const taken = files.look(paths.lockPath);
    return taken !== undefined && Date.now() - taken.mtimeMs > TOKENLESS_MS;
  }
  return isClaimed(files, paths) && isOwnerDead(place, paths.ownerPath);
}

/**
 * Whether the token is that of whoever has the lock. One written after the folder was last touched is; else time tells
 * (the folder's own time of change is up to a second ahead at first, the library tries the disk with it).
 */
function isClaimed(files: Pick<Files, "look">, { lockPath, ownerPath }: LockPaths): boolean {
  const [lock, owner] = [files.look(lockPath), files.look(ownerPath)];
  if (lock === undefined) return false;
  return (owner !== undefined && owner.ctimeMs > lock.ctimeMs) || Date.now() - lock.mtimeMs > UNCLAIMED_MS;
}

interface LockName {
  readonly folder: string;
  readonly name: string;
}

/** Whether a lock of this name lies there that nobody holds any more. Changes nothing; `take` clears it. */
export function isAbandonedLock(files: Files, { folder, name }: LockName): boolean {
  const facts = files.look(join(folder, `${name}.lock`));
  if (facts === undefined) return false;
  if (facts.kind !== "folder") return facts.kind === "file";
  const ageMs = Date.now() - facts.mtimeMs;
  if (ageMs > staleMsOf(name) || ageMs < -FUTURE_TOLERANCE_MS) return true;
  const space = () => processSpace(files);
  const paths = { lockPath: join(folder, `${name}.lock`), ownerPath: join(folder, `${name}.owner`) };
  return isLeft({ files, space }, paths);
}

/** Dead is who ran in an earlier boot of this machine, or whose id nobody, or somebody else, has in the space it was given in. */
function isOwnerDead({ files, space }: Pick<Place, "files" | "space">, ownerPath: string): boolean {
  const { pid, boot, ids, machine, start } = readToken(files, ownerPath);
  const here = space();
  if (machine === undefined || machine !== here.machine) return false;
  if (boot !== here.boot) return boot !== "" && here.boot !== "" && machine !== "";
  if (ids !== here.ids || ids === "" || `${boot}${machine}` === "") return false;
  return !isAlive(pid) || isAnother(files, { pid, start });
}

/** The living process that took this lock last; undefined where its id is unknown or means nothing here. */
export function lockOwner(files: Files, { folder, name }: LockName): number | undefined {
  const ownerPath = join(folder, `${name}.owner`);
  const space = () => processSpace(files);
  const { pid, ids, machine } = readToken(files, ownerPath);
  const isKnown = ids !== "" && ids === space().ids && machine === space().machine;
  return isKnown && isAlive(pid) && !isOwnerDead({ files, space }, ownerPath) ? pid : undefined;
}

interface Token {
  readonly pid: number;
  readonly boot: string | undefined;
  readonly ids: string | undefined;
  readonly machine: string | undefined;
  readonly start: string;
}

/** What is no token of ours, whatever lies there, names nobody. */
function readToken(files: Pick<Files, "read">, path: string): Token {
  const [pid, , where = ""] = readOwner(files, path).trim().split(" ");
  const [boot, ids, machine, start = ""] = where.split("/");
  return { pid: Number(pid), boot, ids, machine, start };
}

/** "" for what is too long, no file, or another user's: it names nobody, and the next claim replaces it. */
function readOwner(files: Pick<Files, "read">, path: string): string {
  try {
    return files.read(path, TOKEN_BYTES_MAX)?.toString() ?? "";
  } catch (error) {
    if (error instanceof AppError || systemCode(error) === "EACCES") return "";
    throw error;
  }
}

/** The id was given to somebody else since. */
function isAnother(
  files: Pick<Files, "openRead">,
  { pid, start }: { readonly pid: number; readonly start: string },
): boolean {
  const now = start === "" ? "" : startOf(files, pid);
  return now !== "" && now !== start;
}

function blocked(path: string, cause?: unknown): AppError {
  return new AppError({
    code: "lock-blocked",
    message: `${path} is in the place of a lock and cannot be removed`,
    fix: "look at it and remove it by hand",
    disposition: "retry",
    cause,
  });
}
