// Takes requests for jobs and sees to it that each is followed by one run: merged by key, one run per lane at
// a time, retried with back-off, drained at the end. Never the truth: what must survive a crash is in cursors
// and in the retry clock, and a job holds identities, never content.
import { AppError } from "../../domain/errors.ts";
import type { JobKey, JobOutcome } from "../../domain/jobs.ts";
import { JOB_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Engine } from "./engine.ts";
import { createEngine } from "./engine.ts";
import type { JobKind } from "./job-kind.ts";
import type { Job, JobState, Lanes } from "./lanes.ts";
import { createLanes } from "./lanes.ts";
import type { RetryClock } from "./retry-clock.ts";
import type { AbortCode, JobEnd, JobRunner, Running } from "./run-job.ts";
import { createJobRunner } from "./run-job.ts";

export interface PushOptions {
  /** Higher goes first; newest first is the instant of the newest record. Default 0. A merge keeps the higher. */
  readonly priority?: number;
  /** A person asked: back-off and former failures are forgotten. */
  readonly now?: boolean;
}

/**
 * `queued`: will run. `merged`: joined a job of the same key; one run after now answers it. `delayed`: will run
 * once its back-off is over. `full`, `stopping`: not taken; the next sweep or start finds the work again.
 */
export type PushResult = "queued" | "merged" | "delayed" | "full" | "stopping";

export interface JobDescription {
  readonly key: JobKey;
  readonly kind: string;
  readonly lane: string;
  readonly state: JobState;
  readonly priority: number;
  readonly attempt: number;
  /** When a delayed job runs again. */
  readonly dueAt: Instant | undefined;
  /** Why it is delayed or dead: the outcome's reason, or its code and message. */
  readonly reason: string | undefined;
}

export interface QueueDescription {
  readonly waiting: number;
  readonly running: number;
  readonly delayed: number;
  readonly dead: number;
  readonly jobs: readonly JobDescription[];
}

export interface Queue {
  /** Asks for a run of `kind` for the memory folder `lane`. Throws for a kind that is not in the table. */
  push(kind: string, lane: string, options?: PushOptions): PushResult;
  /** Starts no further job; running ones go on. Requests are still taken. */
  pause(): void;
  resume(): void;
  /**
   * For good: takes nothing, starts nothing, waits up to `deadlineMs` for running jobs, aborts the rest and
   * gives them `JOB_LIMITS.abortMs`. An interrupted job counts no failure.
   */
  drain(deadlineMs: number): Promise<void>;
  /** Drops a waiting job or aborts a running one with its trailing request. False when there is none. */
  cancel(key: JobKey, why?: CancelCode): boolean;
  /** Resolves when nothing waits or runs; delayed and dead jobs do not count. Resolves after `drain`. */
  whenIdle(): Promise<void>;
  /** For the process's handler of uncaught errors; see `JobRunner.blame`. */
  blame(error: unknown): boolean;
  describe(): QueueDescription;
}

export const CANCEL_CODES = ["cancelled", "cancelled-by-person"] as const satisfies readonly AbortCode[];
export type CancelCode = (typeof CANCEL_CODES)[number];

export interface QueueDeps {
  readonly kinds: ReadonlyMap<string, JobKind>;
  /** Jobs of different lanes that may run at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly retries: RetryClock;
}

export function jobKey(kind: string, lane: string): JobKey {
  return `${kind}:${lane}`;
}

interface ActiveRun {
  readonly run: Running;
  readonly finished: Promise<void>;
}

interface State extends QueueDeps {
  readonly lanes: Lanes;
  readonly runner: JobRunner;
  readonly engine: Engine;
  readonly active: Map<JobKey, ActiveRun>;
  readonly idleWaiters: Set<() => void>;
  timer: Timer | undefined;
  /** When it fires, on the monotonic clock. */
  timerMs: number;
  fullAnnounced: boolean;
  draining: Promise<void> | undefined;
}

export function createQueue(deps: QueueDeps): Queue {
  const lanes = createLanes();
  const engine = createEngine({
    concurrency: deps.concurrency,
    best: (offered) => lanes.best(offered),
    run: (lane) => runNext(state, lane),
    onError: (message) => deps.emitter.emit("warning:raised", { code: "queue-engine", message }),
  });
  const state: State = {
    ...deps,
    lanes,
    engine,
    runner: createJobRunner(deps),
    active: new Map(),
    idleWaiters: new Set(),
    timer: undefined,
    timerMs: Infinity,
    fullAnnounced: false,
    draining: undefined,
  };
  return {
    push: (kind, lane, options) => push(state, { kind, lane, ...options }),
    pause: () => engine.pause(),
    resume() {
      if (state.draining === undefined) engine.resume();
    },
    drain: (deadlineMs) => (state.draining ??= drain(state, deadlineMs)),
    cancel: (key, why = "cancelled") => cancel(state, key, why),
    whenIdle: () =>
      new Promise((resolve) => {
        state.idleWaiters.add(resolve);
        tellIfIdle(state);
      }),
    blame: (error) => state.runner.blame(error),
    describe: () => describe(state),
  };
}

