// Days and nights by the daemon's own ticks: each due night is distilled once, whatever clocks and lids do, and dreams come
// between the turns of an agent, never within one.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TimeZone } from "../../src/domain/calendar.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { zoneNamed } from "../helpers/time-zone.ts";
import type { Nights } from "./nights-world.ts";
import { HOUR_MS, liveWith, MINUTE_MS } from "./nights-world.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, SHOP } from "./story.ts";

const TEST_MS = 300_000;
/** A project of the same person that keeps no log: where a night distils, that counts as the day's consolidation. */
const BOOKS = "/home/ana/books";
/** B43a: a missed night is made up for so soon after a wake. */
const WAKE_MS = 5 * MINUTE_MS;
/** Often enough for nights; each round costs a test what it costs a daemon. */
const SWEEP = { everyMs: HOUR_MS / 2 };

interface Nightly {
  readonly zone: string;
  readonly schedule: string;
  readonly from: string;
  readonly days: number;
  /** Its night in which the clocks change, from 0. */
  readonly change: number;
  /** What clocks show at the slot of that night. */
  readonly changed: string;
}

/** A night that is slept through, and one in which somebody sets the clock back after the slot. */
const ASLEEP = 2;
const SET_BACK = 4;
const [HALF_PAST_TWO, THREE] = ["30 2 * * *", "0 3 * * *"];
const LONG = { schedule: HALF_PAST_TWO, days: 8, change: 6 };
const SHORT = { schedule: THREE, days: 2, change: 1, changed: "03:00" };

const NIGHTLIES: readonly Nightly[] = [
  { ...LONG, zone: "Europe/Berlin", from: "2026-03-22", changed: "03:30" },
  { ...SHORT, zone: "Europe/Berlin", from: "2026-03-27" },
  { ...LONG, days: 14, zone: "Europe/Berlin", from: "2026-10-18", changed: "02:30" },
  { ...SHORT, zone: "Europe/Berlin", from: "2026-10-23" },
  { ...LONG, zone: "America/New_York", from: "2026-03-01", changed: "03:30" },
  { ...SHORT, zone: "America/New_York", from: "2026-03-06" },
  { ...LONG, zone: "America/New_York", from: "2026-10-25", changed: "02:30" },
  { ...SHORT, zone: "America/New_York", from: "2026-10-30" },
];

/** At nine in the morning of a day there. */
function openStory(zone: TimeZone, from: string, config: object) {
  const shown = Date.parse(`${from}T09:00:00Z`);
  const clock = createManualClock({ startAt: shown - zone.offsetMs(shown), timeZone: zone });
  const story = createStory({ ANTHROPIC_API_KEY: "k".repeat(20) }, clock);
  const extract = { debounceMs: 1_000, settleMs: 0, minNewTokens: 0 };
  story.config({ provider: "offline", sweep: SWEEP, extract, ...config });
  return { clock, story };
}

const THINGS = ["invoices", "parcels", "coupons", "returns", "refunds", "vouchers", "stamps"];

/** What only that day says. */
function ruleOf(day: number): string {
  return `Remember that ${THINGS[day % THINGS.length] ?? ""} get label number ${100 + day}.`;
}

interface Turn {
  readonly from: number;
  readonly until: number;
}

/** From nine to two: sessions here and there, a line in one project's log, and two hours of an agent at work. */
async function workDay(nights: Nights, day: number): Promise<Turn> {
  nights.work(SHOP, day === 0 ? RELEASE : undefined);
  nights.work(BOOKS, day === 0 ? MOCKS : undefined);
  await nights.pass(HOUR_MS);
  await nights.log(SHOP, ruleOf(day));
  nights.work(SHOP);
  nights.work(BOOKS);
  await nights.pass(HOUR_MS);
  const from = nights.clock.now();
  const turn = nights.begin(BOOKS);
  for (let steps = 0; steps < 4; steps += 1) {
    await nights.pass(HOUR_MS / 2);
    turn.goOn();
  }
  turn.end();
  return { from, until: nights.clock.now() };
}

/** `2026-03-23 02:30`, of each distillation that was one. */
function nightsOf(nights: Nights): string[] {
  return nights
    .jobsOf("distill")
    .filter(({ outcome }) => outcome?.result === "succeeded")
    .map(({ startedAt }) => Object.values(nights.shown(startedAt)).join(" "));
}

function dreamsOf(nights: Nights) {
  return nights
    .jobsOf("dream")
    .filter(({ memoryDir, outcome }) => memoryDir.includes("-books/") && outcome?.result === "succeeded");
}

