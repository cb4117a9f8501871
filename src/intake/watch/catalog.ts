// Every transcript known, the project it belongs to, and what of it is unread. The disk is the truth:
// the catalog only compares facts of files with cursors. It reads no content except one peek per new source.
import type { ProjectId, ProjectRef } from "../../domain/sessions.ts";
import { systemCode } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { FileFacts, Files } from "../../system/files.ts";
import type { Cursors, PassedWhy, SourceState } from "../transcripts/cursors.ts";
import { positionOf, unreadBytes } from "../transcripts/cursors.ts";
import type { Peek, Source, TranscriptFormat, WatchRoot } from "../transcripts/format.ts";

/** A source with its project; `project` is undefined until a record names a working directory. */
export interface CatalogEntry {
  readonly source: Source;
  readonly format: TranscriptFormat;
  readonly state: SourceState;
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
  /** Whether the facts are the ones already known: the sweep's only question, so it must stay cheap. */
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
  entries(): IterableIterator<CatalogEntry>;
  /** Sources of one project, in no order. */
  entriesOf(projectId: ProjectId): CatalogEntry[];
  /** Makes bytes that were passed over unread again, for a backfill. */
  reopen(path: string): CatalogEntry | undefined;
  /** The file is gone: forgets it and says how many unread bytes went with it. */
  vanished(path: string): number;
  flush(): void;
}

export interface CatalogDeps {
  readonly files: Files;
  readonly cursors: Cursors;
  readonly formats: readonly TranscriptFormat[];
  readonly roots: readonly WatchRoot[];
  /** Which project a working directory belongs to; undefined for our own folders and ignored ones. */
  projectOf(cwd: string, source: Source): ProjectRef | undefined;
  /** Whether a source seen for the first time is too old to be read without being asked. */
  isTooOld(facts: FileFacts): boolean;
}

