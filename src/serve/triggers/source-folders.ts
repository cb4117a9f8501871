// Which folders are worth a watch: transcript roots, folders of sessions that were active lately, and the memory
// folders of their projects. The sweep covers the rest.
import { dirname } from "node:path";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import type { Rounds } from "../../intake/watch/rounds.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";

export interface SourceFolders {
  /** At most `WATCH_LIMITS.foldersMax` folders in all, most recently active first. */
  active(): { readonly transcripts: readonly string[]; readonly memory: readonly string[] };
}

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
      return { transcripts: [...transcripts], memory: [...memory] };
    },
  };
}
