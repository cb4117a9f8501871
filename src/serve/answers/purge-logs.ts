// Daily logs in which words of a purged memory still stand: only the person may take a line out of a log. Reads only.
import { join } from "node:path";
import { entriesCalled, logsThatSay } from "../../memory/files/log-lookup.ts";
import type { LogWriter } from "../../memory/journal/log-writer.ts";
import type { PurgeIntent } from "../../memory/journal/purge-intents.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";

export interface LogsDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly writer: Pick<LogWriter, "ownBullets">;
}

export interface LogsAsk {
  readonly said: ReadonlySet<string>;
  readonly deps: LogsDeps;
}

/** Lines it was made of, and lines that say the same. */
export function inLogs(
  { memoryDir, records }: PurgeIntent,
  { said, deps: { files, clock, writer } }: LogsAsk,
): readonly string[] {
  const places = { files, memoryDir, timeZone: clock.timeZone(), own: () => writer.ownBullets(memoryDir) };
  const made = [...entriesCalled(records, places).values()].map(({ path }) => path);
  return [...new Set([...made, ...logsThatSay([...said], places)])].map((path) => join(memoryDir, path));
}
