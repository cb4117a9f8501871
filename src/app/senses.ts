// What sees: projects and their memory folders, agents and their transcripts. Reads no transcript, starts nothing.
import { join } from "node:path";
import { createFormats } from "../intake/agents/registry.ts";
import { createProjects } from "../intake/projects/identity.ts";
import { createMemoryFolders } from "../intake/projects/memory-folder.ts";
import type { Places } from "../intake/projects/places.ts";
import { createPlaces } from "../intake/projects/places.ts";
import { managedSettingsFile } from "../intake/projects/settings.ts";
import { createCursors } from "../intake/transcripts/cursors.ts";
import type { WatchRoot } from "../intake/transcripts/format.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import { createCatalog } from "../intake/watch/catalog.ts";
import { hasUrgentCue } from "../learn/offline/extract.ts";
import { expandHome } from "../system/paths.ts";
import type { Ground } from "./ground.ts";
import type { Reading } from "./reading.ts";

export function createPlacesPart(ground: Ground): Places {
  const { files, clock, paths, log, input } = ground;
  const claudeHomes = [paths.claudeHome];
  const projects = createProjects({
    files,
    paths,
    claudeHomes,
    statePath: join(paths.stateDir, "projects.json"),
    log,
  });
  const folders = createMemoryFolders({
    files,
    paths,
    claudeHomes,
    env: input.env,
    register: projects.register,
    managedSettings: managedSettingsFile(input.platform),
  });
  const { home, stateDir } = paths;
  return createPlaces({ projects, folders, env: input.env, clock, home, stateDir, config: ground.config });
}

const DAY_MS = 86_400_000;
export interface Senses {
  readonly catalog: Catalog;
  /** Notes that a full round was made: transcripts found from now on are new whatever their date. */
  firstRoundDone(): void;
}

export function createSenses(ground: Ground, places: Places, reading: Reading): Senses {
  const { files, clock, paths, config } = ground;
  const { home, stateDir, claudeHome } = paths;
  const formats = createFormats({ files, oursUnder: [stateDir], isUrgent: hasUrgentCue });
  const enabled = formats.filter((format) => config().agents[format.agent]?.enabled !== false);
  const roots = enabled.flatMap((format) => {
    const own = config().agents[format.agent]?.roots ?? [];
    const usual = format.roots({ home, claudeHomes: [claudeHome] });
    const [model] = usual;
    if (own.length === 0 || model === undefined) return usual;
    return own.map((path): WatchRoot => ({ ...model, path: expandHome(path, home) ?? path }));
  });
  const mark = join(stateDir, "stamps", "first-round");
  let firstRound = files.look(mark) === undefined;
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir }),
    formats: enabled,
    roots,
    projectOf: (cwd, source) => {
      const transcriptFolder = source.path.slice(0, source.path.lastIndexOf("/"));
      return places.projectOf({ cwd, transcriptFolder, agentHome: source.root.agentHome });
    },
    firstSight(source, { mtimeMs }) {
      const ageDays = (clock.now() - mtimeMs) / DAY_MS;
      const { rules, model } = reading.backfillDays(source.agent);
      if (!firstRound || ageDays <= model) return "read";
      return ageDays <= rules ? "rules" : "pass";
    },
  });
  return {
    catalog,
    firstRoundDone() {
      if (!firstRound) return;
      firstRound = false;
      files.ensureFolder(join(stateDir, "stamps"));
      files.createExclusive(mark, "");
    },
  };
}
