// Every transcript known, the project it belongs to, and what of it is unread. The disk is the truth:
// the catalog only compares facts of files with cursors. It reads no content except one peek per new source.
import type { AgentId, ProjectId, ProjectRef } from "../../domain/sessions.ts";
import { systemCode } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { FileFacts, Files } from "../../system/files.ts";
import type { Cursors, PassedWhy, SourceState } from "../transcripts/cursors.ts";
import {
  backfillBytes,
  blankState,
  isUnheard,
  positionOf,
  reopenedState,
  unreadBytes,
} from "../transcripts/cursors.ts";
import type { Peek, Source, TranscriptFormat, WatchRoot } from "../transcripts/format.ts";
import type { ReadBy } from "../transcripts/lineage.ts";
import { guardReads } from "../transcripts/read-guard.ts";
import { isStillUnheard, type Scripts, unheardWhy } from "./scripts.ts";

/** A source with its project; `project` is undefined until a record names a working directory. */
export interface CatalogEntry {
  readonly source: Source;
  readonly format: TranscriptFormat;
  readonly state: SourceState;
  readonly project: ProjectRef | undefined;
}

interface Placed {
  readonly cwd: string;
  readonly project: ProjectRef | undefined;
}

interface Located {
  readonly source: Source;
  readonly format: TranscriptFormat;
}

/** What a look at a path found. */
export type Look =
  | { readonly kind: "nothing" }
  | { readonly kind: "grew"; readonly entry: CatalogEntry; readonly peek: Peek | undefined }
  | { readonly kind: "unplaced"; readonly entry: CatalogEntry };

export interface Catalog {
  readonly roots: readonly WatchRoot[];
  /** What is known of a file, or whether it is wanted: the sweep's only question, so it must stay cheap. */
  recall(path: string): SourceState | "new" | undefined;
  /** Whether the facts are the ones already known. */
  isKnown(path: string, facts: Pick<FileFacts, "fileId" | "bytes" | "ctimeMs">): boolean;
  /** Takes note of a path that is new or differs. Reads at most one bounded peek. */
  lookAt(path: string, facts?: FileFacts): Look;
  /** Passes a source over without learning from it; a backfill can still read it. */
  passOver(entry: CatalogEntry, why: PassedWhy): void;
  /** Replaces what is remembered of a source while a job reads it. */
  update(state: SourceState): void;
  /** A job read the source to its end as it was when `bytes` long; a half line may be left. */
  drained(path: string, bytes: number): void;
  /** Whether a job would find something in it. */
  isUnread(entry: CatalogEntry): boolean;
  get(path: string): CatalogEntry | undefined;
  /** Sources known. */
  readonly size: number;
  /** What is remembered of each, without a look at who it belongs to: cheap. */
  states(): IterableIterator<SourceState>;
  entries(): IterableIterator<CatalogEntry>;
  /** Whether a source of this project is known. */
  hasSources(projectId: ProjectId): boolean;
  entriesOf(projectId: ProjectId): CatalogEntry[];
  /** For a backfill: bytes that were passed over, and for a model what only rules have read, are unread again. */
  reopen(path: string, by: ReadBy): CatalogEntry | undefined;
  /** What `reopen` would make of it; remembers nothing, and may peek. */
  reopened(path: string, by: ReadBy): CatalogEntry | undefined;
  /** What the next round would make of a transcript nobody has met; opens nothing and remembers nothing. */
  unmet(path: string, facts: FileFacts): CatalogEntry | undefined;
  /**
   * Opens for the rules what was passed over as old and is wanted now: no model reads words nobody asked it to read.
   * Answers what was opened, each once.
   */
  rescue(isWanted: (entry: CatalogEntry) => boolean): readonly CatalogEntry[];
  /**
   * Once a round: drops remembered projects, so that a repository made meanwhile is noticed, and passes over sources
   * that killed whoever read them. Answers these, each once.
   */
  recheck(): readonly string[];
  /** Sources that are passed over because reading them ended engramd again and again. */
  setAside(): readonly string[];
  /** The session of `from` lives on in `path`: what was counted there counts here, as its words are known. */
  inherit(path: string, from: string): void;
  /** The file is gone: forgets it and says how many unread bytes went with it. */
  vanished(path: string): number;
  flush(): void;
}

/** `read`: by whatever reads its agent. `rules`: what it holds now costs nothing. `pass`: too old to be read unasked. */
export type FirstSight = "read" | "rules" | "pass";

