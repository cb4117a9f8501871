// A clock that moves only when a test says so. Wall and monotonic time can drift apart, as after a suspend.
import type { TimeZone } from "../../src/domain/calendar.ts";
import type { Clock, Timer } from "../../src/system/clock.ts";
import { UTC } from "./time-zone.ts";

export interface ManualClock extends Clock {
  /**
   * Moves both clocks forward, firing due timers in order of their time (then of their making). Between two
   * timers pending promise callbacks run, so that a chain `timer -> await -> timer` is followed.
   */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock only: a suspend, a correction by the user. May go back. */
  setWall(epochMs: number): void;
  /** Moves the monotonic clock only; timers that become due fire on the next `advance`. */
  skipMonotonic(ms: number): void;
  /** Timers that are still set; 0 after a clean stop. */
  pendingTimers(): number;
  /** Milliseconds until the next timer; undefined when none is set. */
  nextTimerIn(): number | undefined;
}

export interface ManualClockOptions {
  /** Wall time at the start; default 2026-05-04T09:00:00Z. */
  readonly startAt?: number;
  readonly timeZone?: TimeZone;
}

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Turns of the event loop given to code under test after each timer, counted while it waits for no file. */
const SETTLE_TURNS = 5;
/** Real time: a file that answers no more (a pipe nobody writes to) holds a test's clock no longer than this. */
const FILES_MS = 5_000;
/** What Node calls requests to files under way, the closing of one among them. */
const FILE_KINDS: ReadonlySet<string> = new Set(["FSReqCallback", "FSReqPromise", "CloseReq"]);
/** More timers than this in one `advance` is a loop that would never end. */
const FIRED_MAX = 20_000;

export function createManualClock(options: ManualClockOptions = {}): ManualClock {
  const pending = new Set<Pending>();
  let wall = options.startAt ?? Date.UTC(2026, 4, 4, 9);
  let monotonic = 0;
  let made = 0;

  function next(): Pending | undefined {
    let best: Pending | undefined;
    for (const timer of pending) {
      if (best === undefined || isBefore(timer, best)) best = timer;
    }
    return best;
  }

  function moveTo(targetMs: number): void {
    wall += Math.max(0, targetMs - monotonic);
    monotonic = Math.max(monotonic, targetMs);
  }

  return {
    now: () => wall,
    monotonicMs: () => monotonic,
    setTimer(ms, fire): Timer {
      const timer = { dueMs: monotonic + Math.max(0, ms), order: made++, fire };
      pending.add(timer);
      return { cancel: () => void pending.delete(timer) };
    },
    yield: settleOnce,
    timeZone: () => options.timeZone ?? UTC,

    async advance(ms) {
      const target = monotonic + ms;
      await settle();
      for (let fired = 0; fired < FIRED_MAX; fired++) {
        const timer = next();
        if (timer === undefined || timer.dueMs > target) {
          moveTo(target);
          return settle();
        }
        moveTo(timer.dueMs);
        pending.delete(timer);
        timer.fire();
        await settle();
      }
      throw new Error(`more than ${FIRED_MAX} timers fired within ${ms} ms: an endless loop?`);
    },
    setWall: (epochMs) => void (wall = epochMs),
    skipMonotonic: (ms) => void (monotonic += ms),
    pendingTimers: () => pending.size,
    nextTimerIn() {
      const timer = next();
      return timer === undefined ? undefined : Math.max(0, timer.dueMs - monotonic);
    },
  };
}

function isBefore(a: Pending, b: Pending): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

function settleOnce(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How long files take is the machine's matter: the turns are counted anew as long as one is asked for something. */
async function settle(): Promise<void> {
  let giveUpAt = Infinity;
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
    await settleOnce();
    if (!process.getActiveResourcesInfo().some((kind) => FILE_KINDS.has(kind))) continue;
    if (giveUpAt === Infinity) giveUpAt = performance.now() + FILES_MS;
    if (performance.now() < giveUpAt) turn = -1;
  }
}
