// Ticks at the slots of schedules. A tick is no job: whoever is told asks whether anything is due. One short timer for all
// schedules, so that a sleep over a slot is noticed within a minute of waking; several missed slots are one tick.
import { messageOf } from "../domain/errors.ts";
import type { Instant } from "../domain/records.ts";
import type { Clock, Timer } from "./clock.ts";
import type { Emitter } from "./emitter.ts";
import { readCron } from "./cron-pattern.ts";
import { type Schedule, scheduleOf } from "./schedule.ts";
import type { WakeWatch } from "./wake.ts";

export interface Scheduler {
  /** Throws `bad-schedule` (stop). */
  everyTick(cron: string, fire: () => void): Promise<Ticking>;
  /** Ends all of them. */
  stop(): void;
}

export interface Ticking {
  readonly schedule: Schedule;
  nextAt(): Instant | undefined;
  stop(): void;
}

export interface SchedulerDeps {
  readonly clock: Clock;
  readonly emitter: Emitter;
  /** Looked at each step. */
  readonly wake?: Pick<WakeWatch, "look">;
}

/** A timer stands still while the machine sleeps: what is left of it delays everything after a wake. */
const STEP_MS = 60_000;

interface Entry {
  readonly schedule: Schedule;
  readonly fire: () => void;
  nextAt: Instant | undefined;
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { clock, wake } = deps;
  const entries = new Set<Entry>();
  let timer: Timer | undefined;
  let lookedAt = clock.now();

  function plan(entry: Entry): void {
    entry.nextAt = entry.schedule.nextAfter(clock.now(), clock.timeZone());
  }

  function arm(): void {
    timer?.cancel();
    timer = undefined;
    if (entries.size === 0) return;
    const waits = [...entries].map(({ nextAt }) => (nextAt ?? Infinity) - clock.now());
    timer = clock.setTimer(Math.max(0, Math.min(STEP_MS, ...waits)), step);
  }

  function step(): void {
    wake?.look();
    const now = clock.now();
    const isSetBack = now < lookedAt;
    lookedAt = now;
    for (const entry of entries) {
      const isDue = entry.nextAt !== undefined && entry.nextAt <= now;
      // A clock that was set back would have us wait for its former time.
      if (isDue || isSetBack) plan(entry);
      if (isDue) tell(deps, entry);
    }
    arm();
  }

  return {
    async everyTick(cron, fire) {
      const entry: Entry = { schedule: scheduleOf(readCron(cron)), fire, nextAt: undefined };
      plan(entry);
      entries.add(entry);
      arm();
      return {
        schedule: entry.schedule,
        nextAt: () => entry.nextAt,
        stop() {
          entries.delete(entry);
          arm();
        },
      };
    },
    stop() {
      entries.clear();
      arm();
    },
  };
}

/** One listener that throws does not end the ticks of the others. */
function tell({ emitter }: SchedulerDeps, { fire }: Entry): void {
  try {
    fire();
  } catch (error) {
    emitter.emit("warning:raised", { code: "tick-failed", message: messageOf(error) });
  }
}
