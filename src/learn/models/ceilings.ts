// Which ceiling forbids a request: of the day, the month and the hour, over what was spent and is being asked. Pure, but
// for the books it is given; changes nothing in them.
import type { Config } from "../../config/schema.ts";
import type { Instant } from "../../domain/records.ts";
import type { DaySums, Period } from "./day-sums.ts";
import type { RunCost } from "./ledger.ts";
import { tokensOf } from "./run-cost.ts";
import type { Speaker } from "./script-share.ts";

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
  /** It holds less than what was asked for: there will be no room then either. */
  readonly tooLow?: true;
}

/** For a reply: when there is room again, or the setting under which there never is. */
export function roomAgain(by: Exhausted | undefined): RoomAgain {
  return by?.tooLow === true ? { until: undefined, tooLow: `budget.${by.setting}` } : { until: by?.until };
}

export interface RoomAgain {
  /** Undefined where only somebody's work can tell. */
  readonly until: Instant | undefined;
  readonly tooLow?: string;
}

/** What a request may cost that is not sent yet. */
export interface NextRequest {
  /** Estimated (`domain/tokens.ts`). */
  readonly inputTokens: number;
  /** The most the answer may have. */
  readonly outputTokens: number;
  readonly usd: number;
  /** The part of `usd` that the answer may cost: it does not grow with what the input was underestimated by. */
  readonly answerUsd: number;
}

export const HOUR_MS = 3_600_000;

/** A job that runs. */
export interface Running {
  readonly memoryDir: string;
  readonly kind: string;
  readonly isPlan: boolean;
  /** Nobody asks money for it. */
  readonly isFree: boolean;
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
export interface Books {
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

export function spentIn({ sums, open, today, thisMonth }: Books, now: Instant): Spent {
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
export interface Asking extends Pick<Running, "isPlan" | "isFree" | "begun"> {
  readonly next?: NextRequest;
}

export interface Ceilings {
  readonly books: Books;
  readonly limits: Config["budget"];
  readonly now: Instant;
}

/** A subscription, and a server that costs nothing, are asked however much money was spent before. */
export function ceilingReached(asking: Asking, ceilings: Ceilings): Exhausted | undefined {
  const { isPlan, isFree } = asking;
  const first = isPlan ? planReached(asking, ceilings) : isFree ? undefined : moneyReached(asking, ceilings);
  return first ?? tokensOrRuns(asking, ceilings);
}

function moneyReached(asking: Asking, { books, limits, now }: Ceilings): Exhausted | undefined {
  const { usdPerMonth, usdPerDay } = limits;
  const { usdToday, usdMonth } = spentIn(books, now);
  const usd = askedIn(books, asking).usd;
  const alone = asking.next?.usd ?? 0;
  if (isOver(usdMonth, usd, usdPerMonth)) {
    const until = books.thisMonth(now).end;
    return { setting: "usdPerMonth", until, ...unlessFits(alone, usdPerMonth) };
  }
  if (!isOver(usdToday, usd, usdPerDay)) return undefined;
  return { setting: "usdPerDay", until: books.today(now).end, ...unlessFits(alone, usdPerDay) };
}

function planReached(asking: Asking, { books, limits, now }: Ceilings): Exhausted | undefined {
  const { runsPerDay, tokensPerDay } = limits.subscription;
  const { name, end: until } = books.today(now);
  const { planRuns, planTokens } = books.sums.since(name);
  const onPlan = [...books.open].filter((job) => job.isPlan);
  const tokens = onPlan.reduce((sum, { cost }) => sum + tokensOf(cost), planTokens);
  if (isOver(tokens, askedIn(books, asking).tokens, tokensPerDay)) {
    return { setting: "subscription.tokensPerDay", until, ...unlessFits(aloneIn(asking), tokensPerDay) };
  }
  const runs = planRuns + onPlan.filter(({ begun }) => begun).length;
  if (asking.begun || runs < runsPerDay) return undefined;
  return { setting: "subscription.runsPerDay", until, ...unlessFits(1, runsPerDay) };
}

function tokensOrRuns(asking: Asking, { books, limits, now }: Ceilings): Exhausted | undefined {
  const { tokensPerDay, runsPerHour } = limits;
  const { tokensToday } = spentIn(books, now);
  if (isOver(tokensToday, askedIn(books, asking).tokens, tokensPerDay)) {
    const until = books.today(now).end;
    return { setting: "tokensPerDay", until, ...unlessFits(aloneIn(asking), tokensPerDay) };
  }
  if (asking.begun) return undefined;
  // One further ahead is of a wrong clock.
  const runs = books.lastHour.filter((at) => at > now - HOUR_MS && at <= now + HOUR_MS);
  for (const { begun } of books.open) if (begun) runs.push(now);
  if (runs.length < runsPerHour) return undefined;
  const until = (runs.at(-Math.max(1, runsPerHour)) ?? now) + HOUR_MS;
  return { setting: "runsPerHour", until, ...unlessFits(1, runsPerHour) };
}

function aloneIn({ next }: Asking): number {
  return next === undefined ? 0 : tokensOf(next);
}

/** Where nothing else was spent, it would not fit either. */
function unlessFits(alone: number, most: number): Pick<Exhausted, "tooLow"> {
  return isOver(0, alone, most) ? { tooLow: true } : {};
}

function isOver(spent: number, next: number, most: number): boolean {
  return spent >= most || spent + next > most;
}

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
