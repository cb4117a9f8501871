// What models may still cost: ceilings of the day, the month and the hour over what the ledger says was spent.
// Decides from recorded runs only; whoever sends requests asks first.
import type { Config } from "../../config/schema.ts";
import { localDate } from "../../domain/calendar.ts";
import type { ModelUsage } from "../../domain/models.ts";
import { inputTokensOf } from "../../domain/models.ts";
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

/** What one job spends, from its first request to its line in the ledger. */
export interface Account {
  /** Counts one request. */
  add(usage: ModelUsage, usd: number | undefined): void;
  sum(): RunCost;
  /**
   * The ceiling that forbids the next request, all jobs that run counted; undefined allows it. Asked right before each
   * request: a job that was allowed one counts as a run.
   */
  closed(): Exhausted | undefined;
  /** The job is over and stands in the ledger. */
  close(): void;
}

export interface Budget {
  /** A run ended. */
  add(entry: RunEntry): void;
  /** A job that may ask a model begins. */
  open(memoryDir: string): Account;
  /** Running jobs included. */
  spent(): Spent;
  /** Dollars a memory folder cost today. */
  usdTodayIn(memoryDir: string): number;
  /** The ceiling that is reached; undefined while there is room for another job. */
  exhausted(): Exhausted | undefined;
}

export interface BudgetDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "month">;
  limits(): Config["budget"];
}

const HOUR_MS = 3_600_000;
/** Runs kept for the sums; at `runsPerHour` of the largest setting a month has more, its oldest are then forgotten. */
const RUNS_MAX = 100_000;

/** What the sums need of a run. */
interface Paid extends Pick<RunEntry, "memoryDir" | "usd"> {
  readonly at: Instant;
  readonly tokens: number;
}

/** A job that runs. */
interface Running {
  readonly memoryDir: string;
  cost: RunCost;
  /** It was allowed a request. */
  begun: boolean;
}

export function createBudget({ clock, ledger, limits }: BudgetDeps): Budget {
  const paid = ledger.month(clock.now()).flatMap(paidOf);
  const open = new Set<Running>();
  const dayAt = (at: Instant) => localDate(at, clock.timeZone());
  const today = createPeriod(dayAt);
  const thisMonth = createPeriod((at) => dayAt(at).slice(0, 7));
  const paidToday = createSum(paid);
  const paidThisMonth = createSum(paid);
  /** What runs now counts as of now. */
  const running = (now: Instant) =>
    [...open].map(({ memoryDir, cost }) => paidBy(cost, { memoryDir, at: now }));
  const spent = (): Spent => {
    const now = clock.now();
    const ofDay = paidToday(today(now).start);
    const tokensNow = sum(running(now), ({ tokens }) => tokens);
    const usdNow = sum(running(now), ({ usd }) => usd);
    return {
      tokensToday: ofDay.tokens + tokensNow,
      usdToday: ofDay.usd + usdNow,
      usdMonth: paidThisMonth(thisMonth(now).start).usd + usdNow,
    };
  };
  const exhausted = (asking?: Running): Exhausted | undefined => {
    const { tokensPerDay, usdPerDay, usdPerMonth, runsPerHour } = limits();
    const { tokensToday, usdToday, usdMonth } = spent();
    const now = clock.now();
    if (usdMonth >= usdPerMonth) return { setting: "usdPerMonth", until: thisMonth(now).end };
    if (usdToday >= usdPerDay) return { setting: "usdPerDay", until: today(now).end };
    if (tokensToday >= tokensPerDay) return { setting: "tokensPerDay", until: today(now).end };
    if (asking?.begun === true || paid.length + open.size < runsPerHour) return undefined;
    const lastHour = paid.map(({ at }) => at).filter((at) => at > now - HOUR_MS);
    for (const { begun } of open) if (begun) lastHour.push(now);
    if (lastHour.length < runsPerHour) return undefined;
    return { setting: "runsPerHour", until: (lastHour.at(-Math.max(1, runsPerHour)) ?? now) + HOUR_MS };
  };
  return {
    add(entry) {
      paid.push(...paidOf(entry));
      if (paid.length > RUNS_MAX) paid.splice(0, RUNS_MAX / 2);
    },
    open(memoryDir) {
      const running: Running = { memoryDir, cost: NO_COST, begun: false };
      open.add(running);
      return accountOf(running, { exhausted, close: () => void open.delete(running) });
    },
    spent,
    usdTodayIn(memoryDir) {
      const now = clock.now();
      const here = running(now).filter((run) => run.memoryDir === memoryDir);
      return (paidToday(today(now).start).usdIn.get(memoryDir) ?? 0) + sum(here, ({ usd }) => usd);
    },
    exhausted: () => exhausted(),
  };
}

