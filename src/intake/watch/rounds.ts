// One round over everything on disk: the stat sweep, what it found, and what vanished. The start, the paced
// repeat and `sync` are the same round; the disk is the truth, events are only hints.
import type { Files } from "../../system/files.ts";
import type { Emitter } from "../../system/emitter.ts";
import { isInside } from "../../system/paths.ts";
import { unreadBytes } from "../transcripts/cursors.ts";
import { CRASHES_MAX } from "../transcripts/read-guard.ts";
import type { Catalog } from "./catalog.ts";
import type { Growth, Noticed } from "./growth.ts";
import type { Sweep, SweepResult } from "./sweep.ts";

export interface RoundsDeps {
  readonly sweep: Sweep;
  readonly files: Files;
  readonly catalog: Catalog;
  readonly growth: Growth;
  readonly emitter: Emitter;
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
  /** A full round. Rejects only for a failing disk of our own. */
  run(signal: AbortSignal): Promise<Round>;
  /** The files directly in one folder and one level below, after an event named it. */
  lookInto(folder: string, signal: AbortSignal): Promise<readonly Noticed[]>;
}

const SET_ASIDE = "source-set-aside";

function setAsideMessage(path: string): string {
  return `reading ${path} ended engramd ${CRASHES_MAX} times: it is passed over until "engramd sync --backfill all"`;
}

export function createRounds(deps: RoundsDeps): Rounds {
  const { sweep, catalog, growth } = deps;
  const rootPaths = new Set(catalog.roots.map((root) => root.path));
  const apart = areApart(catalog.roots);
  let sessionFolders = new Set<string>();

  async function walk(roots: readonly { path: string; depth: number }[], signal: AbortSignal) {
    const noticed: Noticed[] = [];
    const sight: Sight = { known: [], differing: [], roots: new Set(), apart };
    const result = await sweep.run({
      roots,
      signal,
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
        if (rootPaths.has(path.slice(0, path.lastIndexOf("/")))) sessionFolders.add(path);
      },
    });
    return { result, noticed, sight };
  }

  return {
    sessionFolders: () => sessionFolders,
    async run(signal) {
      sessionFolders = new Set();
      for (const path of catalog.recheck())
        deps.emitter.emit("warning:raised", { code: SET_ASIDE, message: setAsideMessage(path) });
      const { result, noticed, sight } = await walk(catalog.roots, signal);
      const complete = !result.aborted && !result.cut && result.refused === 0;
      const lostBytes = complete ? dropVanished(deps, sight) : 0;
      catalog.flush();
      deps.emitter.emit("sweep:finished", { files: result.files, changed: result.changed, ms: result.cpuMs });
      return { result, noticed, lostBytes };
    },
    async lookInto(folder, signal) {
      const { noticed } = await walk([{ path: folder, depth: 1 }], signal);
      return noticed;
    },
  };
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
    if (files.look(path) !== undefined) continue;
    const moved = alive.get(session);
    if (moved !== undefined) catalog.inherit(moved, path);
    catalog.vanished(path);
    if (moved !== undefined || bytes === 0) continue;
    lostBytes += bytes;
    emitter.emit("transcript:vanished", { agent, path, unreadBytes: bytes });
  }
  return lostBytes;
}
