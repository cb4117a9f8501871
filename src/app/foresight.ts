// The sessions of the last days as if nobody had read them, for an estimate. Reads transcripts and remembers nothing:
// the cursors the daemon lives by are neither used nor moved, and nothing is written.
import type { Instant } from "../domain/records.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Cursors, SourceState } from "../intake/transcripts/cursors.ts";
import type { TranscriptFormat, WatchRoot } from "../intake/transcripts/format.ts";
import type { Seen } from "../intake/transcripts/lineage.ts";
import { openSeen } from "../intake/transcripts/lineage.ts";
import type { ReadGuard } from "../intake/transcripts/read-guard.ts";
import type { CatalogEntry } from "../intake/watch/catalog.ts";
import { createCatalog } from "../intake/watch/catalog.ts";
import { createScripts } from "../intake/watch/scripts.ts";
import { createSweep } from "../intake/watch/sweep.ts";
import type { Files } from "../system/files.ts";
import type { Ground } from "./ground.ts";

export interface ForesightDeps {
  readonly formats: readonly TranscriptFormat[];
  readonly roots: readonly WatchRoot[];
  readonly places: Places;
  /** Sources that ended engramd when they were read. */
  setAside(): readonly string[];
}

export interface Foresight {
  /** Sessions that changed since then, the newest first. */
  sessionsSince(since: Instant, signal: AbortSignal): Promise<readonly CatalogEntry[]>;
  /** Marks of what was heard, kept in memory only. */
  freshSeen(projectId: string): Seen;
}

export function createForesight(
  { files, clock, paths: { home } }: Pick<Ground, "files" | "clock" | "paths">,
  { formats, roots, places, setAside }: ForesightDeps,
): Foresight {
  const quiet = withoutState(files);
  return {
    async sessionsSince(since, signal) {
      const catalog = createCatalog({
        files: quiet,
        cursors: createBlankCursors(),
        formats,
        roots,
        projectOf: (cwd, { path, root }) =>
          places.projectOf({
            cwd,
            transcriptFolder: path.slice(0, path.lastIndexOf("/")),
            agentHome: root.agentHome,
          }),
        firstSight: () => "read",
        scripts: createScripts({ files, home }),
      });
      const passed = new Set(setAside());
      await createSweep({ files, clock }).run({
        roots,
        recall: catalog.recall,
        onDiffer(path, facts) {
          if (facts.mtimeMs >= since && !passed.has(path)) catalog.lookAt(path, facts);
        },
        signal,
      });
      return [...catalog.entries()].toSorted((a, b) => b.state.mtimeMs - a.state.mtimeMs);
    },
    freshSeen: (projectId) => openSeen({ files: quiet, stateDir: NOWHERE, projectId }),
  };
}

/** No state folder: what would be in it is not there, and what would go there is dropped. */
const NOWHERE = "/nowhere";

function withoutState(files: Files): Files {
  const inside = (path: string) => path.startsWith(`${NOWHERE}/`);
  return {
    ...files,
    read: (path, maxBytes) => (inside(path) ? undefined : files.read(path, maxBytes)),
    append: () => undefined,
    replace: () => undefined,
    ensureFolder: () => undefined,
    createExclusive: () => false,
  };
}

function createBlankCursors(): Cursors {
  const states = new Map<string, SourceState>();
  return {
    firstStart: true,
    guard: UNNOTED,
    get: (path) => states.get(path),
    all: () => states.values(),
    get size() {
      return states.size;
    },
    set: (state) => void states.set(state.path, state),
    forget: (path) => void states.delete(path),
    flush: () => undefined,
  };
}

/** What is known to end engramd is left out before; a new such source is noted by the daemon's own reading. */
const UNNOTED: ReadGuard = {
  begin: () => () => undefined,
  settle: () => [],
  setAside: () => [],
  forget: () => undefined,
};
