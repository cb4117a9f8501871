// Which folders are worth a watch: transcript roots (or where they will appear), folders of sessions that were active
// lately, and the memory folders of their projects. The sweep covers the rest.
import { dirname } from "node:path";
import { systemCode } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import type { Rounds } from "../../intake/watch/rounds.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";

export interface ActiveFolders {
  readonly transcripts: readonly string[];
  readonly memory: readonly string[];
  /** The folders in which a missing root, or what leads to it, will appear. Nothing else in them is ours to look at. */
  readonly above: readonly string[];
}

export interface SourceFolders {
  /** At most `WATCH_LIMITS.foldersMax` folders and those above, most recently active first. */
  active(): ActiveFolders;
}

/** From `~/.claude/projects` to the home; a folder higher up is the system's, and never quiet. */
const LEVELS_ABOVE_MAX = 2;

export interface SourceFoldersDeps {
  readonly files: Files;
  readonly catalog: Catalog;
  readonly rounds: Rounds;
  readonly places: Places;
  readonly clock: Clock;
}

export function createSourceFolders(deps: SourceFoldersDeps): SourceFolders {
  const { files, catalog, rounds, places, clock } = deps;
  return {
    active() {
      const since = clock.now() - WATCH_LIMITS.activeMs;
      const projects = new Map<string, ProjectRef | undefined>();
      const seenAt = new Map<string, number>();
      for (const { source, state, project } of catalog.entries()) {
        const folder = dirname(source.path);
        seenAt.set(folder, Math.max(seenAt.get(folder) ?? 0, state.mtimeMs));
        if (project !== undefined) projects.set(folder, project);
      }
      // A folder without a session, just made for one or holding memories only.
      for (const folder of rounds.sessionFolders())
        if (!seenAt.has(folder)) seenAt.set(folder, files.look(folder)?.mtimeMs ?? 0);
      const recent = [...seenAt].filter(([, at]) => at >= since).toSorted(([, a], [, b]) => b - a);
      const transcripts = new Set(catalog.roots.map((root) => root.path));
      const memory = new Set<string>();
      for (const [folder] of recent) {
        if (transcripts.size + memory.size + 2 > WATCH_LIMITS.foldersMax) break;
        transcripts.add(folder);
        const project = projects.get(folder);
        const kept = project === undefined ? undefined : places.folderOf(project);
        if (kept !== undefined) memory.add(kept);
      }
      const above = new Set(catalog.roots.flatMap(({ path }) => nearestAbove(files, path) ?? []));
      for (const folder of transcripts) above.delete(folder);
      return { transcripts: [...transcripts], memory: [...memory], above: [...above] };
    },
  };
}

/** The folder nearest to a missing root; undefined for a root that is there, or one that has nothing near. */
function nearestAbove(files: Pick<Files, "follow">, root: string): string | undefined {
  let folder = root;
  for (let level = 0; level <= LEVELS_ABOVE_MAX; level++, folder = dirname(folder))
    if (isFolder(files, folder)) return folder === root ? undefined : folder;
  return undefined;
}

/** What cannot be looked at cannot be watched either; the rounds ask again. */
function isFolder(files: Pick<Files, "follow">, path: string): boolean {
  try {
    return files.follow(path)?.kind === "folder";
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
