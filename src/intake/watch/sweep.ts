// Walks folders and tells which files differ from what is known: the repair for every lost event. One walk is
// a chain of short synchronous slices. Never opens a file, never follows a link below a root.
import { systemCode } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { Clock } from "../../system/clock.ts";
import type { FileFacts, FileStat, Files, FolderEntry } from "../../system/files.ts";
import { factsOf } from "../../system/files.ts";

export interface SweepRoot {
  /** Absolute path; the root itself may be a link, as a person may have moved it. */
  readonly path: string;
  /** Levels of folders below the root that are entered; 0 looks at the root's own files only. */
  readonly depth: number;
}

/** What is remembered of a file since it was last looked at. */
export type Remembered = Pick<FileFacts, "bytes" | "mtimeMs" | "ctimeMs">;

export interface SweepRequest {
  readonly roots: readonly SweepRoot[];
  /**
   * Asked of every regular file before it is looked at: what is remembered of it, `"new"` for one that is
   * wanted and unknown, undefined for one that is of no interest.
   */
  readonly recall: (path: string) => Remembered | "new" | undefined;
  /** A wanted file that is new, or not as remembered. */
  readonly onDiffer: (path: string, facts: FileFacts) => void;
  /** Told of every folder that could be listed, roots included, before its files. */
  readonly onFolder?: (path: string) => void;
  /** An aborted sweep ends at the next entry and says so. */
  readonly signal: AbortSignal;
}

export interface SweepResult {
  /** Regular files, wanted or not. */
  readonly files: number;
  readonly folders: number;
  readonly changed: number;
  /** Names that are not valid UTF-8 and so cannot be opened by name. */
  readonly unreadableNames: number;
  /** Folders and files the system refused to show (permissions, too many open files). */
  readonly refused: number;
  readonly missingRoots: number;
  /** The bound on entries was reached: the rest was not looked at. */
  readonly cut: boolean;
  readonly aborted: boolean;
  /** Time spent inside slices, an upper bound of the CPU time. */
  readonly cpuMs: number;
}

export interface SweepLimits {
  readonly sweepSliceMs: number;
  readonly sweepEntriesMax: number;
}

export interface SweepDeps {
  readonly files: Pick<Files, "entries" | "stat" | "follow">;
  readonly clock: Clock;
  /** Default: `WATCH_LIMITS`. */
  readonly limits?: SweepLimits;
}

export interface Sweep {
  run(request: SweepRequest): Promise<SweepResult>;
}

export function createSweep(deps: SweepDeps): Sweep {
  return { run: (request) => run(deps, request) };
}

/**
 * Pause until the next sweep, so that sweeping takes at most its share of one core; the shortest pause while
 * events cannot be trusted.
 */
export function sweepEveryMs(last: { readonly lastCpuMs: number; readonly degraded: boolean }): number {
  const { sweepMinMs, sweepMaxMs, sweepCpuShare } = WATCH_LIMITS;
  if (last.degraded) return sweepMinMs;
  return Math.min(sweepMaxMs, Math.max(sweepMinMs, last.lastCpuMs / sweepCpuShare));
}

/**
 * Whether a file is as remembered: three numbers, as this runs for every file of every sweep. A file that took
 * another's name shows by its change time, which the kernel sets and nobody can set back.
 */
function isSame(remembered: Remembered, stat: FileStat): boolean {
  return (
    remembered.ctimeMs === stat.ctimeMs &&
    remembered.mtimeMs === stat.mtimeMs &&
    remembered.bytes === stat.size
  );
}

/** What a name that is not UTF-8 is decoded to; such a path then leads nowhere. */
const REPLACEMENT_CHARACTER = "\uFFFD";

/** Entries between two looks at the clock, which costs a tenth of an entry: about 0.3 ms of work. */
const ENTRIES_A_STEP = 32;

type Tally = { -readonly [K in keyof SweepResult]: SweepResult[K] };

/** The entries of the folder the walk is in. */
interface Listing {
  /** The folder's path with a slash at its end. */
  readonly prefix: string;
  /** Levels below the folder that are still entered. */
  readonly depth: number;
  readonly entries: readonly FolderEntry[];
}

const NOWHERE: Listing = { prefix: "", depth: 0, entries: [] };

