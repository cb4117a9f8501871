// Which project a session's working directory belongs to. Two existing folders are never one project; one
// folder under two spellings is never two. Opens nothing of a path that is not this machine's.
import { dirname, join } from "node:path";
import type { ProjectId, ProjectRef } from "../../domain/sessions.ts";
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";
import type { Log } from "../../system/log.ts";
import type { Paths } from "../../system/paths.ts";
import { coversHome, existingAncestor, repositoryRoot, withoutAgentWorktree } from "./git-root.ts";
import { projectId, projectKey } from "./key.ts";
import { createProbe } from "./probe.ts";
import type { Probe } from "./probe.ts";
import { openRegister } from "./register.ts";
import type { Entry, Register } from "./register.ts";
import { spellPath } from "./spelling.ts";

/** Answers kept in memory; above any genuine number of live working directories. */
const MEMO_MAX = 5_000;

/** Where a session says it ran, and where its transcript lies. */
export interface Place {
  /** As the transcript spells it. */
  readonly cwd: string;
  /** Folder that holds the transcript, absolute. */
  readonly transcriptFolder: string;
  readonly agentHome: string;
}

export interface ProjectsOptions {
  readonly files: Files;
  readonly paths: Pick<Paths, "home">;
  /** Main home first. */
  readonly claudeHomes: readonly string[];
  /** `projects.json`. */
  readonly statePath: string;
  readonly log?: Log | undefined;
  /** False for folders that must not be opened (protected by the system); they count as not checked. */
  readonly mayOpen?: ((path: string) => boolean) | undefined;
}

export interface Projects {
  /** Total: every place has a project. Cheap when asked again. Throws only for a failing disk. */
  resolve(place: Place): ProjectRef;
  /**
   * The project of a transcript folder that was seen before, for sessions that name no directory. Never
   * makes one; undefined as well when several projects share the folder.
   */
  ofFolder(transcriptFolder: string): ProjectRef | undefined;
  /** Every project ever seen. */
  known(): readonly ProjectRef[];
  /** Whether sessions of it were ever found; not so for a folder somebody only asked about. */
  hasSessions(project: ProjectRef): boolean;
  /** Drops remembered answers, so that a new `.git` anywhere is noticed; called once a sweep. */
  recheck(): void;
  /** Writes what is new. Call after a pass, and before the first write into a folder that was chosen. */
  save(): void;
  readonly register: Register;
}

/** Throws `state-too-new` when `projects.json` was written by a later version. */
export function createProjects(options: ProjectsOptions): Projects {
  const register = openRegister({ files: options.files, path: options.statePath, log: options.log });
  const probe = createProbe(options.files);
  const parts: Parts = { options, register, probe, homes: spellingsOfHome(probe, options.paths.home) };
  const memo = new Map<string, Remembered>();
  return {
    resolve(place) {
      const memoKey = `${place.agentHome}\0${place.transcriptFolder}\0${place.cwd}`;
      const remembered = memo.get(memoKey);
      const known = remembered === undefined ? undefined : stillTrue(parts, remembered);
      if (known !== undefined) return refOf(known);
      const located = locate(parts, place);
      const entry = enter(parts, { place, located });
      if (memo.size >= MEMO_MAX) memo.clear();
      memo.set(memoKey, { id: entry.id, located, facts: factsOf(probe, located) });
      return refOf(entry);
    },
    ofFolder(transcriptFolder) {
      const entry = entryOfFolder(register, transcriptFolder);
      return entry === undefined ? undefined : refOf(entry);
    },
    known: () => register.all().map(refOf),
    hasSessions: ({ id }) => (register.entry(id)?.folders.length ?? 0) > 0,
    recheck: () => memo.clear(),
    save: () => register.save(),
    register,
  };
}

interface Parts {
  readonly options: ProjectsOptions;
  readonly register: Register;
  readonly probe: Probe;
  readonly homes: readonly string[];
}

/** What the disk said about a working directory. */
interface Located {
  /** NFC; identity. */
  readonly root: string;
  /** As the disk spells it. */
  readonly at: string;
  /** NFC. */
  readonly cwd: string;
  /** Working directory to look at again; undefined when it must not be. */
  readonly watched: string | undefined;
  readonly present: boolean;
}

interface Remembered {
  readonly id: ProjectId;
  readonly located: Located;
  readonly facts: string;
}

