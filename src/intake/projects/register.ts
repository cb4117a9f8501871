// `projects.json`: every working directory, root, key and memory folder ever seen. Its only reader and
// writer. Damaged content is set aside and rebuilt from what comes; a newer format is never touched.
import { dirname } from "node:path";
import { AppError } from "../../domain/errors.ts";
import { fieldsOf, isFields, parseJson } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { ProjectId, ProjectKey } from "../../domain/sessions.ts";
import type { Files } from "../../system/files.ts";
import type { Log } from "../../system/log.ts";
import { quietly } from "./probe.ts";

/** Far above one person's projects; the oldest without a memory folder are forgotten first. */
const PROJECTS_MAX = 10_000;
/** Working directories remembered over all projects (worktrees of months); about 15 MB at the worst. */
const CWDS_MAX = 100_000;
/** Agent homes, and transcript folders, kept for one project. */
const PLACES_MAX = 200;
const FORMAT = 1;

/** What is remembered of one project. Changed only through the register. */
export interface Entry {
  readonly id: ProjectId;
  readonly key: ProjectKey;
  /** Identity: NFC. */
  readonly root: string;
  /** The root as the disk spells it; differs from `root` only in Unicode form. */
  readonly at: string;
  /** The home that owns it: an agent's, a Claude home where one is known. */
  readonly agentHome: string;
  /** Every agent home that had a session of it. */
  readonly homes: readonly string[];
  /** Transcript folders of sessions that ran in the root itself, oldest first. */
  readonly folders: readonly string[];
  readonly present: boolean;
  /** Chosen once; undefined until somebody asked for it. */
  readonly memoryDir: string | undefined;
  /** Real path of the memory folder when it was first seen. */
  readonly memoryReal: string | undefined;
  /** The last move of its memory. */
  readonly move?: ProjectMove | undefined;
}

/** A move of a project's memory to another folder: how far it came, and the way back. */
export interface ProjectMove {
  readonly from: string;
  readonly to: string;
  /** ISO time. */
  readonly at: string;
  /** `copying`: the old folder is in force; afterwards the new one is. */
  readonly step: "copying" | "switched" | "done";
  /** What the old folder is called once the new one is in force. */
  readonly kept: string;
  /** A person took a move back, and wants the memory where it is now. */
  readonly back: boolean;
}

export interface Register {
  all(): readonly Entry[];
  entry(id: ProjectId): Entry | undefined;
  /** Entries with exactly this root. */
  ofRoot(root: string): readonly Entry[];
  /** Entries whose root differs from this one in letter case at most. */
  ofFoldedRoot(root: string): readonly Entry[];
  put(entry: Entry): Entry;
  /** The project a working directory belonged to the last time it was resolved. */
  ofCwd(agentHome: string, cwd: string): Entry | undefined;
  rememberCwd(agentHome: string, cwd: string, id: ProjectId): void;
  /** Writes the file if anything changed. */
  save(): void;
}

export interface RegisterOptions {
  readonly files: Files;
  readonly path: string;
  readonly log?: Log | undefined;
}

/** Throws `state-too-new` (disposition `stop`) for a file of a later version. */
export function openRegister(options: RegisterOptions): Register {
  const entries = new Map<ProjectId, Entry>();
  const byRoot = new Map<string, Set<ProjectId>>();
  const cwds = new Map<string, ProjectId>();
  let dirty = false;

  const index = ({ id, root }: Entry, keep: boolean) => {
    const folded = fold(root);
    const ids = byRoot.get(folded) ?? new Set<ProjectId>();
    if (keep) byRoot.set(folded, ids.add(id));
    else if (ids.delete(id) && ids.size === 0) byRoot.delete(folded);
  };
  const ofFoldedRoot = (root: string) =>
    [...(byRoot.get(fold(root)) ?? [])].flatMap((id) => entries.get(id) ?? []);
  const put = (entry: Entry) => {
    if (!entries.has(entry.id) && entries.size >= PROJECTS_MAX) {
      const oldest = [...entries.values()].find((known) => known.memoryDir === undefined) ?? first(entries);
      if (oldest !== undefined && entries.delete(oldest.id)) index(oldest, false);
    }
    const kept = {
      ...entry,
      homes: entry.homes.slice(0, PLACES_MAX),
      folders: entry.folders.slice(0, PLACES_MAX),
    };
    entries.set(kept.id, kept);
    index(kept, true);
    dirty = true;
    return kept;
  };
  const rememberCwd = (cwdKey: string, id: ProjectId) => {
    if (cwds.get(cwdKey) === id) return;
    cwds.set(cwdKey, id);
    dirty = true;
    const oldest = cwds.size > CWDS_MAX ? cwds.keys().next().value : undefined;
    if (oldest !== undefined) cwds.delete(oldest);
  };

  for (const stored of load(options)) {
    put(stored.entry);
    for (const cwd of stored.cwds) rememberCwd(cwd, stored.entry.id);
  }
  dirty = false;

  return {
    all: () => [...entries.values()],
    entry: (id) => entries.get(id),
    ofRoot: (root) => ofFoldedRoot(root).filter((entry) => entry.root === root),
    ofFoldedRoot,
    put,
    ofCwd: (agentHome, cwd) => entries.get(cwds.get(cwdKeyOf(agentHome, cwd)) ?? ""),
    rememberCwd: (agentHome, cwd, id) => rememberCwd(cwdKeyOf(agentHome, cwd), id),
    save() {
      if (!dirty) return;
      options.files.ensureFolder(dirname(options.path));
      options.files.replace(options.path, render([...entries.values()], cwds));
      dirty = false;
    },
  };
}

