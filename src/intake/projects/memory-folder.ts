// Which folder holds a project's memories. Chosen once and remembered; a person's own override is followed
// live, a repository's never. Reads settings and folder names, writes nothing but the register.
import { basename, dirname, join } from "node:path";
import { AppError } from "../../domain/errors.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Warning } from "../../domain/status.ts";
import type { Files } from "../../system/files.ts";
import { isInside } from "../../system/paths.ts";
import type { Environment, Paths } from "../../system/paths.ts";
import { keyCollisions } from "./collisions.ts";
import { longKeyPrefix, projectKey } from "./key.ts";
import { createProbe } from "./probe.ts";
import type { Probe } from "./probe.ts";
import type { Entry, ProjectMove, Register } from "./register.ts";
import { protectedReason, validateOverride, validateSetting } from "./safe-place.ts";
import type { Checked } from "./safe-place.ts";
import { readClaudeSettings } from "./settings.ts";
import type { ClaudeSettings } from "./settings.ts";
import { spellPath } from "./spelling.ts";

/** Folders with one 200-character beginning that are asked for their cwd; genuine homes have one or two. */
const CANDIDATES_MAX = 50;

export interface MemoryFolder {
  /** Absolute, links resolved; need not exist yet. While parked: where it was, or the path that leads where it may not. */
  readonly dir: string;
  /** The project is not on this machine: its memory lies with its transcripts. */
  readonly beside: boolean;
  /** `chosen`: our own choice; anything else is an override and who made it. */
  readonly source: "chosen" | "environment" | "managed" | "local" | "user";
  /** Why nothing may be written there now; undefined when it may. */
  readonly parked: string | undefined;
  readonly warnings: readonly Warning[];
}

export interface MemoryFoldersOptions {
  readonly files: Files;
  readonly paths: Pick<Paths, "home" | "dataDir">;
  /** Main home first. */
  readonly claudeHomes: readonly string[];
  readonly env: Environment;
  readonly register: Register;
  /** The agent's managed settings file. */
  readonly managedSettings: string;
  /** A working directory named by the transcripts of a folder; tells long keys apart. */
  readonly cwdOf?: ((transcriptFolder: string) => string | undefined) | undefined;
}

export interface MemoryFolders {
  /** Throws `unknown-project` for a project the register does not know. Reads its settings unless they were just read. */
  folderFor(project: ProjectRef, settings?: ClaudeSettings): MemoryFolder;
  settingsFor(project: ProjectRef): ClaudeSettings;
  /** A folder that was made since it was asked for: from now on the place it really has is the one that stays. */
  noteMade(): void;
  /** A person moved the memory: from now on it is here, wherever a link led before. */
  move(project: ProjectRef, dir: string, note?: ProjectMove): void;
  /** How far a move has come. */
  noteMove(project: ProjectRef, note: ProjectMove): void;
  moveOf(project: ProjectRef): ProjectMove | undefined;
  /** The folder the project's agent would read itself, where that is another than the one in use. */
  better(project: ProjectRef): string | undefined;
  /** Better folders that have appeared, and moves that were broken off. */
  moveWarnings(): readonly Warning[];
  /** Folders shared by different roots, among those asked for so far. */
  collisions(): readonly Warning[];
}

export function createMemoryFolders(options: MemoryFoldersOptions): MemoryFolders {
  const parts: Parts = { ...options, probe: createProbe(options.files) };
  const { register } = options;
  const entryOf = ({ id, root }: ProjectRef) => {
    const entry = register.entry(id);
    if (entry !== undefined) return entry;
    throw new AppError({ code: "unknown-project", message: `${root} is not a project engramd has seen` });
  };
  return {
    folderFor: (project, settings) => folderFor(parts, entryOf(project), settings),
    settingsFor: (project) => settingsOf(parts, entryOf(project)),
    noteMade() {
      for (const entry of register.all()) {
        if (entry.memoryDir === undefined || entry.memoryReal !== undefined) continue;
        if (parts.probe.real(entry.memoryDir) !== undefined) folderFor(parts, entry);
      }
    },
    move(project, dir, note) {
      const entry = entryOf(project);
      const move = note ?? entry.move;
      register.put({ ...entry, memoryDir: dir, memoryReal: parts.probe.real(dir), move });
    },
    noteMove: (project, move) => void register.put({ ...entryOf(project), move }),
    moveOf: (project) => entryOf(project).move,
    better: (project) => betterFolder(parts, entryOf(project)),
    moveWarnings: () => register.all().flatMap((entry) => moveWarnings(parts, entry)),
    collisions() {
      const placed = register.all().filter(({ memoryDir }) => memoryDir !== undefined);
      return keyCollisions(
        placed.map((entry) => ({ root: entry.root, memoryDir: folderFor(parts, entry).dir })),
      );
    },
  };
}

