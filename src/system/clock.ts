// Time, injected everywhere so that tests own it. Waits use the monotonic clock, dates the wall clock.

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
  /** IANA name of the local time zone. */
  timeZone(): string;
}

/** Timers beyond 24 days overflow; longer waits fire early and are asked again by their owner. */
const TIMER_MS_MAX = 2_147_000_000;

/** Asking for the zone costs half a millisecond (measured); a traveller's is noticed within this time. */
const ZONE_KEPT_MS = 10_000;

export function createClock(): Clock {
  let zone: { readonly name: string; readonly untilMs: number } | undefined;
  return {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    setTimer(ms, fire) {
      const handle = setTimeout(fire, Math.max(0, Math.min(ms, TIMER_MS_MAX)));
      return { cancel: () => clearTimeout(handle) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    timeZone() {
      const nowMs = performance.now();
      if (zone === undefined || nowMs >= zone.untilMs) {
        zone = { name: Intl.DateTimeFormat().resolvedOptions().timeZone, untilMs: nowMs + ZONE_KEPT_MS };
      }
      return zone.name;
    },
  };
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
