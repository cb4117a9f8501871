// The status document at one moment, from what every part says of itself. Reads no transcript and writes nothing.
import type { CurrentRun, Backfill, SourceStatus, Status, Warning } from "../../domain/status.ts";
import type { Config } from "../../config/schema.ts";
import { unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { CatalogEntry } from "../../intake/watch/catalog.ts";
import type { QueueDescription } from "../../intake/queue/queue.ts";
import type { Clock } from "../../system/clock.ts";
import {
  type Expiring,
  type ExpiringDeps,
  expiringOf,
  expiringSessions,
  expiryWarnings,
} from "./expiring.ts";
import type { Pause } from "./pause.ts";
import { projectsOf, type ProjectStatusDeps } from "./project-status.ts";
import { countAgents, isObserved, isToBeRead, passedScripts } from "./counting.ts";

export interface Counters {
  linesRead: number;
  recordsRead: number;
  secretsMasked: number;
  readonly proposalsRefused: Map<string, number>;
}

export interface SnapshotDeps extends ExpiringDeps, ProjectStatusDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly pause: Pause;
  config(): Config;
  queue(): QueueDescription;
  /** Jobs with the ids that `cancel` takes. */
  currentRuns(): readonly CurrentRun[];
  /** A reading of many sessions that is under way. */
  progress(): Backfill | undefined;
  warnings(): readonly Warning[];
  /** What reads the words: rules, or which model. */
  provider(): Status["provider"];
}

/** What only the daemon knows. */
export interface LiveFacts {
  readonly pid: number | null;
  readonly startedAt: string | null;
  readonly state: Status["state"];
  /** Who started the daemon, and what keeps it within its bounds. */
  readonly service?: Status["service"];
  /** When the folder's debounce ends. */
  dueAt(memoryDir: string): number | undefined;
}

export function takeSnapshot(deps: SnapshotDeps, live: LiveFacts): Status {
  const entries = [...deps.catalog.entries()].filter((entry) => isObserved(entry, deps.places));
  const expiring = expiringOf(
    entries.filter((entry) => isToBeRead(entry, deps.places)),
    deps.retention,
  );
  const config = deps.config();
  const { waiting, running, delayed, dead, jobs } = deps.queue();
  const queue = { waiting, running, delayed, dead };
  const paused = deps.pause.current();
  return {
    v: 1,
    version: deps.version,
    pid: live.pid,
    startedAt: live.startedAt,
    state: live.state,
    ...(paused === undefined ? {} : { paused }),
    ...(live.service === undefined ? {} : { service: live.service }),
    provider: deps.provider(),
    sources: sourcesOf(entries, { deps, expiring }),
    projects: projectsOf(deps, { live, jobs }),
    queue,
    runs: deps.currentRuns(),
    backfill: deps.progress() ?? null,
    budget: {
      ...deps.budget.spent(),
      limits: { ...config.budget },
      exhausted: deps.budget.exhausted() !== undefined,
    },
    counters: { ...deps.counters, proposalsRefused: Object.fromEntries(deps.counters.proposalsRefused) },
    warnings: [...deps.warnings(), ...expiryWarnings(expiring)],
  };
}

interface SourceContext {
  readonly deps: SnapshotDeps;
  readonly expiring: Expiring;
}

function sourcesOf(entries: readonly CatalogEntry[], { deps, expiring }: SourceContext): SourceStatus[] {
  return deps.catalog.roots.map((root) => {
    const mine = entries.filter((entry) => entry.source.root === root);
    const counted = countAgents(mine, deps.config().extract.headless)[root.agent];
    const passedOver = passedScripts(mine);
    const unknownTypes = new Map<string, number>();
    for (const { state } of mine) {
      for (const [type, count] of Object.entries(state.unknownTypes)) {
        unknownTypes.set(type, (unknownTypes.get(type) ?? 0) + count);
      }
    }
    return {
      agent: root.agent,
      root: root.path,
      sessions: new Set(mine.map((entry) => entry.state.sessionId)).size,
      typedMessages: counted?.typedMessages ?? 0,
      headlessSessions: counted?.headlessSessions ?? 0,
      ...(passedOver === undefined ? {} : { passedOver }),
      pendingBytes: sum(mine, (entry) =>
        entry.project !== undefined && isToBeRead(entry, deps.places) ? unreadBytes(entry.state) : 0,
      ),
      damagedLines: sum(mine, (entry) => entry.state.damaged),
      skippedLines: sum(mine, (entry) => entry.state.skipped),
      unknownTypes: Object.fromEntries(unknownTypes),
      expiringSessions: expiringSessions(mine, expiring),
    };
  });
}

function sum(entries: readonly CatalogEntry[], of: (entry: CatalogEntry) => number): number {
  return entries.reduce((total, entry) => total + of(entry), 0);
}
