// What models may still cost: ceilings of the day, the month and the hour over what the ledger says was spent and what
// is being asked now. Whoever sends a request asks first, with what it may cost at most; nothing is assumed cheap.
import type { Config } from "../../config/schema.ts";
import { localDate } from "../../domain/calendar.ts";
import type { ModelUsage } from "../../domain/models.ts";
import { inputTokensOf } from "../../domain/models.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import { createDaySums, createPeriod, type DaySums, type Period } from "./day-sums.ts";
import type { Ledger, RunCost, RunEntry } from "./ledger.ts";
import type { OpenCost } from "./open-costs.ts";
import { NO_COST, tokensOf, withRequest } from "./run-cost.ts";
import { limitsFor, type Speaker } from "./script-share.ts";

export interface Spent {
  readonly tokensToday: number;
  readonly usdToday: number;
  readonly usdMonth: number;
}

/** A ceiling that is reached. */
export interface Exhausted {
  /** The setting that says so. */
  readonly setting:
    | "tokensPerDay"
    | "usdPerDay"
    | "usdPerMonth"
    | "runsPerHour"
    | "subscription.tokensPerDay"
    | "subscription.runsPerDay";
  /** When there is room again. */
  readonly until: Instant;
}

/** What a request may cost that is not sent yet. */
export interface NextRequest {
  /** Estimated (`domain/tokens.ts`). */
  readonly inputTokens: number;
  /** The most the answer may have. */
  readonly outputTokens: number;
  readonly usd: number;
}

/** What one job spends, from its first request to its line in the ledger. */
export interface Account {
  /** Counts one request. */
  add(usage: ModelUsage, usd: number | undefined): void;
  sum(): RunCost;
  /**
   * The ceiling that forbids the next request, all jobs that run and what they have asked counted; undefined allows it.
   * Asked right before each request: a job that was allowed one counts as a run, and what it may cost is set aside
   * until it is added.
   */
  closed(next?: NextRequest): Exhausted | undefined;
  /** Whose words the next requests are about; programs have a share of each ceiling. At first: people's. */
  hears(who: Speaker): void;
  /** The ceiling that forbade a request of this job, the last time. */
  stoppedBy(): Exhausted | undefined;
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
  /** The ceiling that is reached or left no room for a request; undefined while there is room for another job. */
  exhausted(): Exhausted | undefined;
  room(): Room;
}

/** What the ceilings leave and allow; infinite where none holds. */
export interface Room {
  readonly today: { readonly tokens: number; readonly usd: number };
  readonly day: {
    readonly tokens: number;
    readonly usd: number;
    readonly runs: number;
    readonly runsPerHour: number;
  };
  readonly month: { readonly usdLeft: number; readonly usd: number; readonly daysLeft: number };
}

export interface BudgetDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "since">;
  limits(): Config["budget"];
  /** Whether a job that begins now is paid for by a subscription. Default: never. */
  isPlan?(): boolean;
  /** Told what running jobs may cost, before each request and at the end of each job: a process may die over them. */
  keepOpen?(open: readonly OpenCost[]): void;
}

const HOUR_MS = 3_600_000;
/** Runs of the last hour; twice what the largest `runsPerHour` allows. */
const HOUR_RUNS_MAX = 20_000;
/** A server may count more tokens than we estimate: by the worst it did so far, and at most a token a character. */
const MISS_MAX = 4;

/** A job that runs. */
interface Running {
  readonly memoryDir: string;
  readonly isPlan: boolean;
  cost: RunCost;
  /** It was allowed a request. */
  begun: boolean;
  hears: Speaker;
  heardPeople: boolean;
  /** A request under way: what it may cost. */
  asked: NextRequest | undefined;
  stoppedBy: Exhausted | undefined;
}

/** What was spent and is being spent. */
interface Books {
  readonly sums: DaySums;
  readonly lastHour: Instant[];
  readonly open: Set<Running>;
  today(now: Instant): Period;
  thisMonth(now: Instant): Period;
  /** How far estimates have been below the truth. */
  miss: number;
  /** A ceiling that was not reached and left no room for a request, and the settings it was one of. */
  refusal: { readonly reached: Exhausted; readonly settings: string } | undefined;
}

