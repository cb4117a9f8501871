// The status document at one moment, from what every part says of itself. Reads no transcript and writes nothing.
import type {
  CurrentRun,
  Backfill,
  ProjectStatus,
  SourceStatus,
  Status,
  Warning,
} from "../../domain/status.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Config } from "../../config/schema.ts";
import { unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { Catalog, CatalogEntry } from "../../intake/watch/catalog.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { QueueDescription } from "../../intake/queue/queue.ts";
import type { Budget } from "../../learn/models/budget.ts";
import type { Clock } from "../../system/clock.ts";
import type { Activity } from "./activity.ts";
import {
  type Expiring,
  type ExpiringDeps,
  expiringOf,
  expiringSessions,
  expiryWarnings,
} from "./expiring.ts";
import type { FolderViews } from "./folder-view.ts";
import type { Pause } from "./pause.ts";
import { countAgents, isObserved, isToBeRead, passedScripts } from "./counting.ts";

export interface Counters {
  linesRead: number;
  recordsRead: number;
  secretsMasked: number;
  readonly proposalsRefused: Map<string, number>;
}

export interface SnapshotDeps extends ExpiringDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly places: Places;
  readonly views: FolderViews;
  readonly activity: Activity;
  readonly counters: Counters;
  readonly budget: Budget;
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
    projects: projectsOf(deps, { live, jobs: new Map(jobs.map((job) => [job.lane, job])) }),
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

/** A folder somebody only asked about is no project worth a line. */
function projectsOf(deps: SnapshotDeps, { live, jobs }: ProjectContext): ProjectStatus[] {
  return deps.places
    .known()
    .filter((project) => deps.catalog.hasSources(project.id) || hasMemories(project, deps))
    .map((project) => projectStatus(project, { deps, live, jobs }));
}

function hasMemories(project: ProjectRef, { places, views }: SnapshotDeps): boolean {
  return views.summary(places.placeOf(project).memoryDir).memories > 0;
}

interface ProjectContext {
  readonly live: LiveFacts;
  /** By lane. */
  readonly jobs: ReadonlyMap<string, QueueDescription["jobs"][number]>;
}

function projectStatus(
  project: ProjectRef,
  { deps, live, jobs }: ProjectContext & { readonly deps: SnapshotDeps },
): ProjectStatus {
  const { memoryDir, mode, off, parked } = deps.places.placeOf(project);
  const { memories, index } = deps.views.summary(memoryDir);
  const job = jobs.get(memoryDir);
  const due = live.dueAt(memoryDir);
  const { lastRun, lastSkip, lastError } = deps.activity.of(memoryDir);
  const retryAt = job?.dueAt === undefined ? null : new Date(job.dueAt).toISOString();
  return {
    key: project.key,
    root: project.root,
    memoryDir,
    mode,
    memories,
    index,
    waitingFor: off ?? parked ?? job?.reason ?? (due === undefined ? (job?.state ?? null) : "quiet"),
    lastRun,
    lastSkip,
    lastError: lastError === null ? null : { ...lastError, retryAt },
    nextDue: { extract: due === undefined ? retryAt : new Date(due).toISOString() },
    spentUsdToday: deps.budget.usdTodayIn(memoryDir),
  };
}
