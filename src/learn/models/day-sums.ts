// What was paid, summed by local day, and the day and month an instant lies in. Pure bookkeeping; forgets nothing that
// a ceiling still needs.
import type { Instant } from "../../domain/records.ts";

/** What the sums need of a run. */
export interface Paid {
  readonly at: Instant;
  readonly memoryDir: string;
  readonly tokens: number;
  readonly usd: number;
  /** Paid for by a subscription. */
  readonly isPlan: boolean;
}

export interface DaySum {
  tokens: number;
  usd: number;
  planRuns: number;
  planTokens: number;
}

export interface DaySums {
  add(paid: Paid): void;
  /**
   * Of this day (`YYYY-MM-DD`) and every later one up to the last: where the clock went back, what was paid stays paid,
   * but what was paid under a wrong clock closes no ceiling until that clock is right.
   */
  since(day: string): Readonly<DaySum>;
  usdSince(day: string, memoryDir: string): number;
}

interface Day extends DaySum {
  readonly usdIn: Map<string, number>;
}

/** A month and the one before it. */
const DAYS_MAX = 62;

/** `lastDay`: the last one that counts. */
export function createDaySums(dayAt: (at: Instant) => string, lastDay: () => string): DaySums {
  const days = new Map<string, Day>();
  const from = (day: string) => {
    const last = lastDay();
    return [...days].flatMap(([name, sum]) => (name >= day && name <= last ? [sum] : []));
  };
  const leastNeeded = () => {
    const names = [...days.keys()].toSorted();
    const newest = names.at(-1) ?? "";
    return newest > lastDay() ? newest : (names[0] ?? "");
  };
  return {
    add({ at, memoryDir, tokens, usd, isPlan }) {
      const name = dayAt(at);
      const day = days.get(name) ?? { ...NOTHING, usdIn: new Map<string, number>() };
      days.set(name, day);
      day.tokens += tokens;
      day.usd += usd;
      if (isPlan) day.planRuns += 1;
      if (isPlan) day.planTokens += tokens;
      day.usdIn.set(memoryDir, (day.usdIn.get(memoryDir) ?? 0) + usd);
      if (days.size > DAYS_MAX) days.delete(leastNeeded());
    },
    since: (day) =>
      from(day).reduce<DaySum>(
        (sum, { tokens, usd, planRuns, planTokens }) => ({
          tokens: sum.tokens + tokens,
          usd: sum.usd + usd,
          planRuns: sum.planRuns + planRuns,
          planTokens: sum.planTokens + planTokens,
        }),
        NOTHING,
      ),
    usdSince: (day, memoryDir) => from(day).reduce((sum, { usdIn }) => sum + (usdIn.get(memoryDir) ?? 0), 0),
  };
}

const NOTHING: Readonly<DaySum> = { tokens: 0, usd: 0, planRuns: 0, planTokens: 0 };

export interface Period {
  readonly name: string;
  readonly start: Instant;
  /** The first instant after it. */
  readonly end: Instant;
}

/** Local days and months begin at quarters of an hour in every time zone; none is longer than 32 days. */
const STEP_MS = 900_000;
const STEPS_MAX = 32 * 24 * 4;

/** The day or month an instant lies in; asking the calendar is dear, so the last answer is kept. */
export function createPeriod(nameAt: (at: Instant) => string): (now: Instant) => Period {
  let last: Period = { name: "", start: 0, end: 0 };
  return (now) => {
    if (now >= last.start && now < last.end) return last;
    const name = nameAt(now);
    const base = Math.floor(now / STEP_MS) * STEP_MS;
    const isSame = (steps: number) => nameAt(base + steps * STEP_MS) === name;
    return (last = {
      name,
      start: base - (firstStep((steps) => !isSame(-steps)) - 1) * STEP_MS,
      end: base + firstStep((steps) => !isSame(steps)) * STEP_MS,
    });
  };
}

/** The smallest number of steps, 1 at least, for which `holds`; once it holds it goes on holding. */
function firstStep(holds: (steps: number) => boolean): number {
  let [low, high] = [1, STEPS_MAX];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