export function createBudget(deps: BudgetDeps): Budget {
  const { clock, limits, isPlan = () => false } = deps;
  const books = openBooks(deps);
  const { sums, open, today } = books;
  const settings = () => JSON.stringify([limits(), isPlan()]);
  const reached = (asking?: Asking, who: Speaker = "people") =>
    ceilingReached(asking, { books, limits: limitsFor(who, limits()), now: clock.now() });
  const spent = () => spentIn(books, clock.now());
  const keep = () =>
    deps.keepOpen?.([...open].filter(({ begun }) => begun).map((job) => openCost(job, clock.now())));
  return {
    add: (entry) => addTo(books, entry),
    open(memoryDir) {
      const job: Running = {
        memoryDir,
        isPlan: isPlan(),
        cost: NO_COST,
        begun: false,
        hears: "people",
        heardPeople: false,
        asked: undefined,
        stoppedBy: undefined,
      };
      open.add(job);
      return accountOf(job, {
        reached,
        books,
        keep,
        refused: (by) => void (books.refusal = { reached: by, settings: settings() }),
      });
    },
    spent,
    room: () => roomIn({ books, limits: limits(), now: clock.now() }, isPlan()),
    usdTodayIn(memoryDir) {
      const here = [...open].filter((job) => job.memoryDir === memoryDir);
      const { name } = today(clock.now());
      return sums.usdSince(name, memoryDir) + here.reduce((sum, { cost }) => sum + cost.usd, 0);
    },
    exhausted() {
      const { refusal } = books;
      const now = reached({ isPlan: isPlan(), begun: false });
      const isInForce =
        refusal !== undefined && clock.now() < refusal.reached.until && refusal.settings === settings();
      return now ?? (isInForce ? refusal.reached : undefined);
    },
  };
}

function openBooks({ clock, ledger }: BudgetDeps): Books {
  const dayAt = (at: Instant) => localDate(at, clock.timeZone());
  const dayOf = createPeriod(dayAt);
  const books: Books = {
    // Runs come in order: most lie in the day of the one before.
    sums: createDaySums((at) => dayOf(at).name),
    lastHour: [],
    open: new Set(),
    today: createPeriod(dayAt),
    thisMonth: createPeriod((at) => dayAt(at).slice(0, 7)),
    miss: 1,
    refusal: undefined,
  };
  const now = clock.now();
  for (const entry of ledger.since(Math.min(books.thisMonth(now).start, now - HOUR_MS))) addTo(books, entry);
  return books;
}

function addTo({ sums, lastHour }: Books, entry: RunEntry): void {
  const { requests, memoryDir, usd, inputTokens, outputTokens } = entry;
  if (requests === 0) return;
  const at = Date.parse(entry.at);
  sums.add({ at, memoryDir, usd, tokens: inputTokens + outputTokens, isPlan: entry.plan === true });
  lastHour.push(at);
  if (lastHour.length > HOUR_RUNS_MAX) lastHour.splice(0, HOUR_RUNS_MAX / 2);
}

function spentIn({ sums, open, today, thisMonth }: Books, now: Instant): Spent {
  const day = sums.since(today(now).name);
  let [tokens, usd] = [0, 0];
  for (const { cost } of open) {
    tokens += tokensOf(cost);
    usd += cost.usd;
  }
  return {
    tokensToday: day.tokens + tokens,
    usdToday: day.usd + usd,
    usdMonth: sums.since(`${thisMonth(now).name}-01`).usd + usd,
  };
}

/** Who wants to send something; without `next` the question is only whether there is any room. */
interface Asking extends Pick<Running, "isPlan" | "begun"> {
  readonly next?: NextRequest;
}

interface Ceilings {
  readonly books: Books;
  readonly limits: Config["budget"];
  readonly now: Instant;
}

function ceilingReached(
  asking: Asking = { isPlan: false, begun: false },
  ceilings: Ceilings,
): Exhausted | undefined {
  const { books, limits, now } = ceilings;
  const end = books.today(now).end;
  if (asking.isPlan) return planReached(asking, ceilings) ?? tokensOrRuns(asking, ceilings);
  const { usdToday, usdMonth } = spentIn(books, now);
  const usd = askedIn(books, asking).usd;
  if (isOver(usdMonth, usd, limits.usdPerMonth))
    return { setting: "usdPerMonth", until: books.thisMonth(now).end };
  if (isOver(usdToday, usd, limits.usdPerDay)) return { setting: "usdPerDay", until: end };
  return tokensOrRuns(asking, ceilings);
}

/** A subscription costs no money, however much was spent before. */
function planReached(asking: Asking, { books, limits, now }: Ceilings): Exhausted | undefined {
  const { runsPerDay, tokensPerDay } = limits.subscription;
  const { name, end: until } = books.today(now);
  const { planRuns, planTokens } = books.sums.since(name);
  const onPlan = [...books.open].filter((job) => job.isPlan);
  const tokens = onPlan.reduce((sum, { cost }) => sum + tokensOf(cost), planTokens);
  if (isOver(tokens, askedIn(books, asking).tokens, tokensPerDay)) {
    return { setting: "subscription.tokensPerDay", until };
  }
  const runs = planRuns + onPlan.filter(({ begun }) => begun).length;
  return asking.begun || runs < runsPerDay ? undefined : { setting: "subscription.runsPerDay", until };
}

function tokensOrRuns(asking: Asking, { books, limits, now }: Ceilings): Exhausted | undefined {
  const { tokensPerDay, runsPerHour } = limits;
  const { tokensToday } = spentIn(books, now);
  if (isOver(tokensToday, askedIn(books, asking).tokens, tokensPerDay)) {
    return { setting: "tokensPerDay", until: books.today(now).end };
  }
  if (asking.begun) return undefined;
  const runs = books.lastHour.filter((at) => at > now - HOUR_MS);
  for (const { begun } of books.open) if (begun) runs.push(now);
  if (runs.length < runsPerHour) return undefined;
  return { setting: "runsPerHour", until: (runs.at(-Math.max(1, runsPerHour)) ?? now) + HOUR_MS };
}

