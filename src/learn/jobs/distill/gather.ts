// What of the logs of a folder is new: whole lines behind each log's cursor, oldest first, up to a bound. Reads only; the
// cursors it answers with are moved by whoever has seen to the words.
import { DAILY_LOG_LIMITS } from "../../../domain/limits.ts";
import type { AssistantText, Instant, UserText } from "../../../domain/records.ts";
import type { AgentId } from "../../../domain/sessions.ts";
import type { LogEntry } from "../../../memory/files/log-entries.ts";
import { parseLog, wholeLines } from "../../../memory/files/log-entries.ts";
import type { LogFile } from "../../../memory/files/log-folder.ts";
import { listLogs, readableLog } from "../../../memory/files/log-folder.ts";
import type { OwnBullets } from "../../../memory/files/own-bullets.ts";
import { renderText } from "../../../memory/secrets/render.ts";
import { contentHash } from "../../../system/ids.ts";
import { releaseRecords } from "../../offline/privacy.ts";
import { trustedAt } from "../local-time.ts";
import type { DistillAsk, DistillDeps } from "./contract.ts";
import type { LogCursor, LogCursors } from "./cursors.ts";

/** One entry of a log, as a model or the rules may read it. */
export interface NewEntry extends Pick<LogEntry, "id" | "by" | "endOffset"> {
  /** Masked, one line, bounded: the one rendering of it. */
  readonly text: string;
  readonly at: Instant;
  /** The agent whose log it is, or in whose session it was said. */
  readonly agent: AgentId;
  readonly log: LogFile;
  /** The cursor of its log once everything up to it is done. */
  readonly cursor: () => LogCursor;
}

export interface Gathered {
  readonly entries: readonly NewEntry[];
  /** Logs of which somebody changed what was distilled before. */
  readonly edited: readonly string[];
  readonly odd: readonly { readonly path: string; readonly why: string }[];
  /** There is more than one job holds. */
  readonly more: boolean;
  /** When the first log that is still written to will be quiet; undefined when none is. */
  readonly quietAt: Instant | undefined;
  /** Logs of which nothing is left to be done, with their cursors. */
  readonly done: ReadonlyMap<string, LogCursor>;
  /** Every log that is there. */
  readonly present: ReadonlySet<string>;
}

export interface GatherInput {
  readonly ask: DistillAsk;
  readonly deps: Pick<DistillDeps, "files" | "clock" | "today" | "ownBullets" | "isIgnored">;
  readonly cursors: LogCursors;
  /** A second round of the same job: what one date asked for again has been read. */
  readonly goesOn?: boolean;
}

/** Bytes of logs held at a time, whatever their lines. */
const BYTES_MAX = 2 * DAILY_LOG_LIMITS.fileBytesMax;
const DAY_MS = 86_400_000;

interface Gathering extends Omit<GatherInput, "goesOn"> {
  readonly again: boolean;
  readonly own: OwnBullets;
  readonly oldest: string;
  readonly entries: NewEntry[];
  readonly edited: string[];
  readonly odd: { readonly path: string; readonly why: string }[];
  readonly done: Map<string, LogCursor>;
  bytes: number;
  quietAt: Instant | undefined;
}

export function gather({ ask, deps, cursors, goesOn = false }: GatherInput): Gathered {
  const { files, clock } = deps;
  const { logs, odd } = listLogs(files, ask.memoryDir);
  const state: Gathering = {
    ask,
    deps,
    cursors,
    again: ask.date !== undefined && !goesOn,
    own: deps.ownBullets(ask.memoryDir),
    oldest: oldestDay(ask, cursors, clock.now()),
    entries: [],
    edited: [],
    odd: [...odd],
    done: new Map(),
    bytes: 0,
    quietAt: undefined,
  };
  let more = false;
  for (const log of logs) {
    if (ask.date !== undefined && log.date !== ask.date) continue;
    if (state.entries.length >= DAILY_LOG_LIMITS.linesMax || state.bytes >= BYTES_MAX) {
      more ||= isChanged(log, cursors.of(log.path));
      continue;
    }
    more = lookAt(log, state) || more;
  }
  const { entries, edited, done, quietAt } = state;
  return {
    entries,
    edited,
    done,
    quietAt,
    odd: state.odd,
    more,
    present: new Set(logs.map(({ path }) => path)),
  };
}

/** Whoever distils a folder for the first time by itself does not pay for years of logs. */
function oldestDay({ byPerson, date }: DistillAsk, cursors: LogCursors, now: Instant): string {
  if (byPerson === true || date !== undefined || cursors.isKnown) return "";
  return new Date(now - DAILY_LOG_LIMITS.firstDays * DAY_MS).toISOString().slice(0, "YYYY-MM-DD".length);
}

function isChanged({ bytes, mtimeMs }: LogFile, cursor: LogCursor | undefined): boolean {
  return cursor === undefined || cursor.size !== bytes || cursor.mtimeMs !== mtimeMs;
}

/** True when there was no room for all of it. */
function lookAt(log: LogFile, state: Gathering): boolean {
  const { ask, deps, cursors } = state;
  const cursor = cursors.of(log.path);
  if (!state.again && !isChanged(log, cursor)) return false;
  const quietAt = quietTimeOf(log, deps.clock.now());
  if (ask.byPerson !== true && quietAt !== undefined) {
    state.quietAt = Math.min(state.quietAt ?? quietAt, quietAt);
    return false;
  }
  const content = readableLog(deps.files, ask.memoryDir, log, (why) =>
    state.odd.push({ path: log.path, why: `cannot be read (${why})` }),
  );
  return content === undefined ? false : take({ log, content: wholeLines(content), cursor }, state);
}

