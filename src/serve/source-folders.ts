// Which folders are worth a watch: transcript roots, folders of sessions that were active lately, and the memory
// folders of their projects. The sweep covers the rest.
import { dirname } from "node:path";
import { WATCH_LIMITS } from "../domain/limits.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import type { Clock } from "../system/clock.ts";

export interface SourceFolders {
  /** At most `WATCH_LIMITS.foldersMax` folders in all, most recently active first. */
  active(): { readonly transcripts: readonly string[]; readonly memory: readonly string[] };
}

export function createSourceFolders(deps: {
  readonly catalog: Catalog;
  readonly places: Places;
  readonly clock: Clock;
}): SourceFolders {
  const { catalog, places, clock } = deps;
  return {
    active() {
      const since = clock.now() - WATCH_LIMITS.activeMs;
      const transcripts = new Set(catalog.roots.map((root) => root.path));
      const memory = new Set<string>();
      const recent = [...catalog.entries()]
        .filter((entry) => entry.state.mtimeMs >= since)
        .toSorted((a, b) => b.state.mtimeMs - a.state.mtimeMs);
      for (const { source, project } of recent) {
        if (transcripts.size + memory.size + 2 > WATCH_LIMITS.foldersMax) break;
        transcripts.add(dirname(source.path));
        const folder = project === undefined ? undefined : places.folderOf(project);
        if (folder !== undefined) memory.add(folder);
      }
      return { transcripts: [...transcripts], memory: [...memory] };
    },
  };
}