function isOver(spent: number, next: number, most: number): boolean {
  return spent >= most || spent + next > most;
}

function roomIn({ books, limits, now }: Ceilings, isPlan: boolean): Room {
  const { tokensToday, usdToday, usdMonth } = spentIn(books, now);
  const { subscription, runsPerHour } = limits;
  const planTokens = isPlan ? subscription.tokensPerDay : Number.POSITIVE_INFINITY;
  const money = isPlan ? NO_MONEY : limits;
  const usdLeft = Math.max(0, money.usdPerMonth - usdMonth);
  const spentOnPlan = books.sums.since(books.today(now).name).planTokens;
  return {
    today: {
      tokens: Math.max(0, Math.min(limits.tokensPerDay - tokensToday, planTokens - spentOnPlan)),
      usd: Math.max(0, Math.min(money.usdPerDay - usdToday, usdLeft)),
    },
    day: {
      tokens: Math.min(limits.tokensPerDay, planTokens),
      usd: money.usdPerDay,
      runs: isPlan ? subscription.runsPerDay : Number.POSITIVE_INFINITY,
      runsPerHour,
    },
    month: {
      usdLeft,
      usd: money.usdPerMonth,
      daysLeft: Math.ceil((books.thisMonth(now).end - now) / DAY_MS),
    },
  };
}

const DAY_MS = 24 * HOUR_MS;
/** On a subscription no money is paid. */
const NO_MONEY = { usdPerDay: Number.POSITIVE_INFINITY, usdPerMonth: Number.POSITIVE_INFINITY };

/** The request that is asked for, and those of other jobs under way. */
function askedIn({ open }: Books, { next }: Asking): { readonly tokens: number; readonly usd: number } {
  if (next === undefined) return { tokens: 0, usd: 0 };
  return [...open].reduce(
    (sum, { asked }) => ({
      tokens: sum.tokens + (asked === undefined ? 0 : tokensOf(asked)),
      usd: sum.usd + (asked?.usd ?? 0),
    }),
    { tokens: tokensOf(next), usd: next.usd },
  );
}

interface AccountDeps {
  readonly books: Books;
  reached(asking: Asking, who: Speaker): Exhausted | undefined;
  refused(by: Exhausted): void;
  keep(): void;
}

function accountOf(job: Running, { books, reached, refused, keep }: AccountDeps): Account {
  return {
    add(usage, usd) {
      const estimated = (job.asked?.inputTokens ?? 0) / books.miss;
      if (estimated > 0) books.miss = missAfter(books.miss, inputTokensOf(usage) / estimated);
      job.cost = withRequest(job.cost, { usage, usd: usd ?? 0 });
      job.asked = undefined;
    },
    sum: () => ({ ...job.cost, ...marksOf(job) }),
    closed(next) {
      const corrected = next === undefined ? undefined : scaled(next, books.miss);
      const { isPlan, begun } = job;
      // What it asked before was answered, or broke and cost nothing.
      job.asked = undefined;
      const by = reached(
        { isPlan, begun, ...(corrected === undefined ? {} : { next: corrected }) },
        job.hears,
      );
      if (by !== undefined) {
        job.stoppedBy = by;
        if (job.hears === "people") refused(by);
        return by;
      }
      job.begun = true;
      job.heardPeople ||= job.hears === "people";
      job.asked = corrected;
      keep();
      return undefined;
    },
    hears: (who) => void (job.hears = who),
    stoppedBy: () => job.stoppedBy,
    close() {
      books.open.delete(job);
      if (job.begun) keep();
    },
  };
}

function missAfter(before: number, now: number): number {
  return Math.min(MISS_MAX, Math.max(before, now));
}

function scaled({ inputTokens, outputTokens, usd }: NextRequest, by: number): NextRequest {
  return { inputTokens: inputTokens * by, outputTokens, usd: usd * by };
}

/** What a run that asked anything was paid from, and that nobody but programs spoke in it. */
function marksOf({ isPlan, heardPeople, cost }: Running): Pick<RunCost, "plan" | "scripts"> {
  if (cost.requests === 0) return {};
  return { ...(isPlan ? { plan: true } : {}), ...(heardPeople ? {} : { scripts: true }) };
}

/** What a job has cost and may be costing now. */
function openCost({ memoryDir, isPlan, cost, asked }: Running, now: Instant): OpenCost {
  const next = asked ?? { inputTokens: 0, outputTokens: 0, usd: 0 };
  return {
    ...(isPlan ? { plan: true } : {}),
    memoryDir,
    at: new Date(now).toISOString(),
    requests: cost.requests + (asked === undefined ? 0 : 1),
    inputTokens: Math.ceil(cost.inputTokens + next.inputTokens),
    outputTokens: cost.outputTokens + next.outputTokens,
    usd: cost.usd + next.usd,
  };
}
