// What models may still cost: ceilings of the day, the month and the hour over what the ledger says was spent and what
// is being asked now. Whoever sends a request asks first, with what it may cost at most; nothing is assumed cheap.
import type { Config } from "../../config/schema.ts";
import { localDate } from "../../domain/calendar.ts";
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type { ModelUsage } from "../../domain/models.ts";
import { inputTokensOf } from "../../domain/models.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import type { Asking, Books, Ceilings, Exhausted, NextRequest, Running, Spent } from "./ceilings.ts";
import { ceilingReached, HOUR_MS, spentIn } from "./ceilings.ts";
import { createDaySums, createPeriod } from "./day-sums.ts";
import type { Ledger, RunCost, RunEntry } from "./ledger.ts";
import type { OpenCost } from "./open-costs.ts";
import { NO_COST, withRequest } from "./run-cost.ts";
import { limitsFor, type Speaker } from "./script-share.ts";

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
  /** A job that may ask a model begins; `kind` is what it is called where it leaves no word of its own. */
  open(memoryDir: string, kind?: string): Account;
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
  /** A request was refused and nothing changed since: none is sent today, or none ever under these ceilings. */
  readonly refused?: "today" | "ever";
}

export interface BudgetDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "since">;
  limits(): Config["budget"];
  /** Whether a job that begins now is paid for by a subscription. Default: never. */
  isPlan?(): boolean;
  /** Whether a job that begins now costs no money: a server of the person's own. Default: never. */
  isFree?(): boolean;
  /** Told what running jobs may cost, before each request and at the end of each job: a process may die over them. */
  keepOpen?(open: readonly OpenCost[]): void;
}

/** Runs of the last hour; twice what the largest `runsPerHour` allows. */
const HOUR_RUNS_MAX = 20_000;
/** A server may count more tokens than we estimate: by the worst it did so far, and at most a token a character. */
const MISS_MAX = 4;

export function createBudget(deps: BudgetDeps): Budget {
  const { clock, limits, isPlan = () => false, isFree = () => false } = deps;
  const books = openBooks(deps);
  const { sums, open, today } = books;
  const payment = () => ({ isPlan: isPlan(), isFree: isFree() });
  const settings = () => JSON.stringify([limits(), payment()]);
  const reached = (asking: Asking, who: Speaker = "people") =>
    ceilingReached(asking, { books, limits: limitsFor(who, limits()), now: clock.now() });
  const spent = () => spentIn(books, clock.now());
  const refusalInForce = () => {
    const { refusal } = books;
    const holds =
      refusal !== undefined && clock.now() < refusal.reached.until && refusal.settings === settings();
    return holds ? refusal.reached : undefined;
  };
  const keep = () =>
    deps.keepOpen?.([...open].filter(({ begun }) => begun).map((job) => openCost(job, clock.now())));
  return {
    add: (entry) => addTo(books, entry),
    open(memoryDir, kind = "extract") {
      const job: Running = {
        memoryDir,
        kind,
        ...payment(),
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
    room: () => ({
      ...roomIn({ books, limits: limits(), now: clock.now() }, payment()),
      ...refusedBy(refusalInForce()),
    }),
    usdTodayIn(memoryDir) {
      const here = [...open].filter((job) => job.memoryDir === memoryDir);
      const { name } = today(clock.now());
      return sums.usdSince(name, memoryDir) + here.reduce((sum, { cost }) => sum + cost.usd, 0);
    },
    exhausted() {
      const refusal = refusalInForce();
      // One that no midnight opens is the one to tell of.
      if (refusal?.tooLow === true) return refusal;
      return reached({ ...payment(), begun: false }) ?? refusal;
    },
  };
}

/** An hour that is full is soon another. */
function refusedBy(refusal: Exhausted | undefined): Pick<Room, "refused"> {
  if (refusal?.tooLow === true) return { refused: "ever" };
  return refusal === undefined || refusal.setting === "runsPerHour" ? {} : { refused: "today" };
}

function openBooks({ clock, ledger }: BudgetDeps): Books {
  const dayAt = (at: Instant) => localDate(at, clock.timeZone());
  const [dayOf, lastDay] = [createPeriod(dayAt), createPeriod(dayAt)];
  const books: Books = {
    // Runs come in order: most lie in the day of the one before.
    sums: createDaySums(
      (at) => dayOf(at).name,
      () => lastDay(clock.now() + MODEL_LIMITS.clockAheadMs).name,
    ),
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

function roomIn(
  { books, limits, now }: Ceilings,
  { isPlan, isFree }: Pick<Running, "isPlan" | "isFree">,
): Room {
  const { tokensToday, usdToday, usdMonth } = spentIn(books, now);
  const { subscription, runsPerHour } = limits;
  const planTokens = isPlan ? subscription.tokensPerDay : Number.POSITIVE_INFINITY;
  const money = isPlan || isFree ? NO_MONEY : limits;
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
/** On a subscription, and for a server of one's own, no money is paid. */
const NO_MONEY = { usdPerDay: Number.POSITIVE_INFINITY, usdPerMonth: Number.POSITIVE_INFINITY };

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
      const { isPlan, isFree, begun } = job;
      // What it asked before was answered, or broke and cost nothing.
      job.asked = undefined;
      const by = reached(
        { isPlan, isFree, begun, ...(corrected === undefined ? {} : { next: corrected }) },
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

/** Only the input was misjudged; an answer has a bound the server itself counts. */
function scaled(next: NextRequest, by: number): NextRequest {
  const { inputTokens, usd, answerUsd } = next;
  return { ...next, inputTokens: inputTokens * by, usd: (usd - answerUsd) * by + answerUsd };
}

/** What a run that asked anything was paid from, and that nobody but programs spoke in it. */
function marksOf({ isPlan, heardPeople, cost }: Running): Pick<RunCost, "plan" | "scripts"> {
  if (cost.requests === 0) return {};
  return { ...(isPlan ? { plan: true } : {}), ...(heardPeople ? {} : { scripts: true }) };
}

/** What a job has cost and may be costing now. */
function openCost({ memoryDir, kind, isPlan, cost, asked }: Running, now: Instant): OpenCost {
  const next = asked ?? { inputTokens: 0, outputTokens: 0, usd: 0 };
  return {
    ...(isPlan ? { plan: true } : {}),
    memoryDir,
    kind,
    at: new Date(now).toISOString(),
    requests: cost.requests + (asked === undefined ? 0 : 1),
    inputTokens: Math.ceil(cost.inputTokens + next.inputTokens),
    outputTokens: cost.outputTokens + next.outputTokens,
    usd: cost.usd + next.usd,
  };
}
