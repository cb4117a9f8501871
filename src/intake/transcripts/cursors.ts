// How far every source has been processed: an in-memory map over an append-only journal in `cursors/`.
// Rewriting 10,000 cursors costs 1,500 appends (measured), so changed entries are appended in one batch.
// A lost tail only means that bytes are read again, so nothing here waits for the disk.
import { join } from "node:path";
import type { Fields } from "../../domain/json.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import type { AgentId } from "../../domain/sessions.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import type { Cursor } from "./format.ts";
import type { ReadBy } from "./lineage.ts";
import type { ReadGuard } from "./read-guard.ts";
import { createReadGuard } from "./read-guard.ts";

/** Why bytes were passed over without being learnt from; a backfill can still read them. */
export type PassedWhy = "old" | "headless" | "memory-off" | "mode-off" | "crashed" | Unheard;

/** Sessions of programs that nobody looks into: too many of them, another tool's watching, engramd's own. */
export type Unheard = "flood" | "observer" | "ours";

/** It makes no project either: no working directory of it is remembered. */
export function isUnheard(why: PassedWhy | undefined): why is Unheard {
  return why === "flood" || why === "observer" || why === "ours";
}

/** Everything remembered about one source. */
export interface SourceState {
  readonly path: string;
  readonly agent: AgentId;
  readonly sessionId: string;
  /** First working directory named in the file; undefined until one was found. */
  readonly cwd: string | undefined;
  /** Facts of the file when it was last looked at. */
  readonly fileId: string;
  readonly bytes: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  /** Read up to here, by rules or by a model. */
  readonly read: Cursor | undefined;
  /** Looked at up to here although not all of it was learnt from; never before `read`. */
  readonly passed: Cursor | undefined;
  readonly passedWhy: PassedWhy | undefined;
  /**
   * Words before this offset were read by rules only, or are left to them: they were there before a model was allowed.
   * A model reads them when a person asks for a backfill. 0: none.
   */
  readonly rulesUntil: number;
  /** A backfill reads up to here once more for a model: what only rules have seen teaches again. 0: none. */
  readonly again: number;
  /** A program runs the session, as far as it was looked at. */
  readonly scripted: boolean;
  /** The file changed in another way than by growing: the cursor must prove itself before it is believed. */
  readonly suspect: boolean;
  /** The person said "off the record" in it: what comes after teaches nothing. */
  readonly offRecord: boolean;
  /** A `<private>` of an earlier message is open where the cursor stands. */
  readonly inPrivate: boolean;
  /** Its bytes when a model found even small pieces of it too long; it waits until it grows or a person asks. */
  readonly tooLongAt?: number;
  /** Typed messages not already counted in another source of the project. */
  readonly typed: number;
  /** Typed messages skipped because a script sent them. */
  readonly headlessTyped: number;
  readonly damaged: number;
  readonly skipped: number;
  readonly unknownTypes: Readonly<Record<string, number>>;
}

export interface Cursors {
  /** True when no journal existed: engramd has never read anything here. */
  readonly firstStart: boolean;
  get(path: string): SourceState | undefined;
  all(): IterableIterator<SourceState>;
  readonly size: number;
  /** Takes effect in memory at once and on disk with the next `flush`. */
  set(state: SourceState): void;
  forget(path: string): void;
  /** Appends every changed entry in one write. */
  flush(): void;
  /** Which sources killed the process that read them; kept in the same folder. */
  readonly guard: ReadGuard;
}

/** The journal is compacted once it holds this many times the live entries. */
const COMPACT_FACTOR = 2;
const COMPACT_LINES_MIN = 1000;

