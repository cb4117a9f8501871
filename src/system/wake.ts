// Notices that the machine slept, or this process was stopped. Looks when it is told to; sets no timer.
import type { Instant } from "../domain/records.ts";
import type { Clock } from "./clock.ts";

export interface WakeWatch {
  /** At least once a minute while the process runs. */
  look(): void;
  /** Until when networks and disks come back; undefined when nobody slept lately. */
  settlesUntil(): Instant | undefined;
  /** The first ten minutes after a wake: what a network says then is no failure of anybody. */
  isFresh(): boolean;
}

export interface WakeWatchDeps {
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly jitter: () => number;
}

/** The monotonic clock stands still in a sleep; corrections of the wall clock are shorter as a rule. */
const JUMP_MS = 120_000;
/** A look that comes later than this by the monotonic clock: the process was stopped. */
const LATE_MS = 300_000;
/** With the minute until a wake is noticed: work begins within five minutes of it. */
const SETTLE_MIN_MS = 120_000;
const SETTLE_MAX_MS = 240_000;
const FRESH_MS = 600_000;

export function createWakeWatch({ clock, jitter }: WakeWatchDeps): WakeWatch {
  let wallMs = clock.now();
  let monotonicMs = clock.monotonicMs();
  let woke: { readonly atMs: number; readonly settledMs: number } | undefined;
  return {
    look() {
      const passedMs = clock.monotonicMs() - monotonicMs;
      const jumpMs = clock.now() - wallMs - passedMs;
      wallMs = clock.now();
      monotonicMs = clock.monotonicMs();
      if (jumpMs <= JUMP_MS && passedMs <= LATE_MS) return;
      const waitMs = SETTLE_MIN_MS + jitter() * (SETTLE_MAX_MS - SETTLE_MIN_MS);
      woke = { atMs: monotonicMs, settledMs: monotonicMs + waitMs };
    },
    settlesUntil() {
      const leftMs = (woke?.settledMs ?? 0) - clock.monotonicMs();
      // Whole milliseconds: whoever comes back at that time finds it over.
      return leftMs > 0 ? clock.now() + Math.ceil(leftMs) : undefined;
    },
    isFresh: () => woke !== undefined && clock.monotonicMs() - woke.atMs < FRESH_MS,
  };
}
