// Whether the nightly distillation is due: once every local day, after its hour. A missed night is made up for as soon as
// somebody asks; several missed nights are one. Pure: what was done last is handed in, the clock may have been moved.
import type { TimeZone } from "../../../domain/calendar.ts";
import { localDate } from "../../../domain/calendar.ts";
import type { Instant } from "../../../domain/records.ts";
import type { Schedule } from "../../../system/schedule.ts";

export interface LastDistilled {
  /** The local day it ran on, `YYYY-MM-DD`. */
  readonly date: string;
  readonly at: Instant;
}

export interface DueFacts {
  readonly now: Instant;
  readonly timeZone: TimeZone;
  readonly schedule: Schedule;
  /** Undefined: never, or nobody knows. */
  readonly last: LastDistilled | undefined;
}

export interface Due {
  readonly due: boolean;
  /** The local day of `now`: what is noted when it runs. */
  readonly date: string;
  /** When asking again makes sense: now when due; undefined when the schedule has no slot in the next years. */
  readonly dueAt: Instant | undefined;
}

/** A clock set back, or a journey to the west, stays within a day; what was noted further ahead was noted wrongly. */
const AHEAD_MS_MAX = 86_400_000;

export function distillDue({ now, timeZone, schedule, last }: DueFacts): Due {
  const date = localDate(now, timeZone);
  const known = last !== undefined && last.at <= now + AHEAD_MS_MAX ? last : undefined;
  const slot = schedule.lastUntil(now, timeZone);
  // Never twice in one local day, whatever the clock has done since.
  const isDone = known !== undefined && (known.date >= date || (slot !== undefined && known.at >= slot));
  if (slot !== undefined && !isDone) return { due: true, date, dueAt: now };
  return { due: false, date, dueAt: nextDay({ now, timeZone, schedule, last: known }) };
}

/** The next slot that lies in a day without a run. */
function nextDay({ now, timeZone, schedule, last }: DueFacts): Instant | undefined {
  const next = schedule.nextAfter(now, timeZone);
  if (next === undefined || last === undefined || localDate(next, timeZone) > last.date) return next;
  return schedule.nextAfter(next, timeZone);
}
