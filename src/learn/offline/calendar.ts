// Reckoning with calendar days, `YYYY-MM-DD`. Pure.
import type { Instant } from "../../domain/records.ts";

const DAY_MS = 86_400_000;

export function shiftedDay(day: string, days: number): string {
  return isoDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** 0 is Monday. */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** The last day of the month that is `months` after the month of `day`. */
export function monthEnd(day: string, months: number): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return isoDay(Date.UTC(year, month + months, 0));
}

/** The day in this year or, when it lies more than a month back, in the next one. Undefined for no day at all. */
export function comingDay(from: string, { month, day }: { readonly month: number; readonly day: number }) {
  const year = Number(from.slice(0, 4));
  for (const candidate of [year, year + 1]) {
    const date = isoDay(Date.UTC(candidate, month - 1, day));
    if (Number(date.slice(8)) !== day || Number(date.slice(5, 7)) !== month) continue;
    if (date >= shiftedDay(from, -31)) return date;
  }
  return undefined;
}

function isoDay(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10);
}
