// When the nightly distillation ran last: `stamps/distilled.json`, whose only writer this is. Missing or damaged means
// never: it then runs once more, and finds nothing new.
import { join } from "node:path";
import { fieldOf, parseJson } from "../../../domain/json.ts";
import { onDisk } from "../../../memory/journal/failures.ts";
import type { Files } from "../../../system/files.ts";

export interface LastDone {
  /** Its local day, `YYYY-MM-DD`. */
  load(): string | undefined;
  /** On disk when it returns; before the jobs begin, so that a crash in them does not make a second night of one. */
  save(date: string): void;
}

const BYTES_MAX = 4_096;
const DATE = /^\d{4}-\d{2}-\d{2}$/u;

export function createLastDone({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): LastDone {
  const folder = join(stateDir, "stamps");
  const path = join(folder, "distilled.json");
  return {
    load() {
      const text = onDisk({ what: "state", path }, () => files.read(path, BYTES_MAX))?.toString("utf8");
      return text === undefined ? undefined : parseLast(text);
    },
    save(date) {
      onDisk({ what: "state", path }, () => {
        files.ensureFolder(folder);
        files.replace(path, `${JSON.stringify({ v: 1, date })}\n`);
      });
    },
  };
}

function parseLast(text: string): string | undefined {
  const date = fieldOf(parseJson(text), "date");
  return typeof date === "string" && DATE.test(date) ? date : undefined;
}
