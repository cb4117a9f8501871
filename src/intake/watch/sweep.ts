// Walks folders and tells which files differ from what is known: the repair for every lost event. One walk is
// a chain of short synchronous slices. Never opens a file, never follows a link below a root.
import { systemCode } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { Clock } from "../../system/clock.ts";
import type { FileFacts, FileStat, Files, FolderEntry } from "../../system/files.ts";
import { factsOf } from "../../system/files.ts";
import type { FolderNote } from "./folder-notes.ts";
import type { Draft, FolderSeen, Noting } from "./noting.ts";
import { finishDraft, isAsNoted, noteInside, rootNote, startDraft } from "./noting.ts";

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
  /** Given: folders are noted, and passed by where they are as noted. */
  readonly noting?: Noting;
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

/** A folder to be entered. */
interface Pending extends SweepRoot {
  readonly note?: FolderNote | undefined;
  /** Of a root, which was looked at already. */
  readonly seen?: FolderSeen | undefined;
}

/** The entries of the folder the walk is in. */
interface Listing {
  /** The folder's path with a slash at its end. */
  readonly prefix: string;
  /** Levels below the folder that are still entered. */
  readonly depth: number;
  readonly entries: readonly FolderEntry[];
  readonly draft: Draft | undefined;
}

const NOWHERE: Listing = { prefix: "", depth: 0, entries: [], draft: undefined };

/** A walk that can be left after any step and taken up again. */
interface Walk {
  readonly files: SweepDeps["files"];
  readonly request: SweepRequest;
  readonly tally: Tally;
  /** Wall time before anything was listed. */
  readonly startedAtMs: number;
  /** Folders not yet entered. */
  readonly pending: Pending[];
  current: Listing;
  /** Entries of the current folder that were visited. */
  visited: number;
  /** Entries that may still be visited in all. */
  allowed: number;
  /** Files that were wanted so far. */
  wanted: number;
  /** Folders that were not listed, as they are as noted. */
  readonly passedBy: Set<string>;
  /** After the listings: the known files these showed, and how many of all known ones were looked through. */
  listed: ReadonlySet<string> | undefined;
  looked: number;
}

async function run({ files, clock, limits = WATCH_LIMITS }: SweepDeps, request: SweepRequest) {
  const walk = startWalk({ files, request, startedAtMs: clock.now(), allowed: limits.sweepEntriesMax });
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

function startWalk(start: Pick<Walk, "files" | "request" | "startedAtMs" | "allowed">): Walk {
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
    ...start,
    tally,
    pending: [],
    current: NOWHERE,
    visited: 0,
    wanted: 0,
    passedBy: new Set(),
    listed: undefined,
    looked: 0,
  };
  for (const root of walk.request.roots) {
    const facts = ask(walk, () => walk.files.follow(root.path));
    const { noting } = walk.request;
    if (facts?.kind !== "folder") tally.missingRoots++;
    else if (noting === undefined) walk.pending.push(root);
    else walk.pending.push({ ...root, note: rootNote(noting, root), seen: facts });
  }
  return walk;
}

