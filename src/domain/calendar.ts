// Days and clocks of a place. Pure: instants and time zones are handed in.
import type { Instant } from "./records.ts";

/** A place's clocks. Two of the same place are the same object, so that answers can be kept by it. */
export interface TimeZone {
  /** How far they are ahead of UTC at an instant, in ms. */
  offsetMs(at: Instant): number;
}

/** The local calendar date of an instant, `YYYY-MM-DD`. */
export function localDate(at: Instant, timeZone: TimeZone): string {
  return localMoment(at, timeZone).date;
}

/** `YYYY-MM-DD`, a day that is in the calendar: no 30th of February. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  // Engines take a 31st of September for the day after the 30th.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

export interface LocalMoment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:MM` */
  readonly time: string;
}

/** A calendar of four-digit years ends here; what is stamped beyond it is shown as its first or last minute. */
const SHOWN_MIN: Instant = Date.parse("0000-01-01T00:00:00Z");
const SHOWN_MAX: Instant = Date.UTC(9999, 11, 31, 23, 59);

/** What calendar and clock of a place show at an instant. */
export function localMoment(at: Instant, timeZone: TimeZone): LocalMoment {
  const local = Math.min(SHOWN_MAX, Math.max(SHOWN_MIN, at + timeZone.offsetMs(at)));
  const [date = "", time = ""] = new Date(local).toISOString().split("T");
  return { date, time: time.slice(0, "HH:MM".length) };
}

/** `UTC+05:45` */
export function offsetText(at: Instant, timeZone: TimeZone): string {
  const minutes = Math.round(timeZone.offsetMs(at) / 60_000);
  const twoDigits = (value: number) => String(Math.trunc(value)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${twoDigits(size / 60)}:${twoDigits(size % 60)}`;
}