function refOf(entry: Entry): ProjectRef {
  const { id, key, root, agentHome, present } = entry;
  return { id, key, root, agentHome, present };
}

function spellingsOfHome(probe: Probe, home: string): readonly string[] {
  const real = probe.real(home);
  return real === undefined || real === home ? [home] : [home, real];
}

/** Two stats tell whether the folder was replaced, removed, made, or became a repository. */
function factsOf(probe: Probe, { watched, at }: Located): string {
  if (watched === undefined) return "";
  return `${probe.fileId(watched)} ${probe.fileId(at)} ${probe.fileId(join(at, ".git"))}`;
}

function stillTrue({ register, probe }: Parts, { id, located, facts }: Remembered): Entry | undefined {
  return factsOf(probe, located) === facts ? register.entry(id) : undefined;
}

function locate(parts: Parts, { cwd, transcriptFolder, agentHome }: Place): Located {
  const spelled = spellPath(cwd);
  if (spelled.style === "unusable") return locateNameless(parts, transcriptFolder);
  const { path } = spelled;
  if (spelled.style === "foreign" || parts.options.mayOpen?.(path) === false) {
    return { root: path, at: path, cwd: path, watched: undefined, present: false };
  }
  const { probe } = parts;
  const real = probe.real(spelled.exact) ?? probe.real(path);
  if (real === undefined || probe.kind(real) !== "folder") return locateGone(parts, { path, agentHome });
  const at = repositoryRoot(probe, { start: real, homes: parts.homes }) ?? real;
  return { ...spellRoot(parts, at), cwd: path, watched: spelled.exact, present: true };
}

/** Without a usable path, what the folder was used for before; else the folder is all that tells projects apart. */
function locateNameless({ register }: Parts, transcriptFolder: string): Located {
  const known = entryOfFolder(register, transcriptFolder);
  const root = known?.root ?? transcriptFolder.normalize("NFC");
  const at = known?.at ?? root;
  return { root, at, cwd: root, watched: undefined, present: known?.present ?? false };
}

function entryOfFolder(register: Register, transcriptFolder: string): Entry | undefined {
  const using = register.all().filter(({ folders }) => folders.includes(transcriptFolder));
  return using.length === 1 ? using[0] : undefined;
}

/** The folder is gone: what it was when we saw it, else what its path says, else what is left around it. */
function locateGone(parts: Parts, { path, agentHome }: { path: string; agentHome: string }): Located {
  const { probe, register, homes, options } = parts;
  const gone = { cwd: path, watched: path };
  const before = [agentHome, ...options.claudeHomes].flatMap((home) => register.ofCwd(home, path) ?? [])[0];
  if (before !== undefined) {
    return { ...gone, root: before.root, at: before.at, present: probe.kind(before.at) === "folder" };
  }
  const outer = withoutAgentWorktree(path);
  const main = outer === undefined || coversHome(outer, homes) ? undefined : outer;
  const mainReal = main === undefined ? undefined : probe.real(main);
  const start = mainReal ?? existingAncestor(probe, main ?? path);
  const around = start === undefined ? undefined : repositoryRoot(probe, { start, homes });
  const at = around !== undefined && !coversHome(around, homes) ? around : mainReal;
  if (at !== undefined) return { ...gone, ...spellRoot(parts, at), present: true };
  const root = main ?? path;
  return { ...gone, root, at: root, present: false };
}

/**
 * NFC unless that names another existing folder; letter case of the spelling we met first where the disk
 * says that both lead to one folder.
 */
function spellRoot({ probe, register }: Parts, at: string): { root: string; at: string } {
  const composed = at.normalize("NFC");
  const fileId = probe.fileId(at);
  const twin = composed === at ? undefined : probe.fileId(composed);
  const root = twin !== undefined && twin !== fileId ? at : composed;
  const same = register
    .ofFoldedRoot(root)
    .find((entry) => entry.root !== root && fileId !== undefined && probe.fileId(entry.at) === fileId);
  return same === undefined ? { root, at } : { root: same.root, at: same.at };
}

