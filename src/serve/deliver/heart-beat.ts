// The beats a watching service manager waits for. They stop when the event loop hangs, because a timer of it sends
// them, and when jobs are there and none of them gets anywhere: then the manager starts the daemon anew.
import { JOB_LIMITS } from "../../domain/limits.ts";
import type { Queue } from "../../intake/queue/queue.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { ManagerLink } from "./systemd-notify.ts";

export interface HeartBeatDeps {
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly queue: Pick<Queue, "describe">;
  readonly link: ManagerLink;
}

/** Two beats may be lost. */
const BEATS_PER_WATCH = 3;
/** A job is aborted after its time and its slot given away soon after; silence beyond that is not work. */
const STUCK_MS = JOB_LIMITS.jobMs + JOB_LIMITS.abortMs + 60_000;

/** Returns the function that ends them; without a watchdog there are none. */
export function startHeartBeat({ clock, emitter, queue, link }: HeartBeatDeps): () => void {
  const { watchdogMs } = link;
  if (watchdogMs === undefined) return () => undefined;
  let movedAtMs = clock.monotonicMs();
  const stopListening = emitter.onAny((name) => {
    if (name === "job:started" || name === "job:finished") movedAtMs = clock.monotonicMs();
  });
  let timer: Timer;
  const beat = () => {
    const { running, waiting } = queue.describe();
    // Without jobs there is nothing that could be stuck, and the first one begins to count now.
    if (running + waiting === 0) movedAtMs = clock.monotonicMs();
    if (clock.monotonicMs() - movedAtMs < STUCK_MS) void link.tell("WATCHDOG=1");
    timer = clock.setTimer(watchdogMs / BEATS_PER_WATCH, beat);
  };
  timer = clock.setTimer(watchdogMs / BEATS_PER_WATCH, beat);
  return () => {
    timer.cancel();
    stopListening();
  };
}
