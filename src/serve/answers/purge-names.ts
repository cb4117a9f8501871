// Where the file name of a purged memory stands in the middle of other text of ours: the log, the last known status.
import { join } from "node:path";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { eraseFromLog } from "../../system/log-erase.ts";

export interface NamesDeps {
  readonly files: Files;
  readonly stateDir: string;
  readonly log: { flush(): void };
}

/** How often the names stood in the log. */
export function purgeNames(names: ReadonlySet<string>, { files, stateDir, log }: NamesDeps): number {
  const spellings = [...names].flatMap((name) => [name, name.normalize("NFC"), name.normalize("NFD")]);
  // Without it nothing is known of before until the next one is written.
  const path = join(stateDir, "status.json");
  const text = files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString("utf8") ?? "";
  if (spellings.some((name) => text.includes(name))) files.remove(path);
  // What is kept back of repeated lines goes first.
  log.flush();
  return eraseFromLog(stateDir, [...new Set(spellings)]);
}
