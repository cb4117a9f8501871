// Structured log lines through pino, the only importer of it. Constant messages, variables as fields.
// Writes synchronously: buffered destinations lose their tail on a signal (measured).
import pino from "pino";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Removes secrets from a finished line; redaction by path misses nested values (measured). A line it fails on is withheld. */
  readonly scrub: (line: string) => string;
  /** Writes one finished line; must not throw (a closed pipe or a full disk is not our end). */
  readonly write: (line: string) => void;
}

export function createLog({ level, scrub, write }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(scrubOrWithhold(scrub, line)) },
  );
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  };
}

/** A line that could not be scrubbed may hold a secret; that there was one must still be seen. */
function scrubOrWithhold(scrub: LogOptions["scrub"], line: string): string {
  try {
    return scrub(line);
  } catch {
    return `{"level":"error","msg":"a log line was withheld: it could not be scrubbed"}\n`;
  }
}
