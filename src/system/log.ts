// Structured log lines through pino, the only importer of it. Constant messages, variables as fields.
// Writes synchronously: buffered destinations lose their tail on a signal (measured).
import pino from "pino";
import { displayJsonText } from "../domain/printable.ts";
import { plainFields } from "./log-fields.ts";
import type { PlainFields, Scrub } from "./log-fields.ts";
import { createFolding } from "./log-folding.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface FoldingLog extends Log {
  /** Writes what was kept back because it repeated; for the end. */
  flush(): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /**
   * Removes secrets from each text among the fields and then from the finished line, where a name stands beside its
   * value. Redaction by path misses nested values (measured). What it fails on is withheld.
   */
  readonly scrub: Scrub;
  /** Writes one finished line; must not throw (a closed pipe or a full disk is not our end). */
  readonly write: (line: string) => void;
  readonly clock: { now(): number; monotonicMs(): number };
}

type Level = "debug" | "info" | "warn" | "error";

/** A longer line keeps its beginning as text. */
const LINE_CHARS_MAX = 16_384;

/** Warnings and errors that repeat are folded: a line with `repeated` stands for so many calls, any other for one. */
export function createLog({ level, scrub, write, clock }: LogOptions): FoldingLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(finished(line, scrub)) },
  );
  const folding = createFolding({
    monotonicMs: () => clock.monotonicMs(),
    write(key, repeated) {
      const { at, message, fields } = JSON.parse(key) as Said;
      logger[at](repeated === undefined ? fields : { ...fields, repeated }, message);
    },
  });
  const say =
    (at: Level) =>
    (message: string, given: LogFields = {}) => {
      if (!logger.isLevelEnabled(at)) return;
      const fields = plainFields(given, scrub);
      if (at === "warn" || at === "error") return folding.take(JSON.stringify({ at, message, fields }));
      folding.settle();
      logger[at](fields, message);
    };
  return {
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    flush: () => folding.flush(),
  };
}

interface Said {
  readonly at: "warn" | "error";
  readonly message: string;
  readonly fields: PlainFields;
}

/** The last door: nothing is printed that did not pass it. */
function finished(line: string, scrub: Scrub): string {
  let text: string;
  try {
    text = displayJsonText(scrub(line));
  } catch {
    // It may hold a secret; that there was a line must still be seen.
    return `{"level":"error","msg":"a log line was withheld: it could not be scrubbed"}\n`;
  }
  if (text.length <= LINE_CHARS_MAX) return text;
  return `${JSON.stringify({ level: "warn", msg: "a log line was cut", line: text.slice(0, LINE_CHARS_MAX / 2) })}\n`;
}
