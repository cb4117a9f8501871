// The moments a schedule names, by the clocks of a place. Every slot comes once: one that the clocks jump over comes right
// after, one of an hour that comes twice comes the first time. Pure.
import type { TimeZone } from "../domain/calendar.ts";
import type { Instant } from "../domain/records.ts";
import type { CronFields } from "./cron-pattern.ts";

export interface Schedule {
  /** First slot after an instant; undefined when the next eight years have none. */
  nextAfter(at: Instant, zone: TimeZone): Instant | undefined;
  /** Last slot up to an instant: work is due that succeeded before it. */
  lastUntil(at: Instant, zone: TimeZone): Instant | undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 29 February may be eight years away. */
const DAYS_MAX = 8 * 366 + 1;

export function scheduleOf(fields: CronFields): Schedule {
  const ascending = timesOfDay(fields);
  const descending = ascending.toReversed();
  return {
    nextAfter: (at, zone) =>
      search({ fields, times: ascending, step: DAY_MS, at, zone }, (slot) => slot > at),
    lastUntil: (at, zone) =>
      search({ fields, times: descending, step: -DAY_MS, at, zone }, (slot) => slot <= at),
  };
}

/** From midnight, in ms, in order. */
function timesOfDay({ hours, minutes }: CronFields): number[] {
  return hours
    .flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * MINUTE_MS))
    .toSorted((a, b) => a - b);
}

interface Search {
  readonly fields: CronFields;
  readonly times: readonly number[];
  readonly step: number;
  readonly at: Instant;
  readonly zone: TimeZone;
}

/** Day by day from the local date of `at`. Local time is kept as if it were UTC. */
function search(
  { fields, times, step, at, zone }: Search,
  accept: (slot: Instant) => boolean,
): Instant | undefined {
  const today = Math.floor((at + zone.offsetMs(at)) / DAY_MS) * DAY_MS;
  for (let days = 0; days < DAYS_MAX; days++) {
    const day = today + days * step;
    if (!isDayOf(fields, day)) continue;
    for (const time of times) {
      const slot = instantOf(day + time, zone);
      if (accept(slot)) return slot;
    }
  }
  return undefined;
}

/** As node-cron has it: day of the month and day of the week must both fit. */
function isDayOf({ days, months, weekdays }: CronFields, day: number): boolean {
  const date = new Date(day);
  return (
    days.includes(date.getUTCDate()) &&
    months.includes(date.getUTCMonth() + 1) &&
    weekdays.includes(date.getUTCDay())
  );
}

/** The first instant at which clocks there show `local`, or would show it had they not jumped. */
function instantOf(local: number, zone: TimeZone): Instant {
  const [before, after] = [zone.offsetMs(local - DAY_MS), zone.offsetMs(local + DAY_MS)];
  const isShown = (offset: number) => zone.offsetMs(local - offset) === offset;
  // A jump forward leaves neither true: by the clocks as they were before it.
  if (isShown(before) || !isShown(after)) return local - before;
  return local - after;
}
