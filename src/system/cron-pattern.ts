// Reads a schedule's five fields, through node-cron, the only importer of it. Its own timers are not used: their
// calendar keeps 9 MB of Intl in memory (measured), this part of it 0.1 MB.
import { parse } from "node-cron";
import { AppError } from "../domain/errors.ts";

/** Allowed values, numbers as clocks and calendars show them; Sunday is 0. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

/** Throws `bad-schedule` (stop). */
export function readCron(pattern: string): CronFields {
  try {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = parse(pattern.trim());
    return {
      minutes: numbers(minute),
      hours: numbers(hour),
      days: numbers(dayOfMonth),
      months: numbers(month),
      weekdays: numbers(dayOfWeek),
    };
  } catch (cause) {
    throw badSchedule(pattern, cause);
  }
}

function badSchedule(pattern: string, cause?: unknown): AppError {
  return new AppError({
    code: "bad-schedule",
    message: `"${pattern}" is not a schedule engramd understands`,
    fix: 'use five cron fields of numbers, names, lists and ranges, such as "0 3 * * *"',
    disposition: "stop",
    cause,
  });
}

/** "L", "15W", "5#2": extensions that are not in the documented five fields. */
function numbers(values: readonly (number | string)[]): number[] {
  return values.map((value) => {
    if (typeof value !== "number") throw new TypeError(`not a number: ${value}`);
    return value;
  });
}