interface Parts extends MemoryFoldersOptions {
  readonly probe: Probe;
}

function folderFor(parts: Parts, entry: Entry, settings = settingsOf(parts, entry)): MemoryFolder {
  const warnings = [...settings.warnings];
  const override = overrideFor(parts, { entry, settings, warnings });
  const chosen = choose(parts, { entry, warnings });
  const { dir, source } = override ?? { dir: chosen, source: "chosen" as const };
  const real = parts.probe.real(dir);
  const place = real ?? plannedReal(parts.probe, dir);
  const parked = parkedReason(parts, { dir, place });
  const moved = source === "chosen" ? pinned(parts, { entry, real, parked }) : undefined;
  const why = parked ?? moved;
  if (why !== undefined) {
    warnings.push({
      code: "memory_folder_parked",
      message: `nothing is written to ${dir}: ${why}`,
      fix: "put the folder back where it was",
    });
  }
  const last = moved === undefined ? undefined : parts.register.entry(entry.id)?.memoryReal;
  return {
    // Where it leads against our will is not even read: the path as it stands shows nothing.
    dir: last ?? (parked === undefined ? place : dir),
    beside: source === "chosen" && !entry.present && !isInside(dir, parts.paths.dataDir),
    source,
    parked: why,
    warnings,
  };
}

function settingsOf({ files, claudeHomes, paths, managedSettings }: Parts, entry: Entry): ClaudeSettings {
  return readClaudeSettings(files, {
    claudeHome: claudeHomes.includes(entry.agentHome)
      ? entry.agentHome
      : (claudeHomes[0] ?? join(paths.home, ".claude")),
    root: entry.present ? entry.at : undefined,
    managedFile: managedSettings,
  });
}

interface Override {
  readonly dir: string;
  readonly source: Exclude<MemoryFolder["source"], "chosen">;
}

interface OverrideAsk {
  readonly entry: Entry;
  readonly settings: ClaudeSettings;
  readonly warnings: Warning[];
}

/** The agent's own order: the whole path, a trusted setting, another base. A refused value counts as not set. */
function overrideFor(parts: Parts, { entry, settings, warnings }: OverrideAsk): Override | undefined {
  const facts = { home: parts.paths.home, claudeHomes: parts.claudeHomes };
  const accept = (name: string, checked: Checked) => {
    if (checked.ok) return checked.path;
    warnings.push({
      code: "memory_directory_refused",
      message: `${name} is not used as memory folder: ${checked.why}`,
      fix: `set ${name} to an absolute path of a folder only memory uses`,
    });
    return undefined;
  };
  const environment = (name: string) => {
    const value = parts.env[name] ?? "";
    return value === "" ? undefined : accept(name, validateOverride(value, facts));
  };
  const whole = environment("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE");
  if (whole !== undefined) return { dir: whole, source: "environment" };
  for (const { value, source } of settings.autoMemoryDirectories) {
    if (source === "repository") continue;
    const dir = accept(`autoMemoryDirectory (${source} settings)`, validateSetting(value, facts));
    if (dir !== undefined) return { dir, source };
  }
  const base = environment("CLAUDE_CODE_REMOTE_MEMORY_DIR");
  return base === undefined
    ? undefined
    : { dir: join(base, "projects", entry.key, "memory"), source: "environment" };
}

/** Keeps an earlier choice; a folder of our own that nobody ever wrote to gives way to a better one. */
function choose(parts: Parts, { entry, warnings }: { entry: Entry; warnings: Warning[] }): string {
  const { register, probe, paths } = parts;
  const kept = entry.memoryDir;
  const best = kept !== undefined && !isInside(kept, paths.dataDir) ? kept : bestFolder(parts, entry);
  if (kept === best) return best;
  if (kept !== undefined && probe.kind(kept) !== undefined) {
    if (!isInside(best, paths.dataDir) && !wasTakenBack(entry)) warnings.push(betterHome(entry, kept, best));
    return kept;
  }
  register.put({ ...entry, memoryDir: best, memoryReal: undefined });
  return best;
}

function betterHome({ root }: Entry, kept: string, best: string): Warning {
  return {
    code: "better_memory_home",
    message: `the memories of ${root} lie in ${kept}; the agent itself would read ${best}`,
    fix: moveCommand(root),
  };
}

function moveCommand(root: string): string {
  return `engramd project move --project ${shellWord(root)}`;
}

