// Walks folders and tells which files differ from what is known: the repair for every lost event. One walk is
// a chain of short synchronous slices. Never opens a file, never follows a link below a root.
import { systemCode } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { Clock } from "../../system/clock.ts";
import type { FileFacts, Files } from "../../system/files.ts";

export interface SweepRoot {
  /** Absolute path; the root itself may be a link, as a person may have moved it. */
  readonly path: string;
  /** Levels of folders below the root that are entered; 0 looks at the root's own files only. */
  readonly depth: number;
}

export interface SweepRequest {
  readonly roots: readonly SweepRoot[];
  /** Whether these facts are what is already known of the path. Asked for every regular file. */
  readonly isKnown: (path: string, facts: FileFacts) => boolean;
  readonly onDiffer: (path: string, facts: FileFacts) => void;
  /** Told of every folder that is entered, roots included, before its files. */
  readonly onFolder?: (path: string, facts: FileFacts) => void;
  /** An aborted sweep ends at the next entry and says so. */
  readonly signal: AbortSignal;
}

export interface SweepResult {
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
  readonly files: Pick<Files, "names" | "look" | "follow">;
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

/** What a name that is not UTF-8 is decoded to; such a path then leads nowhere. */
const REPLACEMENT_CHARACTER = "\uFFFD";

/** Entries between two looks at the clock, which costs a tenth of an entry: about 0.3 ms of work. */
const ENTRIES_A_STEP = 32;

type Tally = { -readonly [K in keyof SweepResult]: SweepResult[K] };

interface Walk {
  readonly files: SweepDeps["files"];
  readonly request: SweepRequest;
  readonly tally: Tally;
  readonly entriesMax: number;
  entries: number;
}

async function run({ files, clock, limits = WATCH_LIMITS }: SweepDeps, request: SweepRequest) {
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
  const steps = walk({ files, request, tally, entriesMax: limits.sweepEntriesMax, entries: 0 });
  for (;;) {
    const startedMs = clock.monotonicMs();
    const endMs = startedMs + limits.sweepSliceMs;
    let done = false;
    let nowMs = startedMs;
    while (!done && !request.signal.aborted && nowMs < endMs) {
      done = steps.next().done === true;
      nowMs = clock.monotonicMs();
    }
    tally.cpuMs += nowMs - startedMs;
    tally.aborted = !done && request.signal.aborted;
    if (done || tally.aborted) return tally;
    await clock.yield();
  }
}

/** Yields after every few entries, so that the caller can end a slice there. */
function* walk(state: Walk): Generator<void> {
  const { files, request, tally } = state;
  for (const root of request.roots) {
    const facts = ask(state, () => files.follow(root.path));
    if (facts?.kind !== "folder") {
      tally.missingRoots++;
      continue;
    }
    const pending = [{ path: root.path, depth: root.depth, facts }];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      const { path, depth } = folder;
      tally.folders++;
      request.onFolder?.(path, folder.facts);
      for (const name of ask(state, () => files.names(path)) ?? []) {
        if (++state.entries > state.entriesMax) {
          tally.cut = true;
          return;
        }
        const entry = visit(state, path, name);
        if (entry !== undefined && depth > 0)
          pending.push({ path: entry.path, facts: entry.facts, depth: depth - 1 });
        if (state.entries % ENTRIES_A_STEP === 0) yield;
      }
    }
  }
}

/**
 * Looks at one entry: a regular file is compared, a folder is answered, everything else is passed over. Runs
 * once per file of every sweep, so it makes no closure and no path by `join`.
 */
function visit(state: Walk, folder: string, name: string): { path: string; facts: FileFacts } | undefined {
  const { request, tally } = state;
  const path = folder.endsWith("/") ? folder + name : `${folder}/${name}`;
  let facts: FileFacts | undefined;
  try {
    facts = state.files.look(path);
  } catch (error) {
    return refuse(tally, error);
  }
  if (facts === undefined) {
    if (name.includes(REPLACEMENT_CHARACTER)) tally.unreadableNames++;
  } else if (facts.kind === "folder") {
    return { path, facts };
  } else if (facts.kind === "file") {
    tally.files++;
    if (!request.isKnown(path, facts)) {
      tally.changed++;
      request.onDiffer(path, facts);
    }
  }
  return undefined;
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