interface PushRequest extends PushOptions {
  readonly kind: string;
  readonly lane: string;
}

function push(state: State, request: PushRequest): PushResult {
  const { lanes, kinds, emitter } = state;
  const { kind, lane, priority = 0, now = false } = request;
  if (!kinds.has(kind)) throw new AppError({ code: "unknown-job-kind", message: `no job kind ${kind}` });
  if (state.draining !== undefined) return "stopping";
  const key = jobKey(kind, lane);
  const known = lanes.get(key);
  if (known === undefined) {
    if (lanes.size() >= JOB_LIMITS.waitingMax) return refuseFull(state);
    state.fullAnnounced = false;
    const job = lanes.add({ key, kind, lane });
    job.priority = priority;
    emitter.emit("job:queued", { key });
    return admit(state, job, now) ? "queued" : "delayed";
  }
  known.priority = Math.max(known.priority, priority);
  emitter.emit("job:merged", { key });
  if (known.state === "running") known.trailing = { now: now || known.trailing?.now === true };
  else if (known.state === "dead" || (known.state === "delayed" && now)) {
    return admit(state, known, now) ? "queued" : "delayed";
  }
  return known.state === "delayed" ? "delayed" : "merged";
}

function refuseFull(state: State): PushResult {
  if (!state.fullAnnounced) {
    state.emitter.emit("warning:raised", {
      code: "queue-full",
      message: `${JOB_LIMITS.waitingMax} jobs wait`,
    });
  }
  state.fullAnnounced = true;
  return "full";
}

/** Lets a job wait for its lane, or for the end of its back-off. True when it may run now. */
function admit(state: State, job: Job, now: boolean): boolean {
  if (now) state.retries.clear(job.key);
  const waitMs = state.retries.waitMs(job.key);
  if (waitMs > 0) {
    job.state = "delayed";
    job.dueMs = state.clock.monotonicMs() + waitMs;
    // Thousands may wait for one instant: the table is looked through only for an earlier one.
    if (job.dueMs < state.timerMs) setTimer(state);
    return false;
  }
  job.state = "waiting";
  job.reason = undefined;
  if (state.lanes.next(job.lane) !== undefined) state.engine.offer(job.lane);
  return true;
}

/** One timer for all delayed jobs, set for the earliest. */
function setTimer(state: State): void {
  state.timer?.cancel();
  state.timer = undefined;
  state.timerMs = Infinity;
  if (state.draining !== undefined) return;
  let earliestMs = Infinity;
  for (const job of state.lanes.all()) {
    if (job.state === "delayed") earliestMs = Math.min(earliestMs, job.dueMs);
  }
  if (earliestMs === Infinity) return;
  state.timerMs = earliestMs;
  state.timer = state.clock.setTimer(earliestMs - state.clock.monotonicMs(), () => {
    state.timer = undefined;
    const nowMs = state.clock.monotonicMs();
    for (const job of state.lanes.all()) {
      // Timers keep whole milliseconds: jobs that are told one instant must not be taken apart by a part of one.
      if (job.state === "delayed" && job.dueMs - nowMs < 1) admit(state, job, false);
    }
    setTimer(state);
  });
}

/** Called by the engine when a slot is free for this lane; resolves when the slot is free again. */
async function runNext(state: State, lane: string): Promise<void> {
  // Cancelled meanwhile, or the lane is busy again: nothing to do, and the engine's task is spent.
  const job = state.draining === undefined ? state.lanes.start(lane) : undefined;
  const kind = job === undefined ? undefined : state.kinds.get(job.kind);
  if (job === undefined || kind === undefined) return tellIfIdle(state);
  const { key } = job;
  const startedMs = state.clock.monotonicMs();
  state.emitter.emit("job:started", { key });
  const run = state.runner.start({ kind, key, lane, attempt: state.retries.failures(key) + 1 });
  const finished = run.outcome.then((end) => {
    state.active.delete(key);
    conclude(state, job, end);
    const ms = state.clock.monotonicMs() - startedMs;
    state.emitter.emit("job:finished", { key, outcome: end.outcome, ms });
  });
  state.active.set(key, { run, finished });
  void openLaneAfter(state, { run, finished, job });
  await finished;
}