/** A person who moved back is not asked to move again. */
function wasTakenBack({ move }: Entry): boolean {
  return move?.back === true && move.step === "done";
}

function betterFolder(parts: Parts, entry: Entry): string | undefined {
  const { dataDir } = parts.paths;
  const kept = entry.memoryDir;
  if (kept === undefined || !isInside(kept, dataDir)) return undefined;
  if (folderFor(parts, entry).source !== "chosen") return undefined;
  const best = bestFolder(parts, entry);
  return isInside(best, dataDir) ? undefined : best;
}

function moveWarnings(parts: Parts, entry: Entry): Warning[] {
  const { memoryDir, move, root } = entry;
  if (move !== undefined && move.step !== "done") {
    const message = `the move of the memories of ${root} to ${move.to} was broken off`;
    return [{ code: "project_move_unfinished", message, fix: moveCommand(root) }];
  }
  // Settings are read for a project that could have one, and no other.
  const isOurs = memoryDir !== undefined && isInside(memoryDir, parts.paths.dataDir);
  if (!isOurs || wasTakenBack(entry)) return [];
  const best = betterFolder(parts, entry);
  return best === undefined || parts.probe.kind(memoryDir) === undefined
    ? []
    : [betterHome(entry, memoryDir, best)];
}

function bestFolder(parts: Parts, entry: Entry): string {
  const { claudeHomes, probe } = parts;
  const { agentHome, present, root } = entry;
  if (!claudeHomes.includes(agentHome) || probe.kind(agentHome) !== "folder") return ownFolder(parts, entry);
  const projects = join(agentHome, "projects");
  const beside = present ? undefined : entry.folders.find((folder) => isInside(folder, projects));
  if (beside !== undefined) return join(beside, "memory");
  const folder = join(projects, keyFolder(parts, { projects, root }));
  const hasSessions = present || entry.homes.includes(agentHome) || probe.kind(folder) === "folder";
  return hasSessions ? join(folder, "memory") : ownFolder(parts, entry);
}

/** Below our own data folder no two projects share a place, whatever their keys. */
function ownFolder({ register, paths }: Parts, { id, key }: Entry): string {
  const dir = join(paths.dataDir, "projects", key, "memory");
  const taken = register.all().some((other) => other.id !== id && other.memoryDir === dir);
  return taken ? join(paths.dataDir, "projects", id, "memory") : dir;
}

/** The agent's own hash of a long path depends on its build, so an existing folder is looked for first. */
function keyFolder(
  { probe, cwdOf }: Parts,
  { projects, root }: { readonly projects: string; readonly root: string },
): string {
  const key = projectKey(root);
  const prefix = longKeyPrefix(root);
  if (prefix === undefined || probe.kind(join(projects, key)) === "folder") return key;
  const candidates = probe
    .names(projects)
    .filter((name) => name.startsWith(prefix))
    .sort()
    .slice(0, CANDIDATES_MAX)
    .map((name) => ({ name, cwd: cwdOf?.(join(projects, name)) }));
  const confirmed = candidates.find(({ cwd }) => cwd !== undefined && spellPath(cwd).path === root);
  const silent = candidates.find(({ cwd }) => cwd === undefined);
  return (confirmed ?? silent)?.name ?? key;
}

/** Where a folder will really be once it is made. */
function plannedReal(probe: Probe, path: string): string {
  const parent = dirname(path);
  if (parent === path) return path;
  return join(probe.real(parent) ?? plannedReal(probe, parent), basename(path));
}

function parkedReason(
  { probe, paths, claudeHomes }: Parts,
  { dir, place }: { readonly dir: string; readonly place: string },
): string | undefined {
  const home = probe.real(paths.home) ?? paths.home;
  const homes = claudeHomes.map((claude) => probe.real(claude) ?? claude);
  const unsafe = protectedReason(place, { home, claudeHomes: homes });
  if (unsafe !== undefined) return unsafe;
  const kind = probe.kind(dir);
  if (kind === undefined) return probe.isLink(dir) ? "its link leads nowhere" : undefined;
  return kind === "folder" ? undefined : "it is not a folder";
}

/** The real path seen first is the one that stays; a link that leads elsewhere later waits for a person. */
function pinned(
  { register }: Parts,
  { entry, real, parked }: { entry: Entry; real: string | undefined; parked: string | undefined },
): string | undefined {
  const current = register.entry(entry.id) ?? entry;
  if (real === undefined || parked !== undefined || current.memoryReal === real) return undefined;
  if (current.memoryReal !== undefined)
    return `it led to ${current.memoryReal} before and now leads to ${real}`;
  register.put({ ...current, memoryReal: real });
  return undefined;
}
