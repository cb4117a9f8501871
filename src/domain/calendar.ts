// Days of the calendar. Pure: instants and time zones are handed in.
import type { Instant } from "./records.ts";

/** The local calendar date of an instant, `YYYY-MM-DD`. */
export function localDate(at: Instant, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(at);
  const part = (type: string) => parts.find((item) => item.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}
