// How old a memory is. Pure: now and the time zone are handed in.
import type { TimeZone } from "../../domain/calendar.ts";
import { localDate } from "../../domain/calendar.ts";
import type { Instant } from "../../domain/records.ts";

const DAY_MS = 86_400_000;

/** The three signs of age a memory carries; `confirmed` wins, then `modified`, then the file's time. */
export interface AgeSigns {
  /** Local date, `YYYY-MM-DD`. */
  readonly confirmed: string | undefined;
  /** ISO time. */
  readonly modified: string | undefined;
  readonly mtimeMs: Instant;
}

export interface Here {
  readonly now: Instant;
  readonly timeZone: TimeZone;
}

/** Whole days, never below 0. A sign that cannot be read or lies in the future is passed over. */
export function ageDays(signs: AgeSigns, { now, timeZone }: Here): number {
  const confirmed = dayNumber(signs.confirmed);
  const today = dayNumber(localDate(now, timeZone));
  // Calendar days: what was said at 23:50 is "yesterday" after midnight.
  if (confirmed !== undefined && today !== undefined && confirmed <= today) return today - confirmed;
  const modified = Date.parse(signs.modified ?? "");
  const since = Number.isNaN(modified) || modified > now ? signs.mtimeMs : modified;
  return Math.max(0, Math.floor((now - since) / DAY_MS));
}

/** The date that orders memories by age, `YYYY-MM-DD`. */
export function lastStated(signs: AgeSigns, timeZone: TimeZone): string {
  if (dayNumber(signs.confirmed) !== undefined && signs.confirmed !== undefined) return signs.confirmed;
  const modified = Date.parse(signs.modified ?? "");
  return localDate(Number.isNaN(modified) ? signs.mtimeMs : modified, timeZone);
}

/** Days since the epoch of a real calendar date. */
function dayNumber(date: string | undefined): number | undefined {
  if (date === undefined || !/^\d{4}-\d{2}-\d{2}$/u.test(date)) return undefined;
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date) return undefined;
  return at / DAY_MS;
}