/** The date so many days later. */
function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 24 * HOUR_MS).toISOString().slice(0, 10);
}

function expectLearntOnce(story: Story, days: number): void {
  const learnt = story.learnt(SHOP);
  for (let day = 0; day < days; day += 1) {
    expect(learnt.split(`get label number ${100 + day}.\n\n**Why`)).toHaveLength(2);
  }
}

function expectNoneWithin(turns: readonly Turn[], nights: Nights): void {
  const within = nights
    .jobsOf("dream")
    .filter(({ memoryDir }) => memoryDir.includes("-books/"))
    .filter(({ startedAt }) => turns.some(({ from, until }) => startedAt >= from && startedAt < until));
  expect(within).toEqual([]);
}

describe("nights", () => {
  it.each(NIGHTLIES)(
    "in $zone from $from at $schedule: each of $days is distilled once, over a sleep and a clock set back",
    async ({ zone, schedule, from, days, change, changed }) => {
      // A dream would be due within every turn.
      const dream = { quietMs: 0, minHours: 1, minSessions: 1 };
      const { clock, story } = openStory(zoneNamed(zone), from, { distill: { schedule }, dream });
      const slot = schedule === HALF_PAST_TWO ? "02:30" : "03:00";
      await liveWith({ story, clock }, async (nights) => {
        const turns: Turn[] = [];
        for (let day = 0; day < days; day += 1) {
          turns.push(await workDay(nights, day));
          if (day === ASLEEP) {
            await nights.passUntil("22:00");
            nights.suspend(11 * HOUR_MS);
            await nights.pass(WAKE_MS);
            expect(nightsOf(nights)).toHaveLength(day + 1);
          } else if (day === SET_BACK) {
            await nights.passUntil("03:10");
            clock.setWall(clock.now() - 2 * HOUR_MS);
          }
          await nights.passUntil("09:30");
        }

        const expected = Array.from({ length: days }, (_, day) => {
          const time = day === change ? changed : slot;
          return `${dayAfter(from, day + 1)} ${time}`;
        });
        const seen = nightsOf(nights);
        const isOnTime = (_: string, day: number) => day !== ASLEEP;
        expect(seen.filter(isOnTime)).toEqual(expected.filter(isOnTime));
        if (days > ASLEEP)
          expect(seen[ASLEEP]).toMatch(new RegExp(`^${dayAfter(from, ASLEEP + 1)} 09:0[0-5]$`, "u"));
        expectLearntOnce(story, days);
        expect(dreamsOf(nights).length).toBeGreaterThanOrEqual(days);
        expectNoneWithin(turns, nights);
      });
    },
    TEST_MS,
  );
});

describe("a lid that is closed from seven to nine", () => {
  let stub: ModelStub;
  beforeEach(async () => {
    stub = await startModelStub();
    stub.otherwise({ blocks: ["Nothing to keep."] });
  });
  afterEach(() => stub.close());

  const READERS: Readonly<Record<string, () => object>> = {
    rules: () => ({}),
    "a model": () => ({
      provider: "anthropic",
      baseUrl: stub.url,
      firstStart: { backfillDays: { model: 36_500 } },
    }),
  };

  it.each(Object.keys(READERS))(
    "for five days, with work from five past nine: every night is made up for once by %s, and dreams come",
    async (reader) => {
      const { clock, story } = openStory(zoneNamed("Europe/Berlin"), "2026-06-01", READERS[reader]?.() ?? {});
      await liveWith({ story, clock }, async (nights) => {
        const turns: Turn[] = [];
        for (let day = 0; day < 5; day += 1) {
          await nights.passUntil("09:05");
          await nights.log(SHOP, `We talked about shelf number ${day}.`);
          turns.push(await workDay(nights, day));
          await nights.passUntil("19:00");
          nights.suspend(14 * HOUR_MS);
        }
        await nights.pass(WAKE_MS);

        const seen = nightsOf(nights);
        expect(seen.map((line) => line.slice(0, 10))).toEqual(
          Array.from({ length: 5 }, (_, day) => dayAfter("2026-06-02", day)),
        );
        for (const line of seen) expect(line).toMatch(/ 09:0[0-5]$/u);
        expectLearntOnce(story, 5);
        expect(dreamsOf(nights).length).toBeGreaterThanOrEqual(2);
        expectNoneWithin(turns, nights);
        expect(stub.requests.length > 0).toBe(reader !== "rules");
      });
    },
    TEST_MS,
  );
});
