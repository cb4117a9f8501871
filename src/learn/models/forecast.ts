// How far today's ceilings reach, and how many days the rest takes. Pure; in doubt it says later, never sooner.
import type { Room } from "./budget.ts";

/** What is to be asked, as estimated. */
export interface Load {
  readonly requests: number;
  /** In and out. */
  readonly tokens: number;
  readonly usd: number;
}

/** A hundred years: never, as a number. */
const DAYS_MAX = 36_500;
const MONTH_DAYS = 31;
const HOURS = 24;

/** How many of them, from the first on, are read before a ceiling of today is met. */
export function fitsToday(loads: readonly Load[], { today, refused }: Room): number {
  let [tokens, usd] = [0, 0];
  for (const [at, load] of loads.entries()) {
    tokens += load.tokens;
    usd += load.usd;
    const isOver = refused !== undefined || tokens > today.tokens || usd > today.usd;
    if (load.requests > 0 && isOver) return at;
  }
  return loads.length;
}

/** Days beyond this one that reading them takes; 0 only for what asks nothing. */
export function daysFor(loads: readonly Load[], { day, month, refused }: Room): number {
  const asking = loads.filter(({ requests }) => requests > 0);
  if (asking.length === 0) return 0;
  if (refused === "ever") return DAYS_MAX;
  const sum = (of: (load: Load) => number) => asking.reduce((total, load) => total + of(load), 0);
  // Before a ceiling is met, as much as one more request is left unused.
  const unused = Math.max(...asking.map(({ tokens, requests }) => tokens / requests));
  const unusedUsd = Math.max(...asking.map(({ usd, requests }) => usd / requests));
  const days = Math.max(
    1,
    Math.ceil(sum(({ tokens }) => tokens) / Math.max(0, day.tokens - unused)),
    share(
      sum(({ usd }) => usd),
      day.usd - unusedUsd,
    ),
    Math.ceil(sum(({ requests }) => requests) / Math.min(day.runs, day.runsPerHour * HOURS)),
  );
  const beyond = sum(({ usd }) => usd) - month.usdLeft;
  const monthDays = beyond <= 0 ? 0 : month.daysLeft + (share(beyond, month.usd) - 1) * MONTH_DAYS + 1;
  const most = Math.max(days, monthDays);
  return most <= DAYS_MAX ? most : DAYS_MAX;
}

function share(amount: number, perPeriod: number): number {
  if (amount <= 0) return 0;
  return perPeriod <= 0 ? Number.POSITIVE_INFINITY : Math.ceil(amount / perPeriod);
}