export interface CatalogDeps {
  readonly files: Files;
  readonly cursors: Cursors;
  readonly formats: readonly TranscriptFormat[];
  readonly roots: readonly WatchRoot[];
  /** Which project a working directory belongs to; undefined for our own folders and ignored ones. */
  projectOf(cwd: string, source: Source): ProjectRef | undefined;
  /** What becomes of a source seen for the first time. */
  firstSight(source: Source, facts: FileFacts): FirstSight;
  /** Whether a session that a program runs is read; absent: all are. */
  readonly scripts?: Scripts;
  /** Whether words of this agent wait, so that it matters how urgent they are. Default: they do. */
  doWait?(agent: AgentId): boolean;
  /** Whether nothing of the project is read now, so that nobody needs to know how urgent it is. */
  isLeftUnread?(project: ProjectRef): boolean;
}

/** The catalog's memory; everything in it can be had again from the cursors and the disk. */
interface State extends CatalogDeps {
  /** Project by path. Its string has its hash already: one made of path and folder costs ten times as much to look up. */
  readonly projects: Map<string, Placed>;
  readonly pathsOf: Map<ProjectId, Set<string>>;
  /** Every remembered source was placed once; what does not change is not looked at after a start. */
  isPlaced: boolean;
  /** Length at which a source was read to its end, so that a half line at its end does not keep it due. */
  readonly drainedAt: Map<string, number>;
}

export function createCatalog(deps: CatalogDeps): Catalog {
  const { cursors } = deps;
  const formats = deps.formats.map((format) => guardReads(format, cursors.guard));
  const empty = { projects: new Map(), pathsOf: new Map(), isPlaced: false, drainedAt: new Map() };
  const state: State = { ...deps, formats, ...empty };
  return {
    roots: deps.roots,
    recall: (path) => cursors.get(path) ?? (wantedAt(state, path) === undefined ? undefined : "new"),
    isKnown: (path, facts) => isKnown(cursors.get(path), facts),
    lookAt: (path, facts) => lookAt(state, path, facts),
    passOver: (entry, why) => passOver(state, entry, why),
    update: (changed) => cursors.set(changed),
    drained: (path, bytes) => drained(state, path, bytes),
    isUnread: (entry) => isUnread(state, entry),
    get: (path) => entryAt(state, path),
    get size() {
      return cursors.size;
    },
    states: () => cursors.all(),
    *entries() {
      for (const { path } of cursors.all()) {
        const entry = entryAt(state, path);
        if (entry !== undefined) yield entry;
      }
    },
    hasSources: (projectId) => pathsOf(state, projectId).size > 0,
    entriesOf: (projectId) => [...pathsOf(state, projectId)].flatMap((path) => entryAt(state, path) ?? []),
    reopen(path, by) {
      const entry = reopened(state, path, by);
      if (entry === undefined) return undefined;
      state.drainedAt.delete(path);
      cursors.set(entry.state);
      return entry;
    },
    reopened: (path, by) => reopened(state, path, by),
    unmet: (path, facts) => unmet(state, path, facts),
    rescue: (isWanted) => rescue(state, isWanted),
    recheck: () => recheck(state),
    setAside: () => cursors.guard.setAside(),
    inherit: (path, from) => inherit(state, path, from),
    vanished: (path) => vanished(state, path),
    flush: () => cursors.flush(),
  };
}

function pathsOf(state: State, projectId: ProjectId): ReadonlySet<string> {
  if (!state.isPlaced) for (const { path } of state.cursors.all()) entryAt(state, path);
  state.isPlaced = true;
  return state.pathsOf.get(projectId) ?? new Set();
}

function unmet(state: State, path: string, facts: FileFacts): CatalogEntry | undefined {
  const found = wantedAt(state, path);
  if (found === undefined) return undefined;
  const { fileId, bytes, ctimeMs, mtimeMs } = facts;
  const noted = { ...blankState(found.source), fileId, bytes, ctimeMs, mtimeMs };
  if (state.firstSight(found.source, facts) !== "pass") return { ...found, state: noted, project: undefined };
  const passed = { kind: "bytes", offset: bytes, fileId, fingerprint: "" } as const;
  return { ...found, state: { ...noted, passed, passedWhy: "old" }, project: undefined };
}

