// Finds and reads the logs of a memory folder, in both layouts: one file a day, or one a session. Never follows a link,
// never writes; what is no log is passed over.
import { join } from "node:path";
import { isCalendarDate } from "../../domain/calendar.ts";
import { AppError, messageOf, systemCode } from "../../domain/errors.ts";
import { DAILY_LOG_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { type Folder, kindText, openFolder } from "../../system/folder.ts";
import { LOGS_FOLDER } from "./daily-log.ts";

export interface LogFile {
  /** Below the memory folder, with slashes. */
  readonly path: string;
  /** `YYYY-MM-DD`, from its name. */
  readonly date: string;
  /** Of one session; undefined for the log of a whole day. */
  readonly session: string | undefined;
  readonly bytes: number;
  readonly mtimeMs: Instant;
}

export interface LogFolder {
  /** By day, then by name. */
  readonly logs: readonly LogFile[];
  /** Not looked into, and why. */
  readonly odd: readonly { readonly path: string; readonly why: string }[];
}

const YEAR = /^\d{4}$/u;
const TWO_DIGITS = /^\d{2}$/u;
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.md$/u;
const SESSION_FILE = /^([^\s.][^\s]{0,200}?)(?:-.*)?\.md$/u;
/** Ids of sessions are UUIDs as a rule; then the title begins behind all of it. */
const UUID_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-.*)?\.md$/iu;

/** `memoryDir` is the folder's real path. */
export function listLogs(
  files: Files,
  memoryDir: string,
  { days }: { readonly days?: readonly string[] } = {},
): LogFolder {
  const isWanted = (part: string) => days === undefined || days.some((day) => day.startsWith(part));
  const kind = files.look(join(memoryDir, LOGS_FOLDER))?.kind;
  if (kind === undefined) return { logs: [], odd: [] };
  if (kind !== "folder") {
    return { logs: [], odd: [{ path: LOGS_FOLDER, why: kindText(kind) }] };
  }
  const found: Found = { files, memoryDir, isWanted, logs: [], odd: [] };
  for (const year of foldersIn(found, [], YEAR)) {
    for (const month of foldersIn(found, [year], TWO_DIGITS)) {
      addDays(found, [year, month]);
      for (const day of foldersIn(found, [year, month], TWO_DIGITS)) addSessions(found, [year, month, day]);
    }
  }
  const logs = found.logs.toSorted((a, b) => order(a.date, b.date) || order(a.path, b.path));
  return { logs, odd: found.odd };
}

/** Undefined when it is gone. Throws `unsafe-file`, `too-large` or `folder-swapped`. */
export function readLog(
  files: Files,
  memoryDir: string,
  { path }: Pick<LogFile, "path">,
): Buffer | undefined {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  return within(files, join(memoryDir, ...parts), (folder) =>
    folder.read(name, DAILY_LOG_LIMITS.fileBytesMax),
  )?.content;
}

/** As `readLog`; one that cannot be read is told and passed over, so that it keeps nobody from the others. */
export function readableLog(
  files: Files,
  memoryDir: string,
  log: Pick<LogFile, "path">,
  tell: (why: string) => void = () => undefined,
): Buffer | undefined {
  try {
    return readLog(files, memoryDir, log);
  } catch (error) {
    if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
    tell(messageOf(error));
    return undefined;
  }
}

interface Found {
  readonly files: Files;
  readonly memoryDir: string;
  /** Whether a year, a month or a day is asked for. */
  isWanted(part: string): boolean;
  readonly logs: LogFile[];
  readonly odd: { path: string; why: string }[];
}

/** Names of folders below a part of `logs/`; one that leads elsewhere is named, not entered. */
function foldersIn(found: Found, parts: readonly string[], pattern: RegExp): string[] {
  return entriesOf(found, parts).flatMap(({ name, kind }) => {
    if (kind === "file" || !pattern.test(name) || !found.isWanted([...parts, name].join("-"))) return [];
    if (kind === "folder") return [name];
    found.odd.push({ path: [LOGS_FOLDER, ...parts, name].join("/"), why: kindText(kind) });
    return [];
  });
}

function addDays(found: Found, parts: readonly string[]): void {
  const [year = "", month = ""] = parts;
  for (const entry of entriesOf(found, parts)) {
    const date = DAY_FILE.exec(entry.name)?.[1];
    // A log in the folder of another month is somebody's copy.
    if (date?.startsWith(`${year}-${month}-`) === true) addLog(found, { ...entry, parts, date });
  }
}

function addSessions(found: Found, parts: readonly string[]): void {
  for (const entry of entriesOf(found, parts)) {
    const session = (UUID_FILE.exec(entry.name) ?? SESSION_FILE.exec(entry.name))?.[1];
    if (session !== undefined) addLog(found, { ...entry, parts, date: parts.join("-"), session });
  }
}

interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly bytes: number;
  readonly mtimeMs: Instant;
}

interface LogEntryAt extends Entry {
  readonly parts: readonly string[];
  readonly date: string;
  readonly session?: string;
}

function addLog(found: Found, { name, kind, bytes, mtimeMs, parts, date, session }: LogEntryAt): void {
  const path = [LOGS_FOLDER, ...parts, name].join("/");
  if (!found.isWanted(date) || !isCalendarDate(date)) return;
  if (kind !== "file") found.odd.push({ path, why: kindText(kind) });
  else if (bytes > DAILY_LOG_LIMITS.fileBytesMax) found.odd.push({ path, why: "is too large for a log" });
  else if (found.logs.length < DAILY_LOG_LIMITS.filesMax)
    found.logs.push({ path, date, session, bytes, mtimeMs });
}

function entriesOf({ files, memoryDir, odd }: Found, parts: readonly string[]): readonly Entry[] {
  const path = [LOGS_FOLDER, ...parts].join("/");
  try {
    const entries = within(files, join(memoryDir, path), (folder) =>
      folder
        .names()
        .toSorted()
        .slice(0, DAILY_LOG_LIMITS.filesMax)
        .flatMap((name) => {
          const facts = folder.look(name);
          return facts === undefined ? [] : [{ name, ...facts }];
        }),
    );
    return entries ?? [];
  } catch (error) {
    if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
    odd.push({ path, why: messageOf(error) });
    return [];
  }
}

function within<T>(files: Files, path: string, work: (folder: Folder) => T): T | undefined {
  const folder = openFolder(files, path);
  if (folder === undefined) return undefined;
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