export function createCursors({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): Cursors {
  const folder = join(stateDir, "cursors");
  const journal = join(folder, "sources.jsonl");
  const loaded = load(files, journal);
  const states = loaded.states;
  const changed = new Set<string>();
  let lines = loaded.lines;

  function compact(): void {
    const text = [...states.values()].map(lineOf).join("");
    files.ensureFolder(folder);
    files.replace(journal, text);
    lines = states.size;
  }

  if (lines > COMPACT_LINES_MIN && lines > COMPACT_FACTOR * states.size) compact();

  return {
    firstStart: loaded.missing,
    guard: createReadGuard({ files, folder }),
    get: (path) => states.get(path),
    all: () => states.values(),
    get size() {
      return states.size;
    },
    set(state) {
      states.set(state.path, state);
      changed.add(state.path);
    },
    forget(path) {
      if (states.delete(path)) changed.add(path);
    },
    flush() {
      if (changed.size === 0) return;
      const batch = [...changed].map((path) => {
        const state = states.get(path);
        return state === undefined ? `${JSON.stringify({ v: 1, gone: path })}\n` : lineOf(state);
      });
      if (lines + batch.length > COMPACT_LINES_MIN && lines + batch.length > COMPACT_FACTOR * states.size)
        compact();
      else {
        files.ensureFolder(folder);
        files.append(journal, batch.join(""));
        lines += batch.length;
      }
      changed.clear();
    },
  };
}

const LINE_FEED = 0x0a;

function lineOf(state: SourceState): string {
  return `${JSON.stringify({ v: 1, ...state })}\n`;
}

function load(
  files: Files,
  path: string,
): { states: Map<string, SourceState>; lines: number; missing: boolean } {
  const states = new Map<string, SourceState>();
  const content = files.read(path, STATE_LIMITS.stateFileBytesMax);
  if (content === undefined) return { states, lines: 0, missing: true };
  // A torn last line is the crash this format is made for; the next append must not be glued to it.
  if (content.length > 0 && content.at(-1) !== LINE_FEED) files.append(path, "\n");
  const agents = new Map<string, AgentId>();
  let lines = 0;
  for (let start = 0; start < content.length;) {
    const found = content.indexOf(LINE_FEED, start);
    const end = found < 0 ? content.length : found;
    const line = content.toString("utf8", start, end);
    start = end + 1;
    if (line === "") continue;
    lines += 1;
    const entry = parseLine(line);
    if (entry === undefined) continue;
    if ("gone" in entry) states.delete(entry.gone);
    else states.set(entry.path, sharing(entry, agents));
  }
  return { states, lines, missing: false };
}

/** The same state; what thousands of parsed ones have in common is held once, which is a sixth of their memory. */
function sharing(state: SourceState, agents: Map<string, AgentId>): SourceState {
  const agent = agents.get(state.agent) ?? state.agent;
  agents.set(agent, agent);
  const { fileId } = state;
  const sameFile = (cursor: Cursor | undefined) =>
    cursor?.fileId === fileId ? { ...cursor, fileId } : cursor;
  const unknownTypes = Object.keys(state.unknownTypes).length === 0 ? NO_TYPES : state.unknownTypes;
  return { ...state, agent, unknownTypes, read: sameFile(state.read), passed: sameFile(state.passed) };
}

/** A line that cannot be read is skipped: its source is read again and known records are dropped. */
function parseLine(line: string): SourceState | { readonly gone: string } | undefined {
  const value = parseJson(line);
  if (!isFields(value) || value["v"] !== 1) return undefined;
  if (typeof value["gone"] === "string") return { gone: value["gone"] };
  if (!isNamed(value)) return undefined;
  const { v: _, ...state } = value as unknown as Partial<SourceState> & { v: 1 };
  return { ...blankState(value), ...state };
}

function isNamed(value: Fields): value is Fields & Pick<SourceState, "path" | "agent" | "sessionId"> {
  return ["path", "agent", "sessionId"].every((key) => typeof value[key] === "string");
}

const NO_TYPES: SourceState["unknownTypes"] = Object.freeze({});

/** What is remembered of a source nobody has looked at yet. */
export function blankState({
  path,
  agent,
  sessionId,
}: Pick<SourceState, "path" | "agent" | "sessionId">): SourceState {
  return {
    path,
    agent,
    sessionId,
    cwd: undefined,
    fileId: "",
    bytes: 0,
    ctimeMs: 0,
    mtimeMs: 0,
    read: undefined,
    passed: undefined,
    passedWhy: undefined,
    rulesUntil: 0,
    again: 0,
    scripted: false,
    suspect: false,
    offRecord: false,
    inPrivate: false,
    typed: 0,
    headlessTyped: 0,
    damaged: 0,
    skipped: 0,
    unknownTypes: NO_TYPES,
  };
}

/** Where ordinary reading goes on: the further of the two cursors. */
export function positionOf(state: SourceState): Cursor | undefined {
  const { read, passed } = state;
  if (passed === undefined) return read;
  return read === undefined || passed.offset > read.offset ? passed : read;
}

/** Bytes after the position; what a job would read now. */
export function unreadBytes(state: SourceState): number {
  return Math.max(0, state.bytes - (positionOf(state)?.offset ?? 0));
}

/** Bytes a backfill would read. */
export function backfillBytes(state: SourceState): number {
  return Math.max(0, state.bytes - (state.read?.offset ?? 0));
}

/**
 * The state from which a backfill reads: what was passed over is unread again. A model also reads again, from the
 * start, a source of which rules alone have read something; what a model has seen stays seen.
 */
export function reopenedState(state: SourceState, by: ReadBy): SourceState {
  const open = { ...state, passed: undefined, passedWhy: undefined };
  if (by === "rules" || state.rulesUntil === 0) return open;
  // "Off the record" is met again where it was said; what stands before it may teach.
  return { ...open, read: undefined, rulesUntil: 0, again: state.bytes, offRecord: false, inPrivate: false };
}
