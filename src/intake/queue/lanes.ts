// The table of jobs: which exist, in which state, and which one a lane runs next. Pure bookkeeping, no timers;
// the queue library behind it never sees more than "this lane has something to do".
import type { JobKey } from "../../domain/jobs.ts";

export type JobState = "waiting" | "running" | "delayed" | "dead";

/** One job. The table keeps it, the queue moves it from state to state. */
export interface Job {
  readonly key: JobKey;
  readonly kind: string;
  readonly lane: string;
  /** Order of arrival; the older of two equal jobs goes first. */
  readonly arrival: number;
  /** Higher goes first. */
  priority: number;
  state: JobState;
  /** Requests that came during the run; one further run answers them all. */
  trailing: { now: boolean } | undefined;
  /** The run in progress was cancelled: its outcome no longer matters. */
  cancelled: boolean;
  /** When a delayed job becomes due, on the monotonic clock. */
  dueMs: number;
  /** Why it is delayed or dead. */
  reason: string | undefined;
}

export interface Lanes {
  size(): number;
  all(): Iterable<Job>;
  get(key: JobKey): Job | undefined;
  add(request: { readonly key: JobKey; readonly kind: string; readonly lane: string }): Job;
  remove(job: Job): void;
  /** The waiting job a free lane would run next; undefined when it has none or is closed. */
  next(lane: string): Job | undefined;
  /** Of these lanes the one whose next job goes first. */
  best(lanes: Iterable<string>): string | undefined;
  /** Closes the lane and marks its next job as running. Undefined when there is nothing to run. */
  start(lane: string): Job | undefined;
  /** Opens the lane again. */
  release(lane: string): void;
  /** Lanes with a run that has not settled. */
  closed(): number;
  count(state: JobState): number;
}

interface Table {
  readonly jobs: Map<JobKey, Job>;
  /** A lane holds at most one job per kind, so these lists stay tiny. */
  readonly byLane: Map<string, Job[]>;
  readonly closed: Set<string>;
  arrivals: number;
}

export function createLanes(): Lanes {
  const table: Table = { jobs: new Map(), byLane: new Map(), closed: new Set(), arrivals: 0 };
  const { jobs, closed } = table;
  return {
    size: () => jobs.size,
    all: () => jobs.values(),
    get: (key) => jobs.get(key),
    add: (request) => add(table, request),
    remove: (job) => remove(table, job),
    next: (lane) => next(table, lane),
    best: (lanes) => best(table, lanes),
    start(lane) {
      const job = next(table, lane);
      if (job === undefined) return undefined;
      job.state = "running";
      closed.add(lane);
      return job;
    },
    release: (lane) => void closed.delete(lane),
    closed: () => closed.size,
    count: (state) => [...jobs.values()].filter((job) => job.state === state).length,
  };
}

function add(table: Table, { key, kind, lane }: { key: JobKey; kind: string; lane: string }): Job {
  const job: Job = {
    key,
    kind,
    lane,
    arrival: table.arrivals++,
    priority: 0,
    state: "waiting",
    trailing: undefined,
    cancelled: false,
    dueMs: 0,
    reason: undefined,
  };
  table.jobs.set(key, job);
  const beside = table.byLane.get(lane);
  if (beside === undefined) table.byLane.set(lane, [job]);
  else beside.push(job);
  return job;
}

function remove({ jobs, byLane }: Table, job: Job): void {
  if (jobs.get(job.key) !== job) return;
  jobs.delete(job.key);
  const rest = (byLane.get(job.lane) ?? []).filter((other) => other !== job);
  if (rest.length === 0) byLane.delete(job.lane);
  else byLane.set(job.lane, rest);
}

function next({ byLane, closed }: Table, lane: string): Job | undefined {
  if (closed.has(lane)) return undefined;
  let first: Job | undefined;
  for (const job of byLane.get(lane) ?? []) {
    if (job.state === "waiting" && (first === undefined || goesBefore(job, first))) first = job;
  }
  return first;
}

function best(table: Table, lanes: Iterable<string>): string | undefined {
  let first: Job | undefined;
  for (const lane of lanes) {
    const job = next(table, lane);
    if (job !== undefined && (first === undefined || goesBefore(job, first))) first = job;
  }
  return first?.lane;
}

function goesBefore(a: Job, b: Job): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.arrival < b.arrival);
}