/** Transcripts write NUL nowhere in a usable path, so it separates. */
function cwdKeyOf(agentHome: string, cwd: string): string {
  return `${agentHome}\0${cwd}`;
}

function fold(root: string): string {
  return root.toLowerCase();
}

function first(entries: ReadonlyMap<ProjectId, Entry>): Entry | undefined {
  return entries.values().next().value;
}

function render(entries: readonly Entry[], cwds: ReadonlyMap<string, ProjectId>): string {
  const cwdsOf = new Map<ProjectId, string[]>();
  for (const [cwd, id] of cwds) {
    const known = cwdsOf.get(id);
    if (known === undefined) cwdsOf.set(id, [cwd]);
    else known.push(cwd);
  }
  const projects = entries.map((entry) => ({
    ...entry,
    cwds: (cwdsOf.get(entry.id) ?? []).map((cwd) => cwd.split("\0")),
  }));
  return `${JSON.stringify({ v: FORMAT, projects }, undefined, 1)}\n`;
}

interface Stored {
  readonly entry: Entry;
  readonly cwds: readonly string[];
}

function load({ files, path, log }: RegisterOptions): readonly Stored[] {
  const content = quietly(() => files.read(path, STATE_LIMITS.stateFileBytesMax));
  if (content === undefined) return [];
  const whole = fieldsOf(parseJson(content.toString("utf8")));
  const version = whole?.["v"];
  if (typeof version === "number" && version > FORMAT) {
    throw new AppError({
      code: "state-too-new",
      message: `${path} was written by a newer engramd (format ${version}, this one knows ${FORMAT})`,
      fix: "run the newer engramd, or move the file away to let this one build its own",
      disposition: "stop",
    });
  }
  const list = version === FORMAT ? whole?.["projects"] : undefined;
  if (!Array.isArray(list)) return setAside({ files, path, log }, content);
  const stored = list.flatMap((raw: unknown) => parseStored(raw) ?? []);
  if (stored.length < list.length) {
    log?.warn("projects file has damaged entries", { path, dropped: list.length - stored.length });
  }
  return stored;
}

/** Everything in it can be learnt again from transcripts, so the service goes on without. */
function setAside({ files, path, log }: RegisterOptions, content: Buffer): readonly Stored[] {
  files.replace(`${path}.damaged`, content);
  log?.warn("projects file is damaged and will be rebuilt", { path, kept: `${path}.damaged` });
  return [];
}

function parseStored(fields: unknown): Stored | undefined {
  if (!isFields(fields)) return undefined;
  const [id, key, root] = [textOf(fields["id"]), textOf(fields["key"]), textOf(fields["root"])];
  const agentHome = textOf(fields["agentHome"]);
  if (id === undefined || key === undefined || root === undefined || agentHome === undefined)
    return undefined;
  const cwds = Array.isArray(fields["cwds"]) ? fields["cwds"] : [];
  return {
    entry: {
      id,
      key,
      root,
      at: textOf(fields["at"]) ?? root,
      agentHome,
      homes: texts(fields["homes"]),
      folders: texts(fields["folders"]),
      present: fields["present"] === true,
      memoryDir: textOf(fields["memoryDir"]),
      memoryReal: textOf(fields["memoryReal"]),
      ...parseMove(fields["move"]),
    },
    cwds: cwds
      .map((pair: unknown) => texts(pair))
      .flatMap(([home, cwd]) => (cwd === undefined ? [] : [cwdKeyOf(home ?? "", cwd)])),
  };
}

/** A move nobody can read is one that never was: the folder in force is told by `memoryDir`. */
function parseMove(fields: unknown): { readonly move?: ProjectMove } {
  if (!isFields(fields)) return {};
  const [from, to, at, kept] = ["from", "to", "at", "kept"].map((name) => textOf(fields[name]));
  const step = (["copying", "switched", "done"] as const).find((known) => known === fields["step"]);
  if (from === undefined || to === undefined || at === undefined || kept === undefined || step === undefined)
    return {};
  return { move: { from, to, at, kept, step, back: fields["back"] === true } };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => textOf(item) ?? []) : [];
}