/** Undefined for a log nobody writes to now. A time ahead of ours tells nothing. */
function quietTimeOf({ mtimeMs }: LogFile, now: Instant): Instant | undefined {
  const age = now - mtimeMs;
  return age >= 0 && age < DAILY_LOG_LIMITS.quietMs ? mtimeMs + DAILY_LOG_LIMITS.quietMs : undefined;
}

interface Taken {
  readonly log: LogFile;
  /** Whole lines. */
  readonly content: Buffer;
  readonly cursor: LogCursor | undefined;
}

function take({ log, content, cursor }: Taken, state: Gathering): boolean {
  const { deps } = state;
  const isEdited =
    cursor !== undefined &&
    (content.length < cursor.bytes || contentHash(content.subarray(0, cursor.bytes)) !== cursor.hash);
  if (isEdited) state.edited.push(log.path);
  const known = new Set(state.again ? [] : idsIn(cursor?.known ?? ""));
  const from = state.again || isEdited ? 0 : (cursor?.bytes ?? 0);
  const zone = deps.clock.timeZone();
  const parsed = parseLog({ ...log, content, timeZone: zone, own: state.own });
  const cursorAt = cursorsOf({ log, content, parsed, before: cursor });
  const isOld = log.date < state.oldest;
  const kept = parsed.filter(({ own }) => own?.sessions?.some(deps.isIgnored) !== true);
  const fresh = isOld ? [] : released(kept, log, deps.clock.now()).filter(isNewIn({ from, known }));
  if (fresh.length === 0) {
    if (isChanged(log, cursor)) state.done.set(log.path, cursorAt(content.length));
    return false;
  }
  state.bytes += content.length;
  const room = DAILY_LOG_LIMITS.linesMax - state.entries.length;
  const taken = fresh.slice(0, room);
  const last = taken.at(-1);
  for (const entry of taken) {
    // With its last entry the log is done; what follows holds no words.
    const end = entry === last && taken.length === fresh.length ? content.length : entry.endOffset;
    const agent = parsed.find(({ id }) => id === entry.id)?.own?.agent ?? "claude-code";
    state.entries.push({ ...entry, agent, log, cursor: () => cursorAt(end) });
  }
  return taken.length < fresh.length;
}

function isNewIn({ from, known }: { readonly from: number; readonly known: ReadonlySet<string> }) {
  const here = new Set<string>();
  return ({ id, endOffset }: Pick<LogEntry, "id" | "endOffset">) => {
    const isNew = endOffset > from && !known.has(endOfId(id)) && !here.has(id);
    here.add(id);
    return isNew;
  };
}

/** Hex characters that end the id of an entry. */
const ID_CHARS = 10;

function endOfId(id: string): string {
  return id.slice(-ID_CHARS);
}

function idsIn(known: string): string[] {
  return known.match(new RegExp(`.{${ID_CHARS}}`, "gu")) ?? [];
}

interface CursorInput extends Omit<Taken, "cursor"> {
  readonly parsed: readonly LogEntry[];
  readonly before: LogCursor | undefined;
}

/** The file counts as read only where all of it is: else it is looked at again. */
function cursorsOf({ log, content, parsed }: CursorInput): (bytes: number) => LogCursor {
  return (bytes) => ({
    bytes,
    hash: contentHash(content.subarray(0, bytes)),
    size: bytes === content.length ? log.bytes : 0,
    mtimeMs: bytes === content.length ? log.mtimeMs : 0,
    known: parsed.flatMap(({ id, endOffset }) => (endOffset <= bytes ? [endOfId(id)] : [])).join(""),
  });
}

type Rendered = Pick<NewEntry, "id" | "by" | "endOffset" | "text" | "at">;

/** As the person wants it: without what is private, or what they asked not to be kept. */
function released(entries: readonly LogEntry[], log: LogFile, now: Instant): Rendered[] {
  // What engramd wrote was said at many times and places: such a wish is about the one bullet it stands in.
  const heard = entries.filter(
    (entry) => entry.own === undefined || !releaseRecords([recordOf(entry, log)]).silenced,
  );
  const records = heard.map((entry) => recordOf(entry, log));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return releaseRecords(records).records.flatMap((record) => {
    const entry = byId.get(record.recordId);
    if (entry === undefined || !("text" in record)) return [];
    const text = bounded(renderText(record.text).replaceAll("\n", " ").trim());
    const at = trustedAt(entry.at, now) ?? now;
    return text === "" ? [] : [{ id: entry.id, by: entry.by, endOffset: entry.endOffset, text, at }];
  });
}

function recordOf({ id, by, text, at, endOffset }: LogEntry, log: LogFile): UserText | AssistantText {
  return {
    kind: by === "user" ? "user-text" : "assistant-text",
    recordId: id,
    sessionId: sessionIdOf(log),
    agent: "claude-code",
    at,
    cwd: undefined,
    origin: "user",
    endOffset,
    text,
  };
}

export function sessionIdOf({ session, date }: Pick<LogFile, "session" | "date">): string {
  return session ?? `log-${date}`;
}

function bounded(text: string): string {
  const { bulletCharsMax } = DAILY_LOG_LIMITS;
  return text.length <= bulletCharsMax
    ? text
    : `${text.slice(0, bulletCharsMax).replace(/\S{1,300}$/u, "")}…`;
}
