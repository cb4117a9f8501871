// Days and clocks of a place. Pure: instants and time zones are handed in.
import { keepLast } from "./keep-last.ts";
import type { Instant } from "./records.ts";

/** The local calendar date of an instant, `YYYY-MM-DD`. */
export function localDate(at: Instant, timeZone: string): string {
  return localMoment(at, timeZone).date;
}

export interface LocalMoment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:MM` */
  readonly time: string;
}

/** What calendar and clock of a place show at an instant. */
export function localMoment(at: Instant, timeZone: string): LocalMoment {
  const shown = placeIn(timeZone)(at);
  return { date: shown.slice(0, DATE_CHARS), time: shown.slice(DATE_CHARS + 1) };
}

const DATE_CHARS = "YYYY-MM-DD".length;
/** Clocks change at whole quarters of an hour only, and by whole minutes; before 2012 some changed at 00:01. */
const QUARTER_MS = 900_000;
const QUARTERS_SINCE: Instant = Date.UTC(2020, 0);
/** Beyond it a year has five digits. */
const QUARTERS_UNTIL: Instant = Date.UTC(9999, 0);
/** Quarters whose offset is kept: a long session has a few hundred. */
const QUARTERS_MAX = 1_000;

/** `YYYY-MM-DD HH:MM`. A formatter costs as much to make as a hundred texts, and a text as much as twenty sums. */
const placeIn = keepLast((timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const offsets = new Map<number, number>();
  const asked = (at: Instant) => {
    const parts = format.formatToParts(at);
    const part = (type: string) => parts.find((item) => item.type === type)?.value ?? "";
    return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}`;
  };
  const offsetAt = (quarter: number) => {
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const start = quarter * QUARTER_MS;
    const offset = Date.parse(`${asked(start).replace(" ", "T")}Z`) - start;
    if (offsets.size >= QUARTERS_MAX) offsets.clear();
    offsets.set(quarter, offset);
    return offset;
  };
  return (at: Instant) => {
    if (!(at >= QUARTERS_SINCE && at < QUARTERS_UNTIL)) return asked(at);
    const local = new Date(at + offsetAt(Math.floor(at / QUARTER_MS)));
    return local.toISOString().slice(0, "YYYY-MM-DD HH:MM".length).replace("T", " ");
  };
});