/** Why a wait ends. Without a reason Node makes an error with its stack, which costs as much as the wait (measured). */
const SETTLED = "settled";

/** A job that ignores its abort gives up its slot but keeps its lane: two runs must never share a folder. */
async function openLaneAfter(
  state: State,
  { run, finished, job }: { readonly run: Running; readonly finished: Promise<void>; readonly job: Job },
): Promise<void> {
  await finished;
  const settled = new AbortController();
  void run.settled.then(() => settled.abort(SETTLED));
  await wait(state.clock, JOB_LIMITS.abortMs, settled.signal);
  if (!settled.signal.aborted) {
    const message = `${job.key} goes on after it was told to stop; nothing else runs for that folder`;
    state.emitter.emit("warning:raised", { code: "job-stuck", message });
  }
  await run.settled;
  state.lanes.release(job.lane);
  if (state.lanes.next(job.lane) !== undefined) state.engine.offer(job.lane);
  tellIfIdle(state);
}

/** What an outcome means for the job: gone, waiting again, delayed or dead. */
function conclude(state: State, job: Job, { outcome, final }: JobEnd): void {
  const { retries, lanes } = state;
  const { trailing, cancelled } = job;
  job.trailing = undefined;
  job.cancelled = false;
  if (state.draining !== undefined) return lanes.remove(job);
  if (!cancelled) {
    if (outcome.result === "failed") retries.failed(job.key, { final });
    else if (outcome.result === "delayed") retries.delayed(job.key, outcome.at);
    else retries.clear(job.key);
  }
  job.reason = reasonOf(outcome);
  const again = !cancelled && (outcome.result === "failed" || outcome.result === "delayed");
  if (trailing !== undefined) admit(state, job, trailing.now);
  else if (again && retries.isDead(job.key) && outcome.result === "failed") job.state = "dead";
  else if (again) admit(state, job, false);
  else lanes.remove(job);
}

function reasonOf(outcome: JobOutcome): string | undefined {
  if (outcome.result === "failed") return `${outcome.code}: ${outcome.message}`;
  return outcome.result === "delayed" ? outcome.reason : undefined;
}

function cancel(state: State, key: JobKey, why: CancelCode): boolean {
  const job = state.lanes.get(key);
  if (job === undefined) return false;
  if (job.state === "running") {
    job.trailing = undefined;
    job.cancelled = true;
    state.active.get(key)?.run.abort(why);
    return true;
  }
  state.lanes.remove(job);
  setTimer(state);
  const outcome = { result: "failed", code: why, message: "cancelled before it ran" } as const;
  state.emitter.emit("job:finished", { key, outcome, ms: 0 });
  tellIfIdle(state);
  return true;
}

async function drain(state: State, deadlineMs: number): Promise<void> {
  state.engine.pause();
  state.timer?.cancel();
  state.timer = undefined;
  const deadline = new AbortController();
  const runs = [...state.active.values()];
  const finished = Promise.all(runs.map((run) => run.finished));
  await Promise.race([finished, wait(state.clock, deadlineMs, deadline.signal)]);
  deadline.abort();
  for (const { run } of state.active.values()) run.abort("stopping");
  await finished;
  state.engine.destroy();
  tellIfIdle(state);
}

function tellIfIdle(state: State): void {
  const { lanes, idleWaiters } = state;
  if (idleWaiters.size === 0) return;
  const over = state.draining !== undefined && state.active.size === 0;
  if (!over && (lanes.closed() > 0 || lanes.count("waiting") > 0)) return;
  for (const resolve of idleWaiters) resolve();
  idleWaiters.clear();
}

function describe({ lanes, clock, retries }: State): QueueDescription {
  const jobs = [...lanes.all()].map((job) => ({
    key: job.key,
    kind: job.kind,
    lane: job.lane,
    state: job.state,
    priority: job.priority,
    attempt: retries.failures(job.key) + (job.state === "dead" ? 0 : 1),
    dueAt: job.state === "delayed" ? clock.now() + job.dueMs - clock.monotonicMs() : undefined,
    reason: job.reason,
  }));
  return {
    waiting: lanes.count("waiting"),
    running: lanes.count("running"),
    delayed: lanes.count("delayed"),
    dead: lanes.count("dead"),
    jobs,
  };
}
