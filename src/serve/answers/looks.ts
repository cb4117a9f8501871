// When a person last looked at the news: `news.json`, whose only writer this is. Decides nothing about what is new.
import { join } from "node:path";
import { isFields, parseJson } from "../../domain/json.ts";
import type { Instant } from "../../domain/records.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Files } from "../../system/files.ts";

/** When a person last looked: at everything, and at single projects by id. */
export interface Looks {
  readonly all: Instant | undefined;
  readonly projects: Readonly<Record<string, Instant>>;
}

export interface LooksDeps {
  readonly files: Files;
  readonly stateDir: string;
}

const NEVER: Looks = { all: undefined, projects: {} };
const LOOKS_BYTES_MAX = 1_048_576;

interface Look {
  /** Undefined: at everything. */
  readonly only: ProjectRef | undefined;
  /** Projects whose news could not be shown, with when they were looked at before. */
  readonly unseen: Looks["projects"];
  readonly now: Instant;
}

export function looksAfter(known: Looks, { only, unseen, now }: Look): Looks {
  // Who looks at everything has looked at each that could be shown.
  if (only === undefined) return { all: now, projects: unseen };
  return { ...known, projects: { ...known.projects, [only.id]: now } };
}

function looksFile({ stateDir }: Pick<LooksDeps, "stateDir">): string {
  return join(stateDir, "news.json");
}

/** Damaged, or ahead of a clock that was set back, means that nobody has looked: told twice rather than never. */
export function loadLooks(now: Instant, deps: LooksDeps): Looks {
  try {
    const content = deps.files.read(looksFile(deps), LOOKS_BYTES_MAX);
    return content === undefined ? NEVER : parseLooks(parseJson(content.toString("utf8")), now);
  } catch {
    return NEVER;
  }
}

export function saveLooks(deps: LooksDeps, { all, projects }: Looks): void {
  deps.files.ensureFolder(deps.stateDir);
  const times = Object.fromEntries(
    Object.entries(projects).map(([id, at]) => [id, new Date(at).toISOString()]),
  );
  const document = { v: 1, all: all === undefined ? null : new Date(all).toISOString(), projects: times };
  deps.files.replace(looksFile(deps), `${JSON.stringify(document)}\n`);
}

function parseLooks(document: unknown, now: Instant): Looks {
  if (!isFields(document) || document["v"] !== 1) return NEVER;
  const { all, projects } = document;
  const times = isFields(projects) ? Object.entries(projects) : [];
  const found = times.flatMap(([id, at]) => {
    const time = instantOf(at, now);
    return time === undefined ? [] : [[id, time] as const];
  });
  return { all: instantOf(all, now), projects: Object.fromEntries(found) };
}

function instantOf(value: unknown, now: Instant): Instant | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return time <= now ? time : undefined;
}
