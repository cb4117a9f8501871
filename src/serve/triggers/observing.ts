// Observes while it is wanted: starts the triggers and the queue, and stops both for a pause. A running job is broken
// off and loses nothing: its words stay unread until the pause is over. Never decides whether there is a pause.
import { messageOf } from "../../domain/errors.ts";
import { JOB_LIMITS, WATCH_LIMITS } from "../../domain/limits.ts";
import type { DaemonState, Paused } from "../../domain/status.ts";
import type { Queue, QueueDescription } from "../../intake/queue/queue.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { Log } from "../../system/log.ts";
import type { Triggers } from "./triggers.ts";

export interface ObservingDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "error">;
  readonly queue: Queue;
  readonly pause: {
    current(): Paused | undefined;
    listen(follow: () => Promise<void>): () => void;
  };
  /** New triggers: stopped ones cannot be started again. */
  make(): Triggers;
}

export interface Observing {
  /** Resolves when the first round is done, or at once during a pause; called once. */
  start(): Promise<void>;
  stop(): Promise<void>;
  state(): DaemonState;
  /** The queue as whoever looks for stuck jobs should see it: what waits for the end of a pause is not stuck. */
  describe(): QueueDescription;
}

/** Timers stand still while the machine sleeps; the end of a pause is a time of day and is looked at so often. */
const LOOK_MS = 60_000;

interface State extends ObservingDeps {
  /** Undefined during a pause. */
  triggers: Triggers | undefined;
  /** Their first round is done. */
  isReady: boolean;
  timer: Timer | undefined;
  /** One change after the other. */
  change: Promise<void>;
  stopped: boolean;
}

export function createObserving(deps: ObservingDeps): Observing {
  const change = Promise.resolve();
  const state: State = {
    ...deps,
    triggers: undefined,
    isReady: false,
    timer: undefined,
    change,
    stopped: false,
  };
  let unlisten: () => void = () => undefined;
  return {
    async start() {
      unlisten = deps.pause.listen(() => follow(state));
      if (deps.pause.current() === undefined) await begin(state);
      else lookAgain(state);
    },
    async stop() {
      state.stopped = true;
      unlisten();
      state.timer?.cancel();
      await state.change;
      state.timer?.cancel();
      await takeTriggers(state)?.stop();
    },
    state() {
      if (state.triggers === undefined) return deps.pause.current() === undefined ? "scanning" : "paused";
      return state.isReady ? state.triggers.state() : "scanning";
    },
    describe() {
      const jobs = deps.queue.describe();
      return deps.pause.current() === undefined ? jobs : { ...jobs, waiting: 0 };
    },
  };
}

function follow(state: State): Promise<void> {
  const change = state.change.then(() => apply(state));
  // Whoever asked for the change is told; the next one is not to fail for it.
  state.change = change.catch(() => undefined);
  return change;
}

function followAfter(state: State, ms: number): void {
  state.timer = state.clock.setTimer(ms, () => {
    follow(state).catch((error: unknown) => {
      state.log.error("observing could not be changed", { error: messageOf(error) });
    });
  });
}

/** Brings what is done in line with what is wanted. */
async function apply(state: State): Promise<void> {
  if (state.stopped) return;
  state.timer?.cancel();
  const paused = state.pause.current();
  if (paused !== undefined) {
    if (state.triggers !== undefined) {
      state.log.info("paused", { until: paused.until });
      await halt(state);
    }
    lookAgain(state);
  } else if (state.triggers === undefined) {
    state.log.info("observing again", {});
    // Whoever resumes does not wait for the round.
    void begin(state).catch((error: unknown) => beginLater(state, error));
  }
}

async function begin(state: State): Promise<void> {
  const mine = state.make();
  state.triggers = mine;
  state.isReady = false;
  try {
    await mine.start();
  } catch (error) {
    if (state.triggers === mine) throw error;
  }
  // A pause that came meanwhile has ended this round.
  if (state.triggers !== mine) return;
  state.isReady = true;
  state.queue.resume();
}

async function beginLater(state: State, error: unknown): Promise<void> {
  state.log.error("a round failed", { error: messageOf(error) });
  await takeTriggers(state)?.stop();
  if (!state.stopped) followAfter(state, WATCH_LIMITS.sweepMinMs);
}

/** Resolves when nothing is read, asked or written any more; a job that ignores its abort is not waited for. */
async function halt(state: State): Promise<void> {
  const { queue, clock } = state;
  queue.pause();
  const stopping = takeTriggers(state)?.stop();
  // What waits is found again by the round after the pause; nobody who waits for the queue is left hanging.
  for (const job of queue.describe().jobs) {
    if (job.state === "running" || job.state === "waiting") queue.cancel(job.key);
  }
  await stopping;
  const idle = new AbortController();
  void queue.whenIdle().then(() => idle.abort("idle"));
  await wait(clock, JOB_LIMITS.abortMs, idle.signal);
}

function takeTriggers(state: State): Triggers | undefined {
  const { triggers } = state;
  state.triggers = undefined;
  return triggers;
}

/** Sees to it that the end of a pause is noticed. */
function lookAgain(state: State): void {
  const until = state.pause.current()?.until ?? null;
  if (until === null) return;
  followAfter(state, Math.min(LOOK_MS, Date.parse(until) - state.clock.now()));
}
