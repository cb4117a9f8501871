// Ceilings of money and tokens: nothing is asked once one is reached, and the day it opens again is named.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeConfig } from "../../../../src/config/schema.ts";
import type { RunCost, RunEntry } from "../../../../src/learn/models/ledger.ts";
import { createBudget } from "../../../../src/learn/models/budget.ts";
import { daysFor, fitsToday } from "../../../../src/learn/models/forecast.ts";
import type { OpenCost } from "../../../../src/learn/models/open-costs.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const NOTHING: RunCost = { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
const HOUR_MS = 3_600_000;

function setUp(
  limits: object = {},
  earlier: readonly RunEntry[] = [],
  isPlan = false,
  keepOpen: (open: readonly OpenCost[]) => void = () => undefined,
) {
  const clock = createManualClock();
  const budget = createBudget({
    clock,
    ledger: { since: () => [...earlier] },
    limits: () => completeConfig({ budget: limits }).budget,
    isPlan: () => isPlan,
    keepOpen,
  });
  return { clock, budget };
}

function entry(at: number, cost: Partial<RunEntry> = {}): RunEntry {
  return {
    v: 1,
    id: "r",
    kind: "extract",
    trigger: "quiet",
    at: new Date(at).toISOString(),
    project: "/p",
    memoryDir: "/m",
    outcome: "succeeded",
    files: [],
    ...NOTHING,
    requests: 1,
    ...cost,
  };
}

it("counts what this day and this month cost, whatever the run's outcome", () => {
  const { clock, budget } = setUp({}, [entry(Date.UTC(2026, 4, 1, 12), { usd: 3, inputTokens: 7 })]);

  budget.add(entry(clock.now(), { usd: 0.5, inputTokens: 1_000, outputTokens: 50, outcome: "failed" }));

  expect(budget.spent()).toEqual({ tokensToday: 1_050, usdToday: 0.5, usdMonth: 3.5 });
  expect(budget.usdTodayIn("/m")).toBe(0.5);
  expect(budget.usdTodayIn("/other")).toBe(0);
});

it.each([
  ["tokensPerDay", { tokensPerDay: 1_000 }, { inputTokens: 900, outputTokens: 100 }],
  ["usdPerDay", { usdPerDay: 1 }, { usd: 1 }],
  ["usdPerMonth", { usdPerMonth: 1 }, { usd: 1 }],
])("closes at %s and not a unit before", (setting, limits, cost) => {
  const { clock, budget } = setUp(limits);
  expect(budget.exhausted()).toBeUndefined();

  budget.add(entry(clock.now(), cost));

  expect(budget.exhausted()?.setting).toBe(setting);
});