function rescue(state: State, isWanted: (entry: CatalogEntry) => boolean): CatalogEntry[] {
  const { cursors, drainedAt } = state;
  const passed = [...cursors.all()].filter(
    (known) => known.passedWhy === "old" && backfillBytes(known) > 0 && unreadBytes(known) === 0,
  );
  return passed.flatMap(({ path }) => {
    const entry = entryAt(state, path);
    if (entry === undefined || !isWanted(entry)) return [];
    const open = { ...reopenedState(entry.state, "rules"), rulesUntil: entry.state.bytes };
    const placed = placeAt(state, entry, open);
    if (placed === undefined) return [];
    drainedAt.delete(path);
    cursors.set(placed.entry.state);
    return [placed.entry];
  });
}

function recheck(state: State): readonly string[] {
  state.projects.clear();
  const crashed = state.cursors.guard.settle();
  for (const path of crashed) {
    const entry = entryAt(state, path);
    if (entry !== undefined) passOver(state, entry, "crashed");
  }
  return crashed;
}

function isKnown(
  known: SourceState | undefined,
  facts: Pick<FileFacts, "fileId" | "bytes" | "ctimeMs">,
): boolean {
  if (known === undefined) return false;
  return known.bytes === facts.bytes && known.ctimeMs === facts.ctimeMs && known.fileId === facts.fileId;
}

function sourceAt({ roots, formats }: State, path: string): Located | undefined {
  for (const root of roots) {
    if (!path.startsWith(`${root.path}/`)) continue;
    const format = formats.find((each) => each.agent === root.agent);
    const source = format?.sourceAt(path, root);
    if (format !== undefined && source !== undefined) return { source, format };
  }
  return undefined;
}

/** Sub-agents speak for nobody: their transcripts are no source of memories. */
function wantedAt(state: State, path: string): Located | undefined {
  const found = sourceAt(state, path);
  return found?.source.role === "subagent" ? undefined : found;
}

function projectFor(state: State, known: SourceState, source: Source): ProjectRef | undefined {
  if (known.cwd === undefined) return undefined;
  const placed = state.projects.get(known.path);
  if (placed?.cwd === known.cwd) return placed.project;
  const project = state.projectOf(known.cwd, source);
  state.projects.set(known.path, { cwd: known.cwd, project });
  if (project === undefined) return undefined;
  const paths = state.pathsOf.get(project.id) ?? new Set();
  state.pathsOf.set(project.id, paths.add(known.path));
  return project;
}

function entryAt(state: State, path: string): CatalogEntry | undefined {
  const known = state.cursors.get(path);
  const found = known === undefined ? undefined : sourceAt(state, path);
  if (known === undefined || found === undefined) return undefined;
  return { ...found, state: known, project: projectFor(state, known, found.source) };
}

const NOTHING: Look = { kind: "nothing" };

function lookAt(state: State, path: string, given: FileFacts | undefined): Look {
  const { cursors, files } = state;
  const found = wantedAt(state, path);
  if (found === undefined) return NOTHING;
  const facts = given ?? files.look(path);
  if (facts === undefined || facts.kind !== "file") return NOTHING;
  const before = cursors.get(path);
  if (before === undefined && cursors.size >= WATCH_LIMITS.sourcesMax) return NOTHING;
  const { fileId, bytes, ctimeMs, mtimeMs } = facts;
  const suspect = before !== undefined && (before.suspect || changedOddly(before, facts));
  const sight = before === undefined ? state.firstSight(found.source, facts) : "read";
  const rulesUntil = sight === "rules" ? bytes : Math.min(before?.rulesUntil ?? 0, bytes);
  const noted = {
    ...(before ?? blankState(found.source)),
    fileId,
    bytes,
    ctimeMs,
    mtimeMs,
    suspect,
    rulesUntil,
  };
  if (sight === "pass") {
    passOver(state, { ...found, state: noted, project: undefined }, "old");
    return NOTHING;
  }
  if (noted.cwd === undefined && cursors.guard.setAside().includes(path)) {
    // Its head, which would be looked at, is what cannot be read.
    passOver(state, { ...found, state: noted, project: undefined }, "crashed");
    return NOTHING;
  }
  const placed = place(state, found, noted);
  if (placed === undefined || !isUnread(state, placed.entry)) return NOTHING;
  const { entry, peek } = placed;
  return entry.project === undefined ? { kind: "unplaced", entry } : { kind: "grew", entry, peek };
}

function isUnread({ drainedAt }: State, { state: known }: CatalogEntry): boolean {
  return known.suspect || (unreadBytes(known) > 0 && drainedAt.get(known.path) !== known.bytes);
}

