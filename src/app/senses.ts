// What sees: projects and their memory folders, agents and their transcripts. Reads no transcript, starts nothing.
import { join } from "node:path";
import type { AgentId } from "../domain/sessions.ts";
import { createFormats } from "../intake/agents/registry.ts";
import { createProjects } from "../intake/projects/identity.ts";
import { createMemoryFolders } from "../intake/projects/memory-folder.ts";
import type { Places } from "../intake/projects/places.ts";
import { createPlaces } from "../intake/projects/places.ts";
import { createProbe } from "../intake/projects/probe.ts";
import { managedSettingsFile, readClaudeSettings } from "../intake/projects/settings.ts";
import { createCursors } from "../intake/transcripts/cursors.ts";
import type { TranscriptFormat, WatchRoot } from "../intake/transcripts/format.ts";
import type { Catalog, CatalogEntry } from "../intake/watch/catalog.ts";
import { createCatalog } from "../intake/watch/catalog.ts";
import type { Retention } from "../intake/watch/retention.ts";
import { createRetention } from "../intake/watch/retention.ts";
import { createScripts } from "../intake/watch/scripts.ts";
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
  const ownFolders = ownFoldersOf(ground);
  return createPlaces({
    projects,
    folders,
    env: input.env,
    clock,
    home: paths.home,
    ownFolders,
    config: ground.config,
  });
}

/** Agents name their folders without links. */
function ownFoldersOf({ files, paths: { stateDir } }: Ground): readonly string[] {
  return [...new Set([stateDir, createProbe(files).real(stateDir) ?? stateDir])];
}

const DAY_MS = 86_400_000;
export interface Senses {
  readonly catalog: Catalog;
  readonly formats: readonly TranscriptFormat[];
  readonly retention: Retention;
  /** A session passed over as old that its agent is about to delete, where old sessions are wanted at all. */
  isRescued(entry: CatalogEntry): boolean;
  /** Notes that a full round was made: transcripts found from now on are new whatever their date. */
  firstRoundDone(): void;
}

export function createSenses(ground: Ground, places: Places, reading: Reading): Senses {
  const { files, clock, paths, config } = ground;
  const { home, stateDir, claudeHome } = paths;
  const formats = createFormats({ files, oursUnder: ownFoldersOf(ground), isUrgent: hasUrgentCue });
  const enabled = formats.filter((format) => config().agents[format.agent]?.enabled !== false);
  const roots = enabled.flatMap((format) => {
    const own = config().agents[format.agent]?.roots ?? [];
    const usual = format.roots({ home, claudeHomes: [claudeHome] });
    const [model] = usual;
    if (own.length === 0 || model === undefined) return usual;
    return own.map((path): WatchRoot => ({ ...model, path: expandHome(path, home) ?? path }));
  });
  const retention = createRetentionPart(ground, places);
  const isWanted = (agent: AgentId) => reading.backfillDays(agent).rules > 0;
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
    isLeftUnread: places.isLeftUnread,
    scripts: createScripts({ files, home }),
    doWait: (agent) => reading.cadenceOf(agent).quietMs > 0,
    firstSight(source, { mtimeMs }) {
      const ageDays = (clock.now() - mtimeMs) / DAY_MS;
      const { rules, model } = reading.backfillDays(source.agent);
      if (!firstRound || ageDays <= model) return "read";
      if (ageDays <= rules) return "rules";
      const format = enabled.find((each) => each.agent === source.agent);
      if (format === undefined || !isWanted(source.agent)) return "pass";
      const kept = { source, format, state: { mtimeMs }, project: undefined };
      return retention.expiresSoon(kept) ? "rules" : "pass";
    },
  });
  return {
    catalog,
    formats: enabled,
    retention,
    isRescued: (entry) =>
      isWanted(entry.source.agent) &&
      (entry.project === undefined || !places.isLeftUnread(entry.project)) &&
      retention.expiresSoon(entry),
    firstRoundDone() {
      if (!firstRound) return;
      firstRound = false;
      files.ensureFolder(join(stateDir, "stamps"));
      files.createExclusive(mark, "");
    },
  };
}

/** Settings files are read again after this long. */
const SETTINGS_KEPT_MS = 1_000;

/** Claude Code alone has settings about it: of the project, else of its home. */
function createRetentionPart({ files, clock, input }: Ground, places: Places): Retention {
  const managedFile = managedSettingsFile(input.platform);
  const homes = new Map<string, { readonly days: number | undefined; readonly untilMs: number }>();
  const ofHome = (claudeHome: string) => {
    const known = homes.get(claudeHome);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.days;
    const { cleanupPeriodDays: days } = readClaudeSettings(files, {
      claudeHome,
      root: undefined,
      managedFile,
    });
    homes.set(claudeHome, { days, untilMs: clock.monotonicMs() + SETTINGS_KEPT_MS });
    return days;
  };
  return createRetention({
    now: clock.now,
    daysOf({ source, project }) {
      if (source.agent !== "claude-code") return undefined;
      return project === undefined ? ofHome(source.root.agentHome) : places.retentionDaysOf(project);
    },
  });
}