/** Finds or makes the entry, and notes what this session adds to it. */
function enter(parts: Parts, { place, located }: { place: Place; located: Located }): Entry {
  const { register } = parts;
  const { agentHome, transcriptFolder } = place;
  const known = ownerOf(parts, { place, located });
  const base = known ?? makeEntry(parts, { agentHome, located });
  const isRoot = located.cwd === located.root && isClaudeHome(parts, agentHome);
  const updated: Entry = {
    ...base,
    at: located.at,
    present: located.present,
    agentHome: isClaudeHome(parts, base.agentHome) ? base.agentHome : ownHome(parts, agentHome, base),
    homes: withPlace(base.homes, agentHome),
    folders: isRoot ? withPlace(base.folders, transcriptFolder) : base.folders,
  };
  const entry = known !== undefined && isSame(known, updated) ? known : register.put(updated);
  register.rememberCwd(agentHome, located.cwd, entry.id);
  return entry;
}

/**
 * A root belongs to the home whose sessions it has; facts never cross homes. Other agents' sessions of a
 * folder on this machine, or of a home that is plainly this person's, join the Claude home's project.
 */
function ownerOf(
  parts: Parts,
  { place: { agentHome }, located }: { place: Place; located: Located },
): Entry | undefined {
  const sharing = parts.register.ofRoot(located.root);
  const own = sharing.find((entry) => entry.agentHome === agentHome || entry.homes.includes(agentHome));
  if (own !== undefined) return own;
  if (!joinsOthers(parts, { agentHome, present: located.present })) return undefined;
  const open = sharing.filter((entry) => joinsOthers(parts, { ...entry, present: located.present }));
  if (isClaudeHome(parts, agentHome)) return open.find((entry) => !isClaudeHome(parts, entry.agentHome));
  const preferred = homeWithSessions(parts, { root: located.root, agentHome });
  return open.find((entry) => entry.agentHome === preferred) ?? open[0];
}

/** Two homes elsewhere may hold the same absent path for different folders (containers, other machines). */
function joinsOthers(
  parts: Parts,
  { agentHome, present }: { readonly agentHome: string; readonly present: boolean },
): boolean {
  return present || isClaudeHome(parts, agentHome) || parts.homes.includes(dirname(agentHome));
}

function makeEntry(parts: Parts, { agentHome, located }: { agentHome: string; located: Located }): Entry {
  const { root, at, present } = located;
  const joins = joinsOthers(parts, { agentHome, present });
  const owner =
    isClaudeHome(parts, agentHome) || !joins ? agentHome : homeWithSessions(parts, { root, agentHome });
  const main = parts.options.claudeHomes[0] ?? owner;
  return {
    id: freeId(parts.register, { root, owner, plain: joins && owner === main }),
    key: projectKey(root),
    root,
    at,
    agentHome: owner,
    homes: [],
    folders: [],
    present,
    memoryDir: undefined,
    memoryReal: undefined,
  };
}

/** The main home's projects have the plain id; the last form serves two folders that differ in Unicode form only. */
function freeId(
  register: Register,
  { root, owner, plain }: { root: string; owner: string; plain: boolean },
): ProjectId {
  const ids = [projectId(root, owner), projectId(root, `${owner}\0${shortHash(root)}`)];
  if (plain) ids.unshift(projectId(root));
  return ids.find((id) => register.entry(id) === undefined) ?? projectId(root, owner);
}

/** The Claude home that already has a folder for this root, else the main one, else the agent's own. */
function homeWithSessions(
  { options, probe }: Parts,
  { root, agentHome }: { root: string; agentHome: string },
): string {
  const key = projectKey(root);
  const homes = options.claudeHomes;
  const used = homes.find((home) => probe.kind(join(home, "projects", key)) === "folder");
  return used ?? homes[0] ?? agentHome;
}

function isClaudeHome({ options }: Parts, agentHome: string): boolean {
  return options.claudeHomes.includes(agentHome);
}

/** A Claude home takes over a project that so far only other agents knew. */
function ownHome(parts: Parts, agentHome: string, base: Entry): string {
  return isClaudeHome(parts, agentHome) ? agentHome : base.agentHome;
}

function withPlace(places: readonly string[], place: string): readonly string[] {
  return places.includes(place) ? places : [...places, place];
}

function isSame(a: Entry, b: Entry): boolean {
  return (
    a.at === b.at &&
    a.present === b.present &&
    a.agentHome === b.agentHome &&
    a.homes === b.homes &&
    a.folders === b.folders
  );
}
