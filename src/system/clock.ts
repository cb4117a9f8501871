// Time, injected everywhere so that tests own it. Waits use the monotonic clock, dates the wall clock.
import type { TimeZone } from "../domain/calendar.ts";

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall time in ms since the epoch. May jump. */
  now(): number;
  /** Monotonic time in ms. Never jumps back. */
  monotonicMs(): number;
  /** Calls `fire` once after `ms`. Keeps the process alive until then. */
  setTimer(ms: number, fire: () => void): Timer;
  /** Lets the event loop take a turn. */
  yield(): Promise<void>;
  /** Where the person is. */
  timeZone(): TimeZone;
}

/** Timers beyond 24 days overflow; longer waits fire early and are asked again by their owner. */
const TIMER_MS_MAX = 2_147_000_000;

/** Asking the system for the zone costs a third of a millisecond (measured); a traveller's is noticed within this time. */
const ZONE_KEPT_MS = 60_000;

export function createClock(): Clock {
  let zoneUntilMs = Number.NEGATIVE_INFINITY;
  return {
    now: () => Date.now(),
    monotonicMs,
    setTimer(ms, fire) {
      const handle = setTimeout(fire, Math.max(0, Math.min(ms, TIMER_MS_MAX)));
      return { cancel: () => clearTimeout(handle) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    timeZone() {
      const nowMs = monotonicMs();
      if (nowMs >= zoneUntilMs) {
        zoneUntilMs = nowMs + ZONE_KEPT_MS;
        askSystemForZone();
      }
      return LOCAL_ZONE;
    },
  };
}

/** Not by `performance.now()`, which loads modules of Node that nothing else here needs: 0.3 MB (measured). */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** By `Date` and not by `Intl`, whose tables would stay in memory: 8 MB of a daemon that formats one date (measured). */
const LOCAL_ZONE: TimeZone = { offsetMs: (at) => -new Date(at).getTimezoneOffset() * 60_000 };

/** Node keeps the zone it found at its start; removing `TZ`, also where there is none, makes it look again. */
function askSystemForZone(): void {
  if (process.env["TZ"] === undefined) delete process.env["TZ"];
}

/** Waits `ms` or until the signal aborts, whichever is first; never rejects. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      timer.cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.setTimer(ms, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}
