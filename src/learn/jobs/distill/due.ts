// Whether the nightly distillation is due: once every local day, after its hour. A missed night is made up for as soon as
// somebody asks; several missed nights are one. Pure: what was done last is handed in, the clock may have been moved.
import type { TimeZone } from "../../../domain/calendar.ts";
import { localDate } from "../../../domain/calendar.ts";
import type { Instant } from "../../../domain/records.ts";
import type { Schedule } from "../../../system/schedule.ts";

export interface DueFacts {
  readonly now: Instant;
  readonly timeZone: TimeZone;
  readonly schedule: Schedule;
  /** The local day it ran on last, `YYYY-MM-DD`; undefined: never, or nobody knows. */
  readonly last: string | undefined;
}

export interface Due {
  readonly due: boolean;
  /** The local day of `now`: what is noted when it runs. */
  readonly date: string;
  /** When asking again makes sense: now when due; undefined when the schedule has no slot in the next years. */
  readonly dueAt: Instant | undefined;
}

const DAY_MS = 86_400_000;

export function distillDue({ now, timeZone, schedule, last }: DueFacts): Due {
  const date = localDate(now, timeZone);
  const known = last !== undefined && isBelievable(last, date) ? last : undefined;
  const slot = schedule.lastUntil(now, timeZone);
  // A run before the hour of a day makes up for the day before and counts as that day's: never two in one local day.
  const isMissed = slot !== undefined && (known === undefined || localDate(slot, timeZone) > known);
  if (isMissed && (known === undefined || date > known)) return { due: true, date, dueAt: now };
  const next = schedule.nextAfter(now, timeZone);
  const isToday = next !== undefined && known !== undefined && localDate(next, timeZone) <= known;
  return { due: false, date, dueAt: isToday ? schedule.nextAfter(endOf(known, timeZone), timeZone) : next };
}

/** A clock set back, or a journey to the west, stays within a day; what was noted further ahead was noted wrongly. */
function isBelievable(last: string, date: string): boolean {
  return Date.parse(last) <= Date.parse(date) + DAY_MS;
}

/** Its last moments by the clocks of the place. */
function endOf(date: string, timeZone: TimeZone): Instant {
  const shown = Date.parse(`${date}T23:59:59.999Z`);
  return shown - timeZone.offsetMs(shown - timeZone.offsetMs(shown));
}
