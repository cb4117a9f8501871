// Whether an agent keeps a log of its own in a memory folder, seen from outside: then it notes what is said there by itself,
// and sessions of that folder are not read at the end of a turn. Reads two days of logs at most; writes nothing.
import type { TimeZone } from "../../domain/calendar.ts";
import { localDate } from "../../domain/calendar.ts";
import { DAILY_LOG_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { linesOfLog } from "./daily-log.ts";
import type { LogFile } from "./log-folder.ts";
import { listLogs, readableLog } from "./log-folder.ts";
import { lineHash, type OwnBullets } from "./own-bullets.ts";

export interface LogModeFacts {
  readonly now: Instant;
  /** The agent's settings say that it works as an assistant (`assistant: true`). */
  readonly assistant: boolean;
  /** Logs of today and yesterday; whether somebody else than engramd wrote to one is asked last. */
  readonly logs: readonly (Pick<LogFile, "path" | "mtimeMs"> & { isForeign(): boolean })[];
}

/** Why, as a person would look it up; undefined when no agent keeps a log there. */
export function logMode({ now, assistant, logs }: LogModeFacts): string | undefined {
  if (assistant) return "setting assistant";
  const recent = logs.filter(({ mtimeMs }) => now - mtimeMs < DAILY_LOG_LIMITS.modeMs);
  const foreign = recent.find((log) => log.isForeign());
  return foreign === undefined ? undefined : `an agent writes ${foreign.path}`;
}

export interface LogModeAsk {
  /** Real path. */
  readonly memoryDir: string;
  readonly now: Instant;
  readonly timeZone: TimeZone;
  readonly assistant: boolean;
  /** Lines that are engramd's own. */
  own(): OwnBullets;
}

const DAY_MS = 86_400_000;

export function logModeAt(files: Files, ask: LogModeAsk): string | undefined {
  const { memoryDir, now, timeZone, assistant } = ask;
  const days = [localDate(now, timeZone), localDate(now - DAY_MS, timeZone)];
  const { logs } = assistant ? { logs: [] } : listLogs(files, memoryDir, { days });
  let own: OwnBullets | undefined;
  const isForeign = (log: LogFile) => isForeignLog(files, { memoryDir, log, own: (own ??= ask.own()) });
  return logMode({
    now,
    assistant,
    logs: logs.map((log) => ({ ...log, isForeign: () => isForeign(log) })),
  });
}

interface ForeignAsk {
  readonly memoryDir: string;
  readonly log: LogFile;
  readonly own: OwnBullets;
}

/** A log that cannot be read is none. */
function isForeignLog(files: Files, { memoryDir, log, own }: ForeignAsk): boolean {
  const content = readableLog(files, memoryDir, log);
  const lines = linesOfLog(content?.toString("utf8") ?? "");
  return lines.some((line) => line.trim() !== "" && !own.has(lineHash(log.date, line)));
}
