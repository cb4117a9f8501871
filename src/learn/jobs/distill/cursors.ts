// How far the logs of a memory folder are distilled: `logs-cursors/<folderId>.json`, whose only writer this is. Missing or
// damaged means nothing was read: known words are dropped by the gate then.
import { join } from "node:path";
import { fieldOf, fieldsOf, isFields, parseJson } from "../../../domain/json.ts";
import { DAILY_LOG_LIMITS, STATE_LIMITS } from "../../../domain/limits.ts";
import { onDisk } from "../../../memory/journal/failures.ts";
import type { Files } from "../../../system/files.ts";

export interface LogCursor {
  /** Everything before is distilled. */
  readonly bytes: number;
  /** Hash of those bytes: another one means that somebody edited the log. */
  readonly hash: string;
  /** The file as it was when it was read; unchanged, it is not read again. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Ends of the ids of the entries that were read, one after another; of old logs they are forgotten. */
  readonly known: string;
}

export interface LogCursors {
  /** False before the first distillation of the folder. */
  readonly isKnown: boolean;
  of(path: string): LogCursor | undefined;
  set(path: string, cursor: LogCursor): void;
  /** On disk when it returns. Logs that are no longer there are forgotten. */
  save(present: ReadonlySet<string>): void;
}

/** Logs whose entries are remembered one by one: who edits an older one has its words judged anew. */
const KNOWN_LOGS_MAX = 60;

export function openCursors({
  files,
  stateDir,
  folderId,
}: {
  readonly files: Files;
  readonly stateDir: string;
  readonly folderId: string;
}): LogCursors {
  const folder = join(stateDir, "logs-cursors");
  const path = join(folder, `${folderId}.json`);
  const text = onDisk({ what: "state", path }, () => files.read(path, STATE_LIMITS.stateFileBytesMax));
  const logs = parseCursors(text?.toString("utf8"));
  return {
    isKnown: text !== undefined,
    of: (log) => logs.get(log),
    set: (log, cursor) => void logs.set(log, cursor),
    save(present) {
      const kept = [...logs].filter(([log]) => present.has(log)).toSorted(byName);
      const from = kept.length - KNOWN_LOGS_MAX;
      const entries = kept.map(([log, cursor], index) => [
        log,
        index < from ? { ...cursor, known: "" } : cursor,
      ]);
      const content = `${JSON.stringify({ v: 1, logs: Object.fromEntries(entries) })}\n`;
      onDisk({ what: "state", path }, () => {
        files.ensureFolder(folder);
        files.replace(path, content);
      });
    },
  };
}

/** Names begin with the date. */
function byName([a]: readonly [string, LogCursor], [b]: readonly [string, LogCursor]): number {
  return a < b ? -1 : 1;
}

function parseCursors(text: string | undefined): Map<string, LogCursor> {
  if (text === undefined) return new Map();
  const logs = fieldsOf(fieldOf(parseJson(text), "logs")) ?? {};
  const entries = Object.entries(logs).slice(0, DAILY_LOG_LIMITS.filesMax);
  return new Map(entries.flatMap(([path, cursor]) => (isCursor(cursor) ? [[path, cursor]] : [])));
}

function isCursor(value: unknown): value is LogCursor {
  if (!isFields(value)) return false;
  const { bytes, hash, size, mtimeMs, known } = value;
  const areNumbers = [bytes, size, mtimeMs].every((each) => typeof each === "number" && each >= 0);
  return areNumbers && typeof hash === "string" && typeof known === "string";
}
