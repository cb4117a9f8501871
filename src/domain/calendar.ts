// Days of the calendar. Pure: instants and time zones are handed in.
import { keepLast } from "./keep-last.ts";
import type { Instant } from "./records.ts";

/** A formatter costs as much as a hundred dates of it (measured). */
const formatIn = keepLast(
  (timeZone: string) =>
    new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }),
);

/** The local calendar date of an instant, `YYYY-MM-DD`. */
export function localDate(at: Instant, timeZone: string): string {
  const parts = formatIn(timeZone).formatToParts(at);
  const part = (type: string) => parts.find((item) => item.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}