/** Visits a few entries; true once nothing is left. Runs for every file of every sweep and makes no closure. */
function step(walk: Walk): boolean {
  for (let count = 0; count < ENTRIES_A_STEP; count++) {
    const entry = walk.current.entries[walk.visited];
    if (entry === undefined) {
      if (walk.current.draft !== undefined) leave(walk, walk.current.draft);
      const folder = walk.pending.pop();
      if (folder === undefined) return lookAtKnown(walk);
      walk.visited = 0;
      walk.current = NOWHERE;
      if (folder.note === undefined) list(walk, folder);
      else enterNoted(walk, folder, folder.note);
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

/** Lists the folder unless it is as noted. */
function enterNoted(walk: Walk, { path, depth, seen: given }: Pending, note: FolderNote): void {
  const { noting } = walk.request;
  const seen = given ?? lookAtFolder(walk.files, path);
  if (noting === undefined || seen === undefined || !isAsNoted(note, seen))
    return list(walk, { path, depth, note, seen });
  walk.tally.folders++;
  walk.tally.files += note.files;
  noting.missing += note.wanted;
  walk.passedBy.add(path);
  walk.request.onFolder?.(path);
  const { folders } = note;
  for (let at = 0; at < folders.length; at++) {
    const inside = folders[at];
    if (inside !== undefined)
      walk.pending.push({ path: prefixOf(path) + inside.name, depth: depth - 1, note: inside });
  }
}

function prefixOf(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/** Whatever is wrong with a folder shows when it is listed. */
function lookAtFolder(files: SweepDeps["files"], path: string): FolderSeen | undefined {
  try {
    const stat = files.stat(path);
    if (stat === undefined || !stat.isDirectory()) return undefined;
    return { ctimeMs: stat.ctimeMs, mtimeMs: stat.mtimeMs };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function list(walk: Walk, { path, depth, note, seen }: Pending): void {
  let entries: FolderEntry[] | undefined;
  try {
    entries = walk.files.entries(path);
  } catch (error) {
    return refuse(walk.tally, error);
  }
  if (entries === undefined) return passOver(walk.tally, path);
  const { tally, wanted } = walk;
  tally.folders++;
  walk.request.onFolder?.(path);
  const draft = note && startDraft({ note, seen, files: tally.files, wanted });
  walk.current = { prefix: prefixOf(path), depth, entries, draft };
}

function leave(walk: Walk, draft: Draft): void {
  const { current, request, tally, wanted, startedAtMs } = walk;
  const { entries } = current;
  walk.current = NOWHERE;
  if (request.noting !== undefined)
    finishDraft(request.noting, draft, { entries, files: tally.files, wanted, startedAtMs });
}

/** A regular file is compared, a folder is kept for later, everything else is passed over. */
function visit(walk: Walk, entry: FolderEntry): void {
  const { prefix, depth, draft } = walk.current;
  const path = prefix + entry.name;
  if (entry.isFile()) visitFile(walk, path);
  else if (depth > 0 && entry.isDirectory()) {
    const note = draft === undefined ? undefined : noteInside(draft, entry.name);
    walk.pending.push({ path, depth: depth - 1, note });
  }
}

function visitFile(walk: Walk, path: string): void {
  const { files, request, tally } = walk;
  const remembered = request.recall(path);
  tally.files++;
  if (remembered === undefined) return;
  walk.wanted++;
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

/**
 * Looks at a few of the known files that no listing showed; true once nothing is left. Nothing is called in this loop
 * but the look itself: each function in it would be compiled on its own, which costs more than 10,000 files give back.
 */
function lookAtKnown(walk: Walk): boolean {
  const { files, tally } = walk;
  const { noting } = walk.request;
  if (noting === undefined) return true;
  const { known, met } = noting;
  const listed = (walk.listed ??= new Set(met));
  const areListed = listed.size > 0;
  const end = Math.min(walk.looked + ENTRIES_A_STEP, known.length);
  for (let at = walk.looked; at < end; at++) {
    const file = known[at];
    if (file === undefined || (areListed && listed.has(file.path))) continue;
    let stat: FileStat | undefined;
    try {
      stat = files.stat(file.path);
    } catch (error) {
      refuse(tally, error);
    }
    if (stat === undefined) continue;
    if (stat.ctimeMs === file.ctimeMs && stat.mtimeMs === file.mtimeMs && stat.size === file.bytes) {
      met.push(file.path);
      noting.missing--;
    } else tellKnown(walk, file.path, stat);
  }
  walk.looked = end;
  return end === known.length;
}

/** A path may lead through a link by now, or where no walk goes: it counts only in a folder that was passed by. */
function tellKnown({ request, tally, passedBy }: Walk, path: string, stat: FileStat): void {
  if (request.noting === undefined || !stat.isFile()) return;
  if (!passedBy.has(path.slice(0, path.lastIndexOf("/")))) return;
  request.noting.missing--;
  // An event may have told of it since the walk began.
  const remembered = request.recall(path);
  if (remembered === undefined || (remembered !== "new" && isSame(remembered, stat))) return;
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
