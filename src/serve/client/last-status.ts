// `status.json`: the status as the daemon last knew it, for the time when nobody answers.
import { join } from "node:path";
import { fieldOf, parseJson } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Status } from "../../domain/status.ts";
import { VERSION } from "../../domain/version.ts";
import type { Files } from "../../system/files.ts";
import type { Paths } from "../../system/paths.ts";

export interface LastStatusDeps {
  readonly files: Files;
  readonly paths: Pick<Paths, "stateDir">;
}

export interface LastStatus {
  readonly status: Status;
  /** When it was written; undefined when nothing was ever known. */
  readonly at: number | undefined;
}

export function saveLastStatus({ files, paths }: LastStatusDeps, status: Status): void {
  files.replace(lastStatusPath(paths), `${JSON.stringify(status)}\n`);
}

/** The last known status, in state `stopped`; an empty one when there is none or it is damaged. */
export function readLastStatus({ files, paths }: LastStatusDeps): LastStatus {
  const path = lastStatusPath(paths);
  let known: Status | undefined;
  try {
    const content = files.read(path, STATE_LIMITS.stateFileBytesMax);
    known = content === undefined ? undefined : parseStatus(parseJson(content.toString("utf8")));
  } catch {
    // Damaged: nothing is known, which is what the empty status says.
    known = undefined;
  }
  if (known === undefined) return { status: emptyStatus(), at: undefined };
  return { status: { ...known, state: "stopped", pid: null }, at: files.look(path)?.mtimeMs };
}

function lastStatusPath(paths: Pick<Paths, "stateDir">): string {
  return join(paths.stateDir, "status.json");
}

/** The document if it has the shape of a status; its lists' entries are taken as they are. */
export function parseStatus(document: unknown): Status | undefined {
  const lists = ["sources", "projects", "warnings"].map((name) => fieldOf(document, name));
  const groups = ["provider", "queue", "budget", "counters"].map((name) => fieldOf(document, name));
  const fits =
    fieldOf(document, "v") === 1 &&
    typeof fieldOf(document, "state") === "string" &&
    lists.every(Array.isArray) &&
    groups.every((group) => typeof group === "object" && group !== null);
  return fits ? (document as Status) : undefined;
}

function emptyStatus(): Status {
  return {
    v: 1,
    version: VERSION,
    pid: null,
    startedAt: null,
    state: "stopped",
    provider: { name: "unknown", model: null, why: "the daemon has not run yet" },
    sources: [],
    projects: [],
    queue: { waiting: 0, running: 0, delayed: 0, dead: 0 },
    budget: { tokensToday: 0, usdToday: 0, usdMonth: 0, limits: {}, exhausted: false },
    counters: { linesRead: 0, recordsRead: 0, secretsMasked: 0, proposalsRefused: {} },
    warnings: [],
  };
}