/** A walk that can be left after any step and taken up again. */
interface Walk {
  readonly files: SweepDeps["files"];
  readonly request: SweepRequest;
  readonly tally: Tally;
  /** Folders not yet entered. */
  readonly pending: SweepRoot[];
  current: Listing;
  /** Entries of the current folder that were visited. */
  visited: number;
  /** Entries that may still be visited in all. */
  allowed: number;
}

async function run({ files, clock, limits = WATCH_LIMITS }: SweepDeps, request: SweepRequest) {
  const walk = startWalk(files, request, limits.sweepEntriesMax);
  const { tally } = walk;
  for (;;) {
    const startedMs = clock.monotonicMs();
    const endMs = startedMs + limits.sweepSliceMs;
    let done = false;
    let nowMs = startedMs;
    while (!done && !request.signal.aborted && nowMs < endMs) {
      done = step(walk);
      nowMs = clock.monotonicMs();
    }
    tally.cpuMs += nowMs - startedMs;
    tally.aborted = !done && request.signal.aborted;
    if (done || tally.aborted) return tally;
    await clock.yield();
  }
}

function startWalk(files: SweepDeps["files"], request: SweepRequest, entriesMax: number): Walk {
  const tally: Tally = {
    files: 0,
    folders: 0,
    changed: 0,
    unreadableNames: 0,
    refused: 0,
    missingRoots: 0,
    cut: false,
    aborted: false,
    cpuMs: 0,
  };
  const walk: Walk = {
    files,
    request,
    tally,
    pending: [],
    current: NOWHERE,
    visited: 0,
    allowed: entriesMax,
  };
  for (const root of request.roots) {
    const facts = ask(walk, () => files.follow(root.path));
    if (facts?.kind === "folder") walk.pending.push(root);
    else tally.missingRoots++;
  }
  return walk;
}

/** Visits a few entries; true once nothing is left. Runs for every file of every sweep and makes no closure. */
function step(walk: Walk): boolean {
  for (let count = 0; count < ENTRIES_A_STEP; count++) {
    const entry = walk.current.entries[walk.visited];
    if (entry === undefined) {
      const folder = walk.pending.pop();
      if (folder === undefined) return true;
      enter(walk, folder);
    } else if (walk.allowed === 0) {
      walk.tally.cut = true;
      return true;
    } else {
      walk.allowed--;
      walk.visited++;
      visit(walk, entry);
    }
  }
  return false;
}

function enter(walk: Walk, { path, depth }: SweepRoot): void {
  walk.visited = 0;
  walk.current = NOWHERE;
  let entries: FolderEntry[] | undefined;
  try {
    entries = walk.files.entries(path);
  } catch (error) {
    return refuse(walk.tally, error);
  }
  if (entries === undefined) return passOver(walk.tally, path);
  walk.tally.folders++;
  walk.request.onFolder?.(path);
  walk.current = { prefix: path.endsWith("/") ? path : `${path}/`, depth, entries };
}

/** A regular file is compared, a folder is kept for later, everything else is passed over. */
function visit(walk: Walk, entry: FolderEntry): void {
  const { prefix, depth } = walk.current;
  const path = prefix + entry.name;
  if (entry.isFile()) visitFile(walk, path);
  else if (depth > 0 && entry.isDirectory()) walk.pending.push({ path, depth: depth - 1 });
}

function visitFile({ files, request, tally }: Walk, path: string): void {
  const remembered = request.recall(path);
  tally.files++;
  if (remembered === undefined) return;
  let stat: FileStat | undefined;
  try {
    stat = files.stat(path);
  } catch (error) {
    return refuse(tally, error);
  }
  if (stat === undefined) return passOver(tally, path);
  if (remembered !== "new" && isSame(remembered, stat)) return;
  // It may have become something else since its folder was listed.
  if (!stat.isFile()) return;
  tally.changed++;
  request.onDiffer(path, factsOf(stat));
}

/** Gone since its folder was listed, or never to be had under the name it was listed with. */
function passOver(tally: Tally, path: string): void {
  if (path.includes(REPLACEMENT_CHARACTER)) tally.unreadableNames++;
}

function ask<T>({ tally }: Walk, question: () => T): T | undefined {
  try {
    return question();
  } catch (error) {
    return refuse(tally, error);
  }
}

/** What the system will not show must not end the sweep of the rest. */
function refuse(tally: Tally, error: unknown): undefined {
  if (systemCode(error) === undefined) throw error;
  tally.refused++;
}