interface AccountDeps {
  exhausted(asking: Running): Exhausted | undefined;
  close(): void;
}

function accountOf(running: Running, { exhausted, close }: AccountDeps): Account {
  return {
    add: (usage, usd) => void (running.cost = withRequest(running.cost, { usage, usd: usd ?? 0 })),
    sum: () => running.cost,
    closed() {
      const reached = exhausted(running);
      running.begun ||= reached === undefined;
      return reached;
    },
    close,
  };
}

const NO_COST: RunCost = { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

function withRequest(
  cost: RunCost,
  { usage, usd }: { readonly usage: ModelUsage; readonly usd: number },
): RunCost {
  return {
    requests: cost.requests + 1,
    inputTokens: cost.inputTokens + inputTokensOf(usage),
    outputTokens: cost.outputTokens + usage.outputTokens,
    usd: cost.usd + usd,
  };
}

function paidBy(
  { usd, inputTokens, outputTokens }: RunCost,
  { memoryDir, at }: { readonly memoryDir: string; readonly at: Instant },
): Paid {
  return { at, memoryDir, usd, tokens: inputTokens + outputTokens };
}

function paidOf(entry: RunEntry): Paid[] {
  const { requests, memoryDir, at } = entry;
  return requests === 0 ? [] : [paidBy(entry, { memoryDir, at: Date.parse(at) })];
}

function sum(runs: readonly Paid[], of: (run: Paid) => number): number {
  return runs.reduce((total, run) => total + of(run), 0);
}

/** What runs cost since an instant. */
interface Sum {
  readonly since: Instant;
  counted: number;
  tokens: number;
  usd: number;
  /** By memory folder. */
  readonly usdIn: Map<string, number>;
}

/**
 * Asked before every request and for every project of a status: only runs added since the last question are counted.
 * `paid` grows at its end; when it loses its oldest, or the instant is another, all are counted anew.
 */
function createSum(paid: readonly Paid[]): (since: Instant) => Sum {
  const empty = (since: Instant): Sum => ({ since, counted: 0, tokens: 0, usd: 0, usdIn: new Map() });
  let last = empty(Number.NaN);
  return (since) => {
    if (last.since !== since || paid.length < last.counted) last = empty(since);
    for (const { at, memoryDir, tokens, usd } of paid.slice(last.counted)) {
      if (at < since) continue;
      last.tokens += tokens;
      last.usd += usd;
      last.usdIn.set(memoryDir, (last.usdIn.get(memoryDir) ?? 0) + usd);
    }
    last.counted = paid.length;
    return last;
  };
}

interface Period {
  readonly start: Instant;
  /** The first instant after it. */
  readonly end: Instant;
}

/** Local days and months begin at quarters of an hour in every time zone; none is longer than 32 days. */
const STEP_MS = HOUR_MS / 4;
const STEPS_MAX = 32 * 24 * 4;

/** The day or month an instant lies in; asking the calendar is dear, so the last answer is kept. */
function createPeriod(nameAt: (at: Instant) => string): (now: Instant) => Period {
  let last: Period = { start: 0, end: 0 };
  return (now) => {
    if (now >= last.start && now < last.end) return last;
    const name = nameAt(now);
    const base = Math.floor(now / STEP_MS) * STEP_MS;
    const isSame = (steps: number) => nameAt(base + steps * STEP_MS) === name;
    return (last = {
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
