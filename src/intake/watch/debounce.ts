// Waits until a key has been quiet, but never longer than its maximum wait. Holds keys only, in memory: after
// a restart the first sweep finds the same growth again.
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock, Timer } from "../../system/clock.ts";

export type FireReason = "quiet" | "max-wait" | "now";

export interface Quiet {
  /** Fires this long after the last touch. */
  readonly quietMs: number;
  /** Fires this long after the first touch even if touches go on. */
  readonly maxWaitMs: number;
}

export interface Debounce {
  /** Starts or prolongs the wait of a key. The wait's end only ever follows the newest `quietMs`. */
  touch(key: string, quiet: Quiet): void;
  /** Ends the wait of a key; fires even when the key was not waiting. */
  fireNow(key: string): void;
  /** When the key will fire if nothing touches it again; undefined when it is not waiting. */
  dueAt(key: string): Instant | undefined;
  size(): number;
  /** Forgets every key and every timer; nothing fires and nothing is taken until `start`. */
  stop(): void;
  /** Takes keys again; a new one does from the beginning. */
  start(): void;
}

export interface DebounceDeps {
  readonly clock: Clock;
  /** Called once per wait, never from inside `touch` unless the number of keys is at its bound. */
  readonly fire: (key: string, reason: FireReason) => void;
  /** Default: `WATCH_LIMITS.debounceKeysMax`. */
  readonly keysMax?: number;
}

/** Monotonic times: a wall clock that is set back must not stretch a wait. */
interface Wait {
  quietAtMs: number;
  lastAtMs: number;
}

interface State {
  readonly deps: DebounceDeps;
  /** In order of the first touch. */
  readonly waits: Map<string, Wait>;
  /** One timer for all keys, set for the earliest of them or earlier. */
  timer: { readonly handle: Timer; readonly atMs: number } | undefined;
  stopped: boolean;
}

export function createDebounce(deps: DebounceDeps): Debounce {
  const state: State = { deps, waits: new Map(), timer: undefined, stopped: false };
  return {
    touch: (key, quiet) => touch(state, key, quiet),
    fireNow: (key) => fire(state, key, "now"),
    dueAt(key) {
      const wait = state.waits.get(key);
      return wait === undefined ? undefined : deps.clock.now() + dueMs(wait) - deps.clock.monotonicMs();
    },
    size: () => state.waits.size,
    start: () => void (state.stopped = false),
    stop() {
      state.stopped = true;
      state.waits.clear();
      state.timer?.handle.cancel();
      state.timer = undefined;
    },
  };
}

function touch(state: State, key: string, { quietMs, maxWaitMs }: Quiet): void {
  if (state.stopped) return;
  const now = state.deps.clock.monotonicMs();
  const known = state.waits.get(key);
  const wait = known ?? { quietAtMs: 0, lastAtMs: now + maxWaitMs };
  wait.quietAtMs = now + quietMs;
  wait.lastAtMs = Math.min(wait.lastAtMs, now + maxWaitMs);
  if (known === undefined) {
    makeRoom(state);
    state.waits.set(key, wait);
  }
  // A touch usually moves the due time later: the timer stays and asks again when it fires.
  setTimerFor(state, dueMs(wait));
}

/** At the bound the key that waits longest goes at once: nothing noticed is dropped. */
function makeRoom(state: State): void {
  const { keysMax = WATCH_LIMITS.debounceKeysMax } = state.deps;
  if (state.waits.size < keysMax) return;
  const [oldest] = state.waits.keys();
  if (oldest !== undefined) fire(state, oldest, "now");
}

function dueMs({ quietAtMs, lastAtMs }: Wait): number {
  return Math.min(quietAtMs, lastAtMs);
}

function setTimerFor(state: State, atMs: number): void {
  if (state.stopped || (state.timer !== undefined && state.timer.atMs <= atMs)) return;
  state.timer?.handle.cancel();
  const { clock } = state.deps;
  const handle = clock.setTimer(atMs - clock.monotonicMs(), () => {
    state.timer = undefined;
    fireDue(state);
  });
  state.timer = { handle, atMs };
}

function fireDue(state: State): void {
  const now = state.deps.clock.monotonicMs();
  const due: { key: string; wait: Wait }[] = [];
  let nextMs = Infinity;
  for (const [key, wait] of state.waits) {
    if (dueMs(wait) <= now) due.push({ key, wait });
    else nextMs = Math.min(nextMs, dueMs(wait));
  }
  // Before anything fires, so that a throwing `fire` cannot leave the other keys without a timer.
  if (nextMs !== Infinity) setTimerFor(state, nextMs);
  due.sort((a, b) => dueMs(a.wait) - dueMs(b.wait));
  for (const { key, wait } of due) {
    if (state.waits.get(key) !== wait) continue;
    fire(state, key, wait.quietAtMs <= wait.lastAtMs ? "quiet" : "max-wait");
  }
}

function fire(state: State, key: string, reason: FireReason): void {
  if (state.stopped) return;
  state.waits.delete(key);
  if (state.waits.size === 0) {
    state.timer?.handle.cancel();
    state.timer = undefined;
  }
  state.deps.fire(key, reason);
}
