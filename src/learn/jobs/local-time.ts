// When something was said, in the person's own day: relative words are counted from it. Pure.
import type { TimeZone } from "../../domain/calendar.ts";
import { localMoment } from "../../domain/calendar.ts";
import type { Instant } from "../../domain/records.ts";

export interface LocalTime {
  /** `Tuesday 2026-05-05` */
  day(at: Instant): string;
  /** `Tue 2026-05-05 00:30` */
  moment(at: Instant): string;
  /** `00:30` */
  clock(at: Instant): string;
}

/** Two machines' clocks differ by less. */
const CLOCK_SKEW_MS = 86_400_000;

/** A time ahead of ours was stamped under a wrong clock: better unknown than "newest". */
export function trustedAt(at: Instant | undefined, now: Instant): Instant | undefined {
  return at !== undefined && at > now + CLOCK_SKEW_MS ? undefined : at;
}

export function localTimeIn(timeZone: TimeZone): LocalTime {
  return {
    day(at) {
      const { date } = localMoment(at, timeZone);
      return `${weekdayOf(date)} ${date}`;
    },
    moment(at) {
      const { date, time } = localMoment(at, timeZone);
      return `${weekdayOf(date).slice(0, WEEKDAY_CHARS)} ${date} ${time}`;
    },
    clock: (at) => localMoment(at, timeZone).time,
  };
}

/** `Tue`; English weekdays differ in three letters. */
const WEEKDAY_CHARS = 3;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

function weekdayOf(date: string): string {
  return WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? "";
}