/** Learns from a peek which session and project a source belongs to, and remembers it; what may not be read is not. */
function place(state: State, found: Located, noted: SourceState): Placement | undefined {
  const peek = peekFor(state, found, noted);
  // Remembered, it would count as looked at, and a folder that is opened again changes nothing about the file.
  if (peek === "forbidden") return undefined;
  const why = unheardWhy(state.scripts, noted, peek);
  if (why !== undefined) {
    const sessionId = peek?.sessionId ?? noted.sessionId;
    passOver(state, { ...found, state: { ...noted, sessionId, suspect: false }, project: undefined }, why);
    return undefined;
  }
  // A person goes on in it: what they say is read, and what stands before it stays passed over.
  const heard = isUnheard(noted.passedWhy) ? { ...noted, passedWhy: "headless" as const } : noted;
  const placed = placedBy(state, found, { noted: heard, peek });
  state.cursors.set(placed.entry.state);
  return placed;
}

interface Placement {
  readonly entry: CatalogEntry;
  readonly peek: Peek | undefined;
}

/** The same for whoever asked for it: whatever runs the session. Undefined: it may not be read. Remembers nothing. */
function placeAt(state: State, found: Located, noted: SourceState): Placement | undefined {
  const peek = peekFor(state, found, noted);
  return peek === "forbidden" ? undefined : placedBy(state, found, { noted, peek });
}

function peekFor(state: State, found: Located, noted: SourceState): Peek | "forbidden" | undefined {
  // The look is half of what noticing an append costs.
  const owner = projectFor(state, noted, found.source);
  const isAwaited = owner === undefined || state.isLeftUnread?.(owner) !== true;
  const isUrgencyAsked = isAwaited && state.doWait?.(found.source.agent) !== false;
  const isNeeded = noted.cwd === undefined || isUnheard(noted.passedWhy) || isUrgencyAsked;
  return noted.bytes > 0 && isNeeded ? peekAt(found, noted) : undefined;
}

interface Placing {
  readonly noted: SourceState;
  readonly peek: Peek | undefined;
}

function placedBy(state: State, found: Located, { noted, peek }: Placing): Placement {
  const known = {
    ...noted,
    cwd: noted.cwd ?? peek?.cwd,
    sessionId: peek?.sessionId ?? noted.sessionId,
    scripted: peek?.by === undefined ? noted.scripted : peek.by === "headless",
  };
  return { entry: { ...found, state: known, project: projectFor(state, known, found.source) }, peek };
}

function passOver({ cursors }: State, { format, source, state: known }: CatalogEntry, why: PassedWhy): void {
  const end = format.endOf(source);
  cursors.set(end === undefined ? known : { ...known, passed: end, passedWhy: why });
}

function drained({ cursors, drainedAt }: State, path: string, bytes: number): void {
  const known = cursors.get(path);
  if (known?.suspect === true) cursors.set({ ...known, suspect: false });
  drainedAt.set(path, bytes);
}

function reopened(state: State, path: string, by: ReadBy): CatalogEntry | undefined {
  const found = sourceAt(state, path);
  const known = state.cursors.get(path);
  if (found === undefined || known === undefined) return undefined;
  return placeAt(state, found, reopenedState(known, by))?.entry;
}

function inherit({ cursors }: State, path: string, from: string): void {
  const [heir, gone] = [cursors.get(path), cursors.get(from)];
  if (heir !== undefined && gone !== undefined) cursors.set({ ...heir, typed: heir.typed + gone.typed });
}

function vanished({ cursors, drainedAt, pathsOf, projects }: State, path: string): number {
  const known = cursors.get(path);
  projects.delete(path);
  for (const [id, paths] of pathsOf) if (paths.delete(path) && paths.size === 0) pathsOf.delete(id);
  cursors.forget(path);
  cursors.guard.forget(path);
  drainedAt.delete(path);
  return known === undefined ? 0 : unreadBytes(known);
}

/** Anything but growth of the same file: replaced, cut, rewritten in place, or merely touched. */
function changedOddly(before: SourceState, facts: FileFacts): boolean {
  return before.fileId !== facts.fileId || facts.bytes <= before.bytes;
}

function peekAt(found: Located, state: SourceState): Peek | "forbidden" | undefined {
  try {
    // Without a working directory the head is looked at, else only what is new.
    const isHead = state.cwd === undefined && !isStillUnheard(state);
    return found.format.peek(found.source, isHead ? 0 : (positionOf(state)?.offset ?? 0));
  } catch (error) {
    if (systemCode(error) === "source-gone") return undefined;
    if (systemCode(error) === "EACCES") return "forbidden";
    throw error;
  }
}
