// What models may still cost: ceilings of the day, the month and the hour over what the ledger says was spent.
// Decides from recorded runs only; whoever sends requests asks first.
import type { Config } from "../../config/schema.ts";
import { localDate } from "../../domain/calendar.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import type { Ledger, RunCost, RunEntry } from "./ledger.ts";

export interface Spent {
  readonly tokensToday: number;
  readonly usdToday: number;
  readonly usdMonth: number;
}

/** A ceiling that is reached. */
export interface Exhausted {
  /** The setting that says so. */
  readonly setting: "tokensPerDay" | "usdPerDay" | "usdPerMonth" | "runsPerHour";
  /** When there is room again. */
  readonly until: Instant;
}

export interface Budget {
  /** A run ended. */
  add(entry: RunEntry): void;
  spent(): Spent;
  /** Dollars a memory folder cost today. */
  usdTodayIn(memoryDir: string): number;
  /** Undefined while there is room; `running` is what the asking job has spent and not yet recorded. */
  exhausted(running: RunCost): Exhausted | undefined;
}

export interface BudgetDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "month">;
  limits(): Config["budget"];
}

const HOUR_MS = 3_600_000;
/** Runs kept for the sums; at `runsPerHour` of the largest setting a month has more, its oldest are then forgotten. */
const RUNS_MAX = 100_000;

export function createBudget({ clock, ledger, limits }: BudgetDeps): Budget {
  const paid = ledger.month(clock.now()).filter((entry) => entry.requests > 0);
  const dayOf = (at: Instant) => localDate(at, clock.timeZone());
  const isToday = (entry: RunEntry) => dayOf(Date.parse(entry.at)) === dayOf(clock.now());
  const isThisMonth = (entry: RunEntry) =>
    dayOf(Date.parse(entry.at)).slice(0, 7) === dayOf(clock.now()).slice(0, 7);
  const spent = (): Spent => {
    const today = paid.filter(isToday);
    return {
      tokensToday: sum(today, (entry) => entry.inputTokens + entry.outputTokens),
      usdToday: sum(today, (entry) => entry.usd),
      usdMonth: sum(paid.filter(isThisMonth), (entry) => entry.usd),
    };
  };
  return {
    add(entry) {
      if (entry.requests === 0) return;
      paid.push(entry);
      if (paid.length > RUNS_MAX) paid.splice(0, paid.length - RUNS_MAX);
    },
    spent,
    usdTodayIn: (memoryDir) =>
      sum(
        paid.filter((entry) => entry.memoryDir === memoryDir && isToday(entry)),
        (entry) => entry.usd,
      ),
    exhausted(running) {
      const { tokensPerDay, usdPerDay, usdPerMonth, runsPerHour } = limits();
      const { tokensToday, usdToday, usdMonth } = spent();
      const now = clock.now();
      const nextDay = () => firstAfter(now, (at) => dayOf(at) !== dayOf(now));
      const nextMonth = () => firstAfter(now, (at) => dayOf(at).slice(0, 7) !== dayOf(now).slice(0, 7));
      if (usdMonth + running.usd >= usdPerMonth) return { setting: "usdPerMonth", until: nextMonth() };
      if (usdToday + running.usd >= usdPerDay) return { setting: "usdPerDay", until: nextDay() };
      const tokens = tokensToday + running.inputTokens + running.outputTokens;
      if (tokens >= tokensPerDay) return { setting: "tokensPerDay", until: nextDay() };
      const lastHour = paid.map((entry) => Date.parse(entry.at)).filter((at) => at > now - HOUR_MS);
      // The asking job is a run as well once it has sent something.
      if (running.requests > 0 || lastHour.length < runsPerHour) return undefined;
      return { setting: "runsPerHour", until: (lastHour.at(-Math.max(1, runsPerHour)) ?? now) + HOUR_MS };
    },
  };
}

function sum(entries: readonly RunEntry[], of: (entry: RunEntry) => number): number {
  return entries.reduce((total, entry) => total + of(entry), 0);
}

/** Time zones change by quarters of an hour; a month has fewer than 32 days. */
const STEP_MS = HOUR_MS / 4;
const STEPS_MAX = 32 * 24 * 4;

/** The first quarter of an hour after `from` for which `holds`. */
function firstAfter(from: Instant, holds: (at: Instant) => boolean): Instant {
  let at = Math.floor(from / STEP_MS) * STEP_MS;
  for (let step = 0; step < STEPS_MAX; step++) {
    at += STEP_MS;
    if (holds(at)) return at;
  }
  return at;
}
