// One round over everything on disk: the stat sweep, what it found, and what vanished. The start, the paced
// repeat and `sync` are the same round; the disk is the truth, events are only hints.
import { messageOf, systemCode } from "../../domain/errors.ts";
import type { Files } from "../../system/files.ts";
import type { Emitter } from "../../system/emitter.ts";
import { isInside } from "../../system/paths.ts";
import { unreadBytes } from "../transcripts/cursors.ts";
import { CRASHES_MAX } from "../transcripts/read-guard.ts";
import type { Catalog } from "./catalog.ts";
import type { FolderNotes, RootNotes } from "./folder-notes.ts";
import type { Growth, Noticed } from "./growth.ts";
import type { Noting } from "./noting.ts";
import { startNoting } from "./noting.ts";
import type { Sweep, SweepResult, SweepRoot } from "./sweep.ts";

export interface RoundsDeps {
  readonly sweep: Sweep;
  readonly files: Files;
  readonly catalog: Catalog;
  readonly growth: Pick<Growth, "look" | "schedule"> & Partial<Pick<Growth, "rescue">>;
  readonly emitter: Emitter;
  readonly notes: FolderNotes;
}

export interface Round {
  readonly result: SweepResult;
  readonly noticed: readonly Noticed[];
  /** Unread bytes that went with files deleted before they were read. */
  readonly lostBytes: number;
}

export interface Rounds {
  /** Folders that can hold sessions directly, with or without any, as the walks last saw them. */
  sessionFolders(): ReadonlySet<string>;
  /**
   * A round over everything. Unless `listAll`, the first one of a process passes by folders that are as noted; what a
   * note may hide is found by the next round. Rejects only for a failing disk of our own.
   */
  run(signal: AbortSignal, options?: { readonly listAll?: boolean }): Promise<Round>;
  /** The files directly in one folder and one level below, after an event named it. */
  lookInto(folder: string, signal: AbortSignal): Promise<readonly Noticed[]>;
}

const SET_ASIDE = "source-set-aside";

function setAsideMessage(path: string): string {
  return `reading ${path} ended engramd ${CRASHES_MAX} times: it is passed over until "engramd sync --backfill all"`;
}

/** What rounds have in common. */
interface State extends RoundsDeps {
  readonly rootPaths: ReadonlySet<string>;
  /** No root lies in another one. */
  readonly apart: boolean;
  sessionFolders: Set<string>;
  isFirst: boolean;
}

export function createRounds(deps: RoundsDeps): Rounds {
  const { roots } = deps.catalog;
  const rootPaths = new Set(roots.map((root) => root.path));
  const state: State = {
    ...deps,
    rootPaths,
    apart: areApart(roots),
    sessionFolders: new Set(),
    isFirst: true,
  };
  return {
    sessionFolders: () => state.sessionFolders,
    run: (signal, { listAll = false } = {}) => run(state, signal, listAll),
    async lookInto(folder, signal) {
      const { noticed } = await walk(state, { roots: [{ path: folder, depth: 1 }], signal });
      return noticed;
    },
  };
}

async function run(state: State, signal: AbortSignal, listAll: boolean): Promise<Round> {
  const { catalog, emitter } = state;
  const trusts = state.isFirst && !listAll;
  state.isFirst = false;
  state.sessionFolders = new Set();
  for (const path of catalog.recheck())
    emitter.emit("warning:raised", { code: SET_ASIDE, message: setAsideMessage(path) });
  const { result, noticed, sight, noting } = await walkAll(state, signal, trusts);
  const complete = !result.aborted && !result.cut && result.refused === 0;
  const lostBytes = complete ? dropVanished(state, sight) : 0;
  const rescued = result.aborted ? [] : (state.growth.rescue?.() ?? []);
  catalog.flush();
  if (complete && noting?.changed === true) saveNotes(state, noting);
  emitter.emit("sweep:finished", { files: result.files, changed: result.changed, ms: result.cpuMs });
  return { result, noticed: [...noticed, ...rescued], lostBytes };
}

interface Walked {
  readonly result: SweepResult;
  readonly noticed: readonly Noticed[];
  readonly sight: Sight;
  readonly noting: Noting | undefined;
}

