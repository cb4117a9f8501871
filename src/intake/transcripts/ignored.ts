// Which sessions a person took back: nothing is learnt from them again, whatever is read again. Holds ids, never words.
import { join } from "node:path";
import { fieldOf } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { appendJsonLines, readJsonLines } from "../../system/json-lines.ts";

export interface IgnoredSessions {
  has(session: string): boolean;
  /** False: it was there already. On disk when it returns. */
  add(session: string, at: string): boolean;
}

/** `ignored.jsonl` below the state folder. A damaged line is skipped: its session is learnt from again. */
export function createIgnoredSessions({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): IgnoredSessions {
  const path = join(stateDir, "ignored.jsonl");
  const maxBytes = STATE_LIMITS.stateFileBytesMax;
  /** Read once: the instance lock keeps every other writer away. */
  let known: Set<string> | undefined;
  const sessions = () =>
    (known ??= new Set(
      readJsonLines(files, { path, maxBytes }).values.flatMap((value) => idOf(value) ?? []),
    ));
  return {
    has: (session) => sessions().has(session),
    add(session, at) {
      if (sessions().has(session)) return false;
      files.ensureFolder(stateDir);
      appendJsonLines(files, { path, values: [{ v: 1, session, at }], maxBytes });
      sessions().add(session);
      return true;
    },
  };
}

function idOf(value: unknown): string | undefined {
  const session = fieldOf(value, "session");
  return typeof session === "string" ? session : undefined;
}
