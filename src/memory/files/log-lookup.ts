// Finds entries of daily logs again: by their ids, which name their day, or by words. Bounded; writes nothing.
import type { TimeZone } from "../../domain/calendar.ts";
import { DAILY_LOG_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { parseLog, wholeLines } from "./log-entries.ts";
import type { LogFile } from "./log-folder.ts";
import { listLogs, readableLog } from "./log-folder.ts";
import type { OwnBullets } from "./own-bullets.ts";

export interface LogPlaces {
  readonly files: Files;
  /** Of the memory folder; a link is followed. */
  readonly memoryDir: string;
  readonly timeZone: TimeZone;
  own(): OwnBullets;
}

export interface FoundEntry {
  /** Below the memory folder. */
  readonly path: string;
  /** As written; not masked. */
  readonly text: string;
}

const ENTRY_ID = /^log-(\d{4})(\d{2})(\d{2})-[0-9a-f]+$/u;

export function isLogEntryId(id: string): boolean {
  return ENTRY_ID.test(id);
}

/** By id; without those that are not there any more. */
export function entriesCalled(
  ids: readonly string[],
  { files, memoryDir, timeZone, own }: LogPlaces,
): ReadonlyMap<string, FoundEntry> {
  const found = new Map<string, FoundEntry>();
  const real = files.real(memoryDir);
  const days = new Set(ids.flatMap((id) => ENTRY_ID.exec(id)?.slice(1).join("-") ?? []));
  if (real === undefined || days.size === 0) return found;
  const wanted = new Set(ids);
  const known = own();
  for (const [log, content] of readNewest(files, real, listLogs(files, real, { days: [...days] }).logs)) {
    for (const entry of parseLog({ ...log, content: wholeLines(content), timeZone, own: known })) {
      if (wanted.has(entry.id)) found.set(entry.id, { path: log.path, text: entry.text });
    }
  }
  return found;
}

/** Logs that hold one of these, whatever the case of its letters. */
export function logsThatSay(
  words: readonly string[],
  { files, memoryDir }: Pick<LogPlaces, "files" | "memoryDir">,
): readonly string[] {
  const real = files.real(memoryDir);
  if (real === undefined || words.length === 0) return [];
  const wanted = words.map((each) => each.toLowerCase());
  const paths: string[] = [];
  for (const [{ path }, content] of readNewest(files, real, listLogs(files, real).logs)) {
    const text = content.toString("utf8").toLowerCase();
    if (wanted.some((each) => text.includes(each))) paths.push(path);
  }
  return paths.toSorted();
}

/** Bytes of logs read for one answer: a second's work. */
const BYTES_MAX = 4 * DAILY_LOG_LIMITS.fileBytesMax;

function* readNewest(files: Files, real: string, logs: readonly LogFile[]): Generator<[LogFile, Buffer]> {
  let room = BYTES_MAX;
  for (const log of logs.toReversed()) {
    if (log.bytes > room) continue;
    const content = readableLog(files, real, log);
    if (content === undefined) continue;
    room -= content.length;
    yield [log, content];
  }
}