const usage = (inputTokens: number) => ({
  inputTokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

it("counts what running jobs have spent before any of them is in the ledger", () => {
  const { budget } = setUp({ tokensPerDay: 1_000 });
  const [one, other] = [budget.open("/m"), budget.open("/n")];

  one.add(usage(999), 0.5);
  expect(other.closed()).toBeUndefined();
  one.add(usage(1), undefined);

  expect(other.closed()?.setting).toBe("tokensPerDay");
  expect(one.closed()?.setting).toBe("tokensPerDay");
  expect(budget.spent()).toMatchObject({ tokensToday: 1_000, usdToday: 0.5 });
  expect(budget.usdTodayIn("/m")).toBe(0.5);
  one.close();
  expect(budget.spent().tokensToday).toBe(0);
});

const next = (inputTokens: number, usd = 0, answerUsd = 0) => ({
  inputTokens,
  outputTokens: 100,
  usd,
  answerUsd,
});

it("forbids a request that would pass a ceiling, and says so until the ceiling opens again", () => {
  const { clock, budget } = setUp({ tokensPerDay: 1_000 });
  const job = budget.open("/m");

  expect(job.closed(next(900))).toBeUndefined();
  job.add(usage(500), undefined);
  expect(job.closed(next(401))?.setting).toBe("tokensPerDay");

  expect(job.stoppedBy()?.until).toBe(Date.UTC(2026, 4, 5));
  expect(budget.exhausted()).toEqual(job.stoppedBy());
  expect(clock.now()).toBeLessThan(job.stoppedBy()?.until ?? 0);
  expect(job.closed(next(400))).toBeUndefined();
});

it("says it no more once the settings leave room", () => {
  const limits = { usdPerDay: 1 };
  const { budget } = setUp(limits);
  expect(budget.open("/m").closed(next(10, 1.5))?.setting).toBe("usdPerDay");
  expect(budget.exhausted()?.setting).toBe("usdPerDay");

  limits.usdPerDay = 2;

  expect(budget.exhausted()).toBeUndefined();
});

it("sets aside what a request under way may cost, and gives back what it did not", () => {
  const { budget } = setUp({ usdPerDay: 1 });
  const [one, other] = [budget.open("/m"), budget.open("/n")];
  expect(one.closed(next(10, 0.7))).toBeUndefined();

  expect(other.closed(next(10, 0.4))?.setting).toBe("usdPerDay");
  one.add(usage(10), 0.1);

  expect(other.closed(next(10, 0.4))).toBeUndefined();
});

it("expects of a server that counted more than was estimated that it does so again", () => {
  const { budget } = setUp({ tokensPerDay: 10_000 });
  const job = budget.open("/m");
  job.closed(next(1_000));
  job.add(usage(3_000), undefined);

  expect(job.closed(next(2_301))?.setting).toBe("tokensPerDay");
  expect(job.closed(next(2_300))).toBeUndefined();
});

it("expects no dearer answer of a server that counted more input than was estimated", () => {
  const { budget } = setUp({ usdPerDay: 1 });
  const job = budget.open("/m");
  job.closed(next(1_000, 0.02, 0.01));
  job.add(usage(3_000), undefined);

  // 0.1 for the input, thrice; 0.6 for the answer, once.
  expect(job.closed(next(1_000, 0.7, 0.6))).toBeUndefined();
  expect(job.closed(next(1_000, 0.7, 0.5))?.setting).toBe("usdPerDay");
});

it("holds a month's ceiling where the local month began in another one of the ledger's", () => {
  const { budget } = setUp({ usdPerMonth: 1 }, [entry(Date.UTC(2026, 4, 1), { usd: 1 })]);
  expect(budget.exhausted()?.setting).toBe("usdPerMonth");
});

it("keeps counting what was paid while the clock stood further on", () => {
  const { clock, budget } = setUp({ usdPerDay: 1 });
  budget.add(entry(clock.now(), { usd: 1 }));

  clock.setWall(clock.now() - 2 * 24 * HOUR_MS);

  expect(budget.exhausted()?.setting).toBe("usdPerDay");
});

it("closes no ceiling for what was paid under a clock far ahead, then or after a start", () => {
  const limits = { usdPerDay: 1, usdPerMonth: 1, tokensPerDay: 9, runsPerHour: 1 };
  const { clock, budget } = setUp(limits);
  const ahead = entry(clock.now() + 200 * 24 * HOUR_MS, { usd: 5, inputTokens: 100 });
  budget.add(ahead);

  expect(budget.exhausted()).toBeUndefined();
  expect(setUp(limits, [ahead]).budget.exhausted()).toBeUndefined();
  expect(budget.spent()).toEqual({ tokensToday: 0, usdToday: 0, usdMonth: 0 });
});

it("counts the runs of an hour ahead, and waits for no later one", () => {
  const { clock, budget } = setUp({ runsPerHour: 1 });
  budget.add(entry(clock.now() + 2 * HOUR_MS));
  expect(budget.exhausted()).toBeUndefined();

  budget.add(entry(clock.now() + HOUR_MS));
  expect(budget.exhausted()?.until).toBe(clock.now() + 2 * HOUR_MS);
});

it("keeps today's money however many days there were under a wrong clock", () => {
  const { clock, budget } = setUp({ usdPerDay: 1 });
  for (let day = 0; day < 100; day += 1) {
    budget.add(entry(clock.now() + (300 + day) * 24 * HOUR_MS, { usd: 1 }));
  }

  budget.add(entry(clock.now(), { usd: 1 }));

  expect(budget.exhausted()?.setting).toBe("usdPerDay");
});

it("forgets no money however many runs there were", () => {
  const { clock, budget } = setUp({ usdPerMonth: 1, usdPerDay: 1_000 });
  for (let run = 0; run < 40_000; run += 1) budget.add(entry(clock.now(), { usd: 0.00003 }));
  expect(budget.spent().usdMonth).toBeCloseTo(1.2);
});

describe("on a subscription", () => {
  const plan = { subscription: { runsPerDay: 2, tokensPerDay: 1_000 } };

  it("counts runs and tokens of the day, and no money", () => {
    const { clock, budget } = setUp({ ...plan, usdPerDay: 1 }, [], true);
    budget.add(entry(clock.now(), { usd: 5, inputTokens: 5_000 }));
    expect(budget.exhausted()).toBeUndefined();

    budget.add(entry(clock.now(), { inputTokens: 10, plan: true }));
    expect(budget.exhausted()).toBeUndefined();
    const job = budget.open("/m");
    expect(job.closed(next(10))).toBeUndefined();

    expect(budget.exhausted()?.setting).toBe("subscription.runsPerDay");
    expect(job.closed(next(891))?.setting).toBe("subscription.tokensPerDay");
    expect(job.closed(next(890))).toBeUndefined();
    job.add(usage(990), undefined);
    expect(job.sum()).toMatchObject({ plan: true, requests: 1 });
    expect(budget.exhausted()?.setting).toBe("subscription.tokensPerDay");
  });
});

it("tells what jobs under way may have cost before each request, and nothing once none runs", () => {
  const kept: (readonly OpenCost[])[] = [];
  const { budget } = setUp({}, [], false, (open) => kept.push(open));
  const job = budget.open("/m");
  expect(kept).toEqual([]);

  job.closed(next(10, 0.5));
  job.add(usage(20), 0.25);
  job.closed(next(10, 0.5));
  job.close();

  expect(kept.map((open) => open.map(({ requests, usd }) => ({ requests, usd })))).toEqual([
    [{ requests: 1, usd: 0.5 }],
    // The server counted twice what was expected.
    [{ requests: 2, usd: 1.25 }],
    [],
  ]);
});

it("lets only so many jobs begin in an hour, also when they ask at the same time", () => {
  const { budget } = setUp({ runsPerHour: 1 });
  const [one, other] = [budget.open("/m"), budget.open("/n")];

  expect(one.closed()).toBeUndefined();
  expect(other.closed()?.setting).toBe("runsPerHour");
  expect(one.closed()).toBeUndefined();
});

it("tells a forecast that nothing is sent today, or ever, once a request was refused", async () => {
  const loads = [{ requests: 1, tokens: 10, usd: 0.1 }];
  const daysWith = (budget: ReturnType<typeof setUp>["budget"]) => [
    fitsToday(loads, budget.room()),
    daysFor(loads, budget.room()),
  ];
  const day = setUp({ usdPerDay: 1 });
  day.budget.add(entry(day.clock.now(), { usd: 0.5 }));
  expect(daysWith(day.budget)).toEqual([1, 1]);

  day.budget.open("/m").closed(next(1, 0.75));
  expect(daysWith(day.budget)).toEqual([0, 1]);
  await day.clock.advance(24 * HOUR_MS);
  expect(daysWith(day.budget)).toEqual([1, 1]);

  day.budget.open("/m").closed(next(1, 1.5));
  expect(daysWith(day.budget)).toEqual([0, 36_500]);
});

it("opens again at the next local midnight", async () => {
  const { clock, budget } = setUp({ usdPerDay: 1 });
  budget.add(entry(clock.now(), { usd: 2 }));

  const until = budget.exhausted()?.until ?? 0;
  await clock.advance(until - clock.now() - 1);
  expect(budget.exhausted()).toBeDefined();
  await clock.advance(1);

  expect(budget.exhausted()).toBeUndefined();
});

it("allows so many runs in any hour, and the next when the oldest of them is an hour old", async () => {
  const { clock, budget } = setUp({ runsPerHour: 2 });
  budget.add(entry(clock.now()));
  await clock.advance(HOUR_MS / 2);
  budget.add(entry(clock.now()));

  const closed = budget.exhausted();
  expect(closed?.setting).toBe("runsPerHour");
  await clock.advance((closed?.until ?? 0) - clock.now());

  expect(budget.exhausted()).toBeUndefined();
});

it.each([
  ["runsPerHour", { runsPerHour: 0 }, false],
  ["usdPerDay", { usdPerDay: 0 }, false],
  ["usdPerMonth", { usdPerMonth: 0 }, false],
  ["tokensPerDay", { tokensPerDay: 0 }, false],
  ["subscription.runsPerDay", { subscription: { runsPerDay: 0 } }, true],
  ["subscription.tokensPerDay", { subscription: { tokensPerDay: 0 } }, true],
])("never opens where %s is nothing, and says so", (setting, limits, isPlan) => {
  const { budget } = setUp(limits, [], isPlan);
  expect(budget.exhausted()).toMatchObject({ setting, tooLow: true });
});

it("says whether a request would fit if nothing else had been asked", () => {
  const { budget } = setUp({ usdPerDay: 1, tokensPerDay: 5_000 });
  const job = budget.open("/m");
  job.add(usage(10), 0.5);

  expect(job.closed(next(10, 1.5))).toMatchObject({ setting: "usdPerDay", tooLow: true });
  expect(job.closed(next(10, 0.9))).not.toHaveProperty("tooLow");
  expect(job.closed(next(6_000))).toMatchObject({ setting: "tokensPerDay", tooLow: true });
});

it("sums as if every run were counted anew at each question", async () => {
  const step = fc.record({
    hours: fc.constantFrom(0, 0, 1, 5, 24, 24 * 20),
    tokens: fc.nat(1_000),
    folder: fc.constantFrom("/m", "/n"),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { clock, budget } = setUp();
      const all: { readonly at: number; readonly usd: number; readonly folder: string }[] = [];
      for (const { hours, tokens, folder } of steps) {
        await clock.advance(hours * HOUR_MS);
        budget.add(entry(clock.now(), { usd: tokens, inputTokens: tokens, memoryDir: folder }));
        all.push({ at: clock.now(), usd: tokens, folder });
        const day = new Date(clock.now()).toISOString().slice(0, 10);
        const costOf = (prefix: string, of = all) =>
          of
            .filter(({ at }) => new Date(at).toISOString().startsWith(prefix))
            .reduce((sum, run) => sum + run.usd, 0);

        expect(budget.spent()).toEqual({
          tokensToday: costOf(day),
          usdToday: costOf(day),
          usdMonth: costOf(day.slice(0, 7)),
        });
        const there = all.filter((run) => run.folder === "/n");
        expect(budget.usdTodayIn("/n")).toBe(costOf(day, there));
      }
    }),
  );
});

it.each([
  ["tokensPerDay", { tokensPerDay: 1_000 }, { inputTokens: 500 }],
  ["usdPerDay", { usdPerDay: 1 }, { usd: 0.5 }],
  ["usdPerMonth", { usdPerMonth: 1 }, { usd: 0.5 }],
  ["runsPerHour", { runsPerHour: 2 }, {}],
])(
  "closes to programs at half of %s, without a word about it, and stays open to people",
  (setting, limits, cost) => {
    const { clock, budget } = setUp(limits);
    budget.add(entry(clock.now(), cost));
    const job = budget.open("/m");

    job.hears("scripts");
    expect(job.closed()?.setting).toBe(setting);
    expect(budget.exhausted()).toBeUndefined();

    job.hears("people");
    expect(job.closed()).toBeUndefined();
  },
);

it("says of a run that only programs were heard in it", () => {
  const { budget } = setUp();
  const marks = (speakers: readonly ("people" | "scripts")[]) => {
    const job = budget.open("/m");
    for (const who of speakers) {
      job.hears(who);
      job.closed(next(10));
      job.add(usage(10), undefined);
    }
    return job.sum().scripts;
  };

  expect([marks(["scripts"]), marks(["people", "scripts"]), marks(["people"])]).toEqual([
    true,
    undefined,
    undefined,
  ]);
});