/** Everything is listed as soon as anything does not add up; what was found until then stays found. */
async function walkAll(state: State, signal: AbortSignal, trusts: boolean): Promise<Walked> {
  const { catalog, notes, apart } = state;
  const { roots } = catalog;
  const isTurn = notes.isTurn();
  // A file in two roots would be met twice, the second time with the facts it had before the first.
  const noted: RootNotes = trusts && apart ? notes.load() : new Map();
  let first: Walked | undefined;
  if (noted.size > 0) {
    first = await walk(state, { roots, signal, noting: startNoting(noted, [...catalog.states()]) });
    if (first.result.aborted || addsUp(first)) return first;
  }
  const all = await walk(
    state,
    isTurn && apart ? { roots, signal, noting: startNoting(new Map(), []) } : { roots, signal },
  );
  return first === undefined ? all : joined(first, all);
}

interface WalkAsk {
  readonly roots: readonly SweepRoot[];
  readonly signal: AbortSignal;
  readonly noting?: Noting;
}

async function walk(state: State, ask: WalkAsk): Promise<Walked> {
  const { sweep, catalog, growth, rootPaths, apart } = state;
  const noticed: Noticed[] = [];
  const sight: Sight = { known: ask.noting?.met ?? [], differing: [], roots: new Set(), apart };
  const result = await sweep.run({
    ...ask,
    recall(path) {
      const known = catalog.recall(path);
      // The cursor's own string: the walk's one would be kept for nothing.
      if (known !== undefined && known !== "new") sight.known.push(known.path);
      return known;
    },
    onDiffer(path, facts) {
      sight.differing.push(path);
      const found = growth.look(path, facts);
      if (found !== undefined) noticed.push(found);
    },
    onFolder(path) {
      if (rootPaths.has(path)) sight.roots.add(path);
      if (rootPaths.has(path.slice(0, path.lastIndexOf("/")))) state.sessionFolders.add(path);
    },
  });
  return { result, noticed, sight, noting: ask.noting };
}

/** Cursors may have been lost, or belong to folders nobody walks any more. */
function addsUp({ result, noting }: Walked): boolean {
  return noting?.missing === 0 && result.refused === 0 && !result.cut;
}

function joined(first: Walked, all: Walked): Walked {
  return {
    result: {
      ...all.result,
      changed: first.result.changed + all.result.changed,
      cpuMs: first.result.cpuMs + all.result.cpuMs,
    },
    noticed: [...first.noticed, ...all.noticed],
    sight: all.sight,
    noting: all.noting,
  };
}

/** Without notes the next start lists everything, nothing else. */
function saveNotes({ notes, emitter }: RoundsDeps, noting: Noting): void {
  try {
    notes.save(noting.notes);
  } catch (error) {
    emitter.emit("warning:raised", { code: "folders-not-noted", message: messageOf(error) });
  }
}

/** What a walk met. */
interface Sight {
  /** Paths known before. No set, as adding to one costs as much as the lookup that found the path. */
  readonly known: string[];
  /** Paths new or not as remembered. One seen for the first time is here: a session that moved is not lost. */
  readonly differing: string[];
  readonly roots: Set<string>;
  /** No path is met twice: as many as are known are all that are known. */
  readonly apart: boolean;
}

/** A root that is named twice, or lies in another one, shows its files twice. */
function areApart(roots: readonly { readonly path: string }[]): boolean {
  return roots.every(({ path }, at) =>
    roots.every((other, otherAt) => at === otherAt || !isInside(path, other.path)),
  );
}

/** A root that is gone as a whole keeps its cursors: it may only have been moved for a while. */
function dropVanished({ catalog, emitter, files }: RoundsDeps, sight: Sight): number {
  const { known, differing, roots, apart } = sight;
  if (apart && known.length === catalog.size) return 0;
  const present = new Set([...known, ...differing]);
  const alive = new Map<string, string>();
  const gone: { path: string; session: string; agent: string; bytes: number }[] = [];
  for (const { source, state } of catalog.entries()) {
    if (present.has(state.path)) alive.set(state.sessionId, state.path);
    else if (roots.has(source.root.path)) {
      gone.push({
        path: state.path,
        session: state.sessionId,
        agent: source.agent,
        bytes: unreadBytes(state),
      });
    }
  }
  let lostBytes = 0;
  for (const { path, session, agent, bytes } of gone) {
    // A name the walk could not show may still be there.
    if (mayBeThere(files, path)) continue;
    const moved = alive.get(session);
    if (moved !== undefined) catalog.inherit(moved, path);
    catalog.vanished(path);
    if (moved !== undefined || bytes === 0) continue;
    lostBytes += bytes;
    emitter.emit("transcript:vanished", { agent, path, unreadBytes: bytes });
  }
  return lostBytes;
}

/** What cannot be looked at is not known to be gone: its folder may have become a link to itself. */
function mayBeThere(files: Files, path: string): boolean {
  try {
    return files.look(path) !== undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
}
