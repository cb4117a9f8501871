// What a model would have read of the person's last days, and for how much. Asks no model, changes nothing, and stops
// when its time is over.
import { localDate } from "../../domain/calendar.ts";
import type { ModelWeek } from "../../domain/model-choice.ts";
import type { Instant } from "../../domain/records.ts";
import type { AgentId, ProjectRef } from "../../domain/sessions.ts";
import type { Seen } from "../../intake/transcripts/lineage.ts";
import type { CatalogEntry } from "../../intake/watch/catalog.ts";
import { AppError, systemCode } from "../../domain/errors.ts";
import type { Foreseen } from "../../learn/jobs/extract/estimate.ts";
import { sumOf } from "../../learn/jobs/extract/estimate.ts";
import type { ModelReader } from "../../learn/jobs/model-reader.ts";
import type { Clock } from "../../system/clock.ts";
import { sessionKey } from "./tally.ts";

export interface WeekDeps {
  readonly clock: Clock;
  /** Sessions that changed since then as if nobody had read them, the newest first. */
  sessionsSince(since: Instant, signal: AbortSignal): Promise<readonly CatalogEntry[]>;
  /** Marks of what was heard, kept in memory only. */
  freshSeen(projectId: string): Seen;
  folderOf(project: ProjectRef): string | undefined;
  estimate(
    folder: string,
    entries: readonly CatalogEntry[],
    assume: {
      readonly readerFor: (agent: AgentId) => ModelReader | undefined;
      readonly seenOf: (projectId: string) => Seen;
      readonly signal: AbortSignal;
    },
  ): Promise<readonly Foreseen[]>;
}

const DAYS = 7;
const DAY_MS = 86_400_000;
/** A person waits for it; a week of one person's sessions takes a second or two (50 MB/s). */
const TIME_MS = 10_000;

/** The reader is asked nothing; `isFree` for a server whose price nobody knows. */
export async function foreseeWeek(
  { reader, isFree }: { readonly reader: ModelReader; readonly isFree: boolean },
  deps: WeekDeps,
): Promise<ModelWeek> {
  const { clock } = deps;
  const since = clock.now() - DAYS * DAY_MS;
  const over = new AbortController();
  const timer = clock.setTimer(TIME_MS, () => over.abort());
  const days = new Set<string>();
  const seenOf = marksSince(since, { ...deps, days });
  try {
    const entries = (await deps.sessionsSince(since, over.signal)).filter(
      ({ project }) => project !== undefined && deps.folderOf(project) !== undefined,
    );
    const found: Foreseen[] = [];
    let looked = 0;
    for (const entry of entries) {
      const folder = entry.project === undefined ? undefined : deps.folderOf(entry.project);
      if (over.signal.aborted || folder === undefined) break;
      const assume = { readerFor: () => reader, seenOf, signal: over.signal };
      const each = await untilOver(readable(deps.estimate(folder, [entry], assume)), over.signal);
      if (each === undefined) break;
      if (each === "unreadable") continue;
      found.push(...each);
      looked += 1;
    }
    return weekOf(found, {
      model: reader.model,
      isFree,
      activeDays: days.size,
      left: entries.length - looked,
    });
  } finally {
    timer.cancel();
  }
}

/** A memory folder that cannot be read leaves its sessions out of the figures, and no others. */
async function readable<T>(estimate: Promise<T>): Promise<T | "unreadable"> {
  try {
    return await estimate;
  } catch (error) {
    if (error instanceof AppError || systemCode(error) !== undefined) return "unreadable";
    throw error;
  }
}

/** Undefined when the time was over before its end. */
async function untilOver<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

interface Marks extends Pick<WeekDeps, "freshSeen" | "clock"> {
  /** Local dates of what is heard. */
  readonly days: Set<string>;
}

/** What was said before does not count, and a fork's words count once. */
function marksSince(since: Instant, { freshSeen, clock, days }: Marks): (projectId: string) => Seen {
  const opened = new Map<string, Seen>();
  const open = (projectId: string): Seen => {
    const seen = freshSeen(projectId);
    return {
      ...seen,
      has: (record, by) => (record.at !== undefined && record.at < since) || seen.has(record, by),
      add(record, by) {
        if (record.at !== undefined) days.add(localDate(record.at, clock.timeZone()));
        seen.add(record, by);
      },
    };
  };
  return (projectId) => {
    const seen = opened.get(projectId) ?? open(projectId);
    opened.set(projectId, seen);
    return seen;
  };
}

interface Framing {
  readonly model: string;
  readonly isFree: boolean;
  readonly activeDays: number;
  readonly left: number;
}

function weekOf(found: readonly Foreseen[], { model, isFree, activeDays, left }: Framing): ModelWeek {
  const heard = found.filter((each) => each.heard > 0);
  const { requests, inputTokens, usd } = sumOf(heard);
  const perDay = (sum: number) => sum / Math.max(1, activeDays);
  return {
    days: DAYS,
    activeDays,
    sessions: sessionsOf(heard),
    agents: [...new Set(heard.map(({ entry }) => entry.source.agent))].map((agent) => {
      const mine = heard.filter(({ entry }) => entry.source.agent === agent);
      const roots = mine.flatMap(({ entry }) => entry.project?.root ?? []);
      return { agent, sessions: sessionsOf(mine), projects: [...new Set(roots)].toSorted() };
    }),
    model,
    requests,
    inputTokens,
    usd: isFree ? null : usd,
    day: { inputTokens: Math.round(perDay(inputTokens)), usd: isFree ? null : perDay(usd) },
    left,
  };
}

function sessionsOf(found: readonly Foreseen[]): number {
  return new Set(found.map(({ entry: { source, state } }) => sessionKey(source.agent, state.sessionId))).size;
}