export function createCatalog(deps: CatalogDeps): Catalog {
  const { files, cursors, roots } = deps;
  const projects = new Map<string, ProjectRef | undefined>();
  const pathsOf = new Map<ProjectId, Set<string>>();
  // Length at which a source was read to its end, so that a half line at its end does not keep it due.
  const drainedAt = new Map<string, number>();
  const formatOf = (agent: string) => deps.formats.find((format) => format.agent === agent);

  function sourceAt(path: string): Located | undefined {
    for (const root of roots) {
      const format = formatOf(root.agent);
      const source = path.startsWith(`${root.path}/`) ? format?.sourceAt(path, root) : undefined;
      if (format !== undefined && source !== undefined) return { source, format };
    }
    return undefined;
  }

  function projectFor(state: SourceState, source: Source): ProjectRef | undefined {
    if (state.cwd === undefined) return undefined;
    const key = `${source.root.agentHome}\0${state.path}\0${state.cwd}`;
    if (!projects.has(key)) projects.set(key, deps.projectOf(state.cwd, source));
    const project = projects.get(key);
    if (project !== undefined) {
      const paths = pathsOf.get(project.id);
      if (paths === undefined) pathsOf.set(project.id, new Set([state.path]));
      else paths.add(state.path);
    }
    return project;
  }

  function entryOf(state: SourceState): CatalogEntry | undefined {
    const found = sourceAt(state.path);
    return found === undefined ? undefined : { ...found, state, project: projectFor(state, found.source) };
  }

  function lookAt(path: string, known?: FileFacts): Look {
    const found = sourceAt(path);
    if (found === undefined || found.source.role === "subagent") return { kind: "nothing" };
    const facts = known ?? files.look(path);
    if (facts === undefined || facts.kind !== "file") return { kind: "nothing" };
    const before = cursors.get(path);
    if (before === undefined && cursors.size >= WATCH_LIMITS.sourcesMax) return { kind: "nothing" };
    const { fileId, bytes, ctimeMs, mtimeMs } = facts;
    const suspect = before !== undefined && (before.suspect || changedOddly(before, facts));
    const noted: SourceState = {
      ...(before ?? blankState(found.source)),
      fileId,
      bytes,
      ctimeMs,
      mtimeMs,
      suspect,
    };
    if (before === undefined && deps.isTooOld(facts)) {
      passOver({ ...found, state: noted, project: undefined }, "old");
      return { kind: "nothing" };
    }
    const { entry, peek } = place(found, noted);
    if (!isUnread(entry)) return { kind: "nothing" };
    return entry.project === undefined ? { kind: "unplaced", entry } : { kind: "grew", entry, peek };
  }

  function isUnread({ state }: CatalogEntry): boolean {
    return state.suspect || (unreadBytes(state) > 0 && drainedAt.get(state.path) !== state.bytes);
  }

  /** Learns from a peek which session and project a source belongs to, and remembers it. */
  function place(found: Located, noted: SourceState): { entry: CatalogEntry; peek: Peek | undefined } {
    const peek = noted.bytes > 0 ? peekAt(found, noted) : undefined;
    const state = { ...noted, cwd: noted.cwd ?? peek?.cwd, sessionId: peek?.sessionId ?? noted.sessionId };
    cursors.set(state);
    return { entry: { ...found, state, project: projectFor(state, found.source) }, peek };
  }

  function passOver({ format, source, state }: CatalogEntry, why: PassedWhy): void {
    const end = format.endOf(source);
    cursors.set(end === undefined ? state : { ...state, passed: end, passedWhy: why });
  }

  return {
    roots,
    isKnown(path, facts) {
      const state = cursors.get(path);
      return (
        state !== undefined &&
        state.bytes === facts.bytes &&
        state.ctimeMs === facts.ctimeMs &&
        state.fileId === facts.fileId
      );
    },
    lookAt,
    passOver,
    update: (state) => cursors.set(state),
    drained(path, bytes) {
      const state = cursors.get(path);
      if (state?.suspect === true) cursors.set({ ...state, suspect: false });
      drainedAt.set(path, bytes);
    },
    isUnread,
    get(path) {
      const state = cursors.get(path);
      return state === undefined ? undefined : entryOf(state);
    },
    *entries() {
      for (const state of cursors.all()) {
        const entry = entryOf(state);
        if (entry !== undefined) yield entry;
      }
    },
    entriesOf(projectId) {
      const paths = pathsOf.get(projectId) ?? [];
      return [...paths].flatMap((path) => {
        const state = cursors.get(path);
        const entry = state === undefined ? undefined : entryOf(state);
        return entry === undefined ? [] : [entry];
      });
    },
    reopen(path) {
      const found = sourceAt(path);
      const state = cursors.get(path);
      if (found === undefined || state === undefined) return undefined;
      return place(found, { ...state, passed: undefined, passedWhy: undefined }).entry;
    },
    vanished(path) {
      const state = cursors.get(path);
      cursors.forget(path);
      drainedAt.delete(path);
      return state === undefined ? 0 : unreadBytes(state);
    },
    flush: () => cursors.flush(),
  };
}

/** Anything but growth of the same file: replaced, cut, rewritten in place, or merely touched. */
function changedOddly(before: SourceState, facts: FileFacts): boolean {
  return before.fileId !== facts.fileId || facts.bytes <= before.bytes;
}

function peekAt(found: Located, state: SourceState): Peek | undefined {
  try {
    // Without a working directory the head is looked at, else only what is new.
    return found.format.peek(found.source, state.cwd === undefined ? 0 : (positionOf(state)?.offset ?? 0));
  } catch (error) {
    if (systemCode(error) === "source-gone" || systemCode(error) === "EACCES") return undefined;
    throw error;
  }
}

function blankState(source: Source): SourceState {
  return {
    path: source.path,
    agent: source.agent,
    sessionId: source.sessionId,
    cwd: undefined,
    fileId: "",
    bytes: 0,
    ctimeMs: 0,
    mtimeMs: 0,
    read: undefined,
    passed: undefined,
    passedWhy: undefined,
    suspect: false,
    typed: 0,
    headlessTyped: 0,
    damaged: 0,
    skipped: 0,
    unknownTypes: {},
  };
}
