// Where a project's memory is kept and whether engramd may learn there: projects, folders, switches and the
// person's own modes in one answer. Holds no content and writes nothing but the register.
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Warning } from "../../domain/status.ts";
import type { Config } from "../../config/schema.ts";
import type { Clock } from "../../system/clock.ts";
import { matchesAny } from "../../system/glob.ts";
import type { Environment } from "../../system/paths.ts";
import { expandHome, isInside } from "../../system/paths.ts";
import type { Projects } from "./identity.ts";
import type { MemoryFolders } from "./memory-folder.ts";
import { memorySwitch } from "./switches.ts";

export type Mode = Config["projects"][string]["mode"];

/** `memory-off`: by the agent's own switch. The others are the person's modes: what they leave unread stays unread. */
export type Off = "memory-off" | "mode-off" | "read-only";

export interface PlaceOf {
  readonly project: ProjectRef;
  readonly memoryDir: string;
  readonly mode: Mode;
  /** Why nothing is learnt here; undefined when it is. */
  readonly off: Off | undefined;
  readonly why: string;
  /** Why nothing may be written there now. */
  readonly parked: string | undefined;
  readonly retentionDays: number | undefined;
  /** The person switched the agent's own dreams off, and with them ours. */
  readonly isDreamOff: boolean;
  /** The agent's settings say that it keeps a daily log of its own. */
  readonly isAssistant: boolean;
  readonly warnings: readonly Warning[];
}

export interface Places {
  /** The project of a working directory; undefined for our own folders and ignored ones. */
  projectOf(at: {
    readonly cwd: string;
    readonly transcriptFolder: string;
    readonly agentHome: string;
  }): ProjectRef | undefined;
  placeOf(project: ProjectRef): PlaceOf;
  /** Memory folder to learn into; undefined when memory is off there. */
  folderOf(project: ProjectRef): string | undefined;
  /** A mode keeps it from being read, and another mode may have it read later: its words stay unread until then. */
  isLeftUnread(project: ProjectRef): boolean;
  /**
   * Projects that keep their memory in this folder. One that has moved in is known as soon as anybody asks for its
   * place, which is before its words are read, or after the next sweep: asking all of them each time costs 0.1 ms a
   * project (measured).
   */
  projectsAt(memoryDir: string): readonly ProjectRef[];
  known(): readonly ProjectRef[];
  /** Whether sessions of it were ever found, whatever is read now. */
  hasSessions(project: ProjectRef): boolean;
  /** Days the agent keeps transcripts, where its settings say so. */
  retentionDaysOf(project: ProjectRef): number | undefined;
  /** Of the places asked for so far: what is wrong with them, and settings that are not followed. */
  warnings(): readonly Warning[];
  /** Moves of a project's memory to another folder. */
  readonly moves: Pick<MemoryFolders, "move" | "noteMove" | "moveOf" | "better">;
  /** Drops remembered answers; once a sweep. */
  recheck(): void;
  save(): void;
}

export interface PlacesDeps {
  readonly projects: Projects;
  readonly folders: MemoryFolders;
  readonly env: Environment;
  readonly clock: Clock;
  readonly home: string;
  /** Our state folder, under each of its names. */
  readonly ownFolders: readonly string[];
  config(): Config;
}

/** Settings files are read again after this long; a switch a person turns must not wait for a sweep. */
const REMEMBERED_MS = 1_000;

export function createPlaces(deps: PlacesDeps): Places {
  const { projects, folders, clock } = deps;
  const remembered = new Map<string, { readonly place: PlaceOf; readonly atMs: number }>();

  function placeOf(project: ProjectRef): PlaceOf {
    const known = remembered.get(project.id);
    if (known !== undefined && clock.monotonicMs() - known.atMs < REMEMBERED_MS) return known.place;
    const place = decide(project, deps);
    remembered.set(project.id, { place, atMs: clock.monotonicMs() });
    return place;
  }

  return {
    projectOf({ cwd, transcriptFolder, agentHome }) {
      if (deps.ownFolders.some((folder) => isInside(cwd, folder))) return undefined;
      if (matchesAny(cwd, homed(deps.config().ignore, deps.home))) return undefined;
      return projects.resolve({ cwd, transcriptFolder, agentHome });
    },
    placeOf,
    folderOf(project) {
      const place = placeOf(project);
      return place.off === undefined ? place.memoryDir : undefined;
    },
    isLeftUnread(project) {
      const { off } = placeOf(project);
      return off === "mode-off" || off === "read-only";
    },
    projectsAt: (memoryDir) =>
      projects.known().filter((project) => {
        const known = remembered.get(project.id);
        if (known !== undefined && known.place.memoryDir !== memoryDir) return false;
        return placeOf(project).memoryDir === memoryDir;
      }),
    known: () => projects.known(),
    hasSessions: (project) => projects.hasSessions(project),
    retentionDaysOf: (project) => placeOf(project).retentionDays,
    warnings() {
      const places = [...remembered.values()].flatMap(({ place }) => place.warnings);
      return distinct([...folders.collisions(), ...folders.moveWarnings(), ...places]);
    },
    moves: folders,
    recheck() {
      remembered.clear();
      projects.recheck();
    },
    save() {
      folders.noteMade();
      projects.save();
    },
  };
}

/** What one file of settings says wrong is said for each project that reads it. */
function distinct(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()];
}

function decide(project: ProjectRef, deps: PlacesDeps): PlaceOf {
  const settings = deps.folders.settingsFor(project);
  const folder = deps.folders.folderFor(project, settings);
  const memory = memorySwitch({ env: deps.env, settings });
  const mode = modeOf(project, deps);
  const off: Off | undefined = !memory.enabled
    ? "memory-off"
    : mode === "off"
      ? "mode-off"
      : mode === "read-only"
        ? mode
        : undefined;
  const why = !memory.enabled ? memory.why : `mode is ${mode}`;
  const { dir: memoryDir, parked, warnings } = folder;
  return {
    project,
    memoryDir,
    mode,
    off,
    why,
    parked,
    retentionDays: settings.cleanupPeriodDays,
    isDreamOff: settings.autoDreamEnabled === false,
    isAssistant: settings.assistant === true,
    warnings,
  };
}

/** The longest matching path or glob wins: the nearest rule is the one a person meant. */
function modeOf(project: ProjectRef, { config, home }: PlacesDeps): Mode {
  const rules = Object.entries(config().projects).toSorted(([a], [b]) => b.length - a.length);
  return rules.find(([glob]) => matchesAny(project.root, homed([glob], home)))?.[1].mode ?? "auto";
}

/**
 * A glob without a slash is the name of a folder at any depth: read as a path it could match nothing, and a person who
 * wrote `"*": off` would be read all the same.
 */
function homed(globs: readonly string[], home: string): string[] {
  return globs.flatMap((glob) => {
    const name = glob.replace(/\/+$/u, "");
    if (name.startsWith("*") && !name.includes("/")) return [`**/${name}`, `**/${name}/**`];
    return expandHome(glob, home) ?? glob;
  });
}
