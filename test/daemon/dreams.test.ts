// Dreams of a daemon beside everything else it does: jobs of the same folder, a pause, a person who asks twice, a dream
// that is not over at the next slot, a sleep in the middle of a model's answer.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { jobKey } from "../../src/intake/queue/queue.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Nights } from "./nights-world.ts";
import { HOUR_MS, liveWith, MINUTE_MS, mostAtOnce } from "./nights-world.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, SHOP } from "./story.ts";

const BOOKS = "/home/ana/books";
const HANG: StubReply = { blocks: ["Let me see what there is."], hangAfter: 10 };
const DONE: StubReply = { blocks: ["Nothing to do."] };
const EXTRACT = { debounceMs: 1_000, settleMs: 0, minNewTokens: 0 };
const EAGER = { quietMs: 0, minHours: 0, minSessions: 0 };

function openStory(config: object = {}) {
  const clock = createManualClock();
  const story = createStory({ ANTHROPIC_API_KEY: "k".repeat(20) }, clock);
  story.config({ provider: "offline", sweep: { everyMs: HOUR_MS }, extract: EXTRACT, ...config });
  return { clock, story };
}

/** Folders with a memory each, learnt by rules and known for more than a day; from then on a model dreams there. */
async function modelStory(dream: object = {}, projects: readonly string[] = [SHOP]) {
  const stub = await startModelStub();
  onTestFinished(() => stub.close());
  const { clock, story } = openStory();
  await liveWith({ story, clock }, async (nights) => {
    for (const project of projects) nights.work(project, RELEASE);
    await nights.passUntil("09:21");
  });
  expect(marksOf(story)).toHaveLength(projects.length);
  clock.setWall(clock.now() + 25 * HOUR_MS);
  const firstStart = { backfillDays: { model: 36_500 } };
  const model = { provider: "anthropic", baseUrl: stub.url, firstStart };
  story.config({
    ...model,
    sweep: { everyMs: HOUR_MS },
    extract: EXTRACT,
    dream: { enabled: false, ...dream },
  });
  return { clock, story, stub };
}

interface Moved {
  readonly clock: Nights["clock"];
}

/** Little steps until the real server has been asked so often; a minute of them, then what is under way gets real time only. */
async function untilAsked(times: number, { clock }: Moved, stub: { readonly requests: readonly unknown[] }) {
  for (let steps = 0; stub.requests.length < times && steps < 3_000; steps += 1) {
    await clock.advance(20);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await expect.poll(() => stub.requests.length).toBeGreaterThanOrEqual(times);
}

/** Notes of the gates, by folder. */
function marksOf(story: Story): { startAt: number; failures: number; notBefore?: number }[] {
  const gates = join(story.home.stateDir, "gates");
  return readdirSync(gates).map((name) => JSON.parse(readFileSync(join(gates, name), "utf8")));
}

describe("a dream that is asked for", () => {
  it("twice at once is one: the other is told so", async () => {
    const { clock, story, stub } = await modelStory();
    stub.reply(DONE);
    await liveWith({ story, clock }, async (nights) => {
      const ask = () => nights.service.dream({ project: SHOP, force: true });
      const both = [ask(), ask()].map((each) =>
        each.then(
          ({ outcome }) => outcome,
          (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
        ),
      );
      const answers = await nights.over(Promise.all(both));
      expect(new Set(answers)).toEqual(new Set(["already-asked", "succeeded"]));
      expect(nights.jobsOf("dream")).toHaveLength(1);
    });
  });

  it("and waits for its turn is told at once when somebody cancels it, whatever else is under way", async () => {
    const { clock, story, stub } = await modelStory();
    stub.reply(HANG);
    stub.otherwise(DONE);
    await liveWith({ story, clock }, async (nights) => {
      nights.work(SHOP, "Please squash commits before merging, the history is unreadable otherwise.");
      await clock.advance(MINUTE_MS);
      await untilAsked(1, nights, stub);
      const ended = nights.service.dream({ project: SHOP, force: true }).then(
        () => "done",
        (error: unknown) => error,
      );
      await clock.advance(100);
      expect(nights.parts.queue.cancel(jobKey("dream", story.memoryDir(SHOP)), "cancelled-by-person")).toBe(
        true,
      );

      expect(await ended).toMatchObject({ code: "queue-cancelled" });
      expect(nights.jobsOf("extract").map(({ endedAt }) => endedAt)).toEqual([undefined]);
      expect(nights.jobsOf("dream")).toEqual([]);
      await nights.service.pause({});
    });
  });

  it("and waits for its turn is told when a pause takes it away", async () => {
    const { clock, story, stub } = await modelStory();
    stub.reply(HANG);
    stub.otherwise(DONE);
    await liveWith({ story, clock }, async (nights) => {
      nights.work(SHOP, "Please squash commits before merging, the history is unreadable otherwise.");
      await clock.advance(MINUTE_MS);
      await untilAsked(1, nights, stub);
      const asked = nights.service.dream({ project: SHOP, force: true });
      const ended = asked.then(
        () => "done",
        (error: unknown) => error,
      );
      await clock.advance(100);
      const paused = nights.service.pause({});
      for (let steps = 0; steps < 50; steps += 1) await clock.advance(100);
      await paused;

      expect(await ended).toMatchObject({ code: "queue-cancelled" });
      expect(nights.jobsOf("dream")).toEqual([]);
    });
  });

  it("waits for the reading of its folder, and a reading for it", async () => {
    const { clock, story, stub } = await modelStory();
    stub.otherwise({ ...DONE, delayMs: 20 });
    await liveWith({ story, clock }, async (nights) => {
      const asked: Promise<unknown>[] = [];
      for (let round = 0; round < 3; round += 1) {
        nights.work(SHOP, `Please put shelf number ${round} behind the door, people fall over it.`);
        asked.push(nights.service.dream({ project: SHOP, force: true }));
        await nights.pass(2 * MINUTE_MS);
      }
      await nights.over(Promise.all(asked));
      expect(nights.jobsOf("dream")).toHaveLength(3);
      expect(nights.jobsOf("extract").length).toBeGreaterThanOrEqual(3);
      expect(mostAtOnce(nights.jobs)).toBe(1);
    });
  });
});

describe("a dream that is not over at the next slot (fault 56)", () => {
  it("is joined by no other, not even of another folder that is due", async () => {
    const dream = { ...EAGER, enabled: true, schedule: "0 * * * *" };
    const { clock, story, stub } = await modelStory(dream, [SHOP, BOOKS]);
    stub.reply(DONE, HANG);
    stub.otherwise(DONE);
    await liveWith({ story, clock }, async (nights) => {
      await clock.advance(MINUTE_MS);
      await nights.finish();
      const [first] = nights.jobsOf("dream");
      // The other one is due at the slot.
      await nights.passUntil("10:59");
      const project = first?.memoryDir === story.memoryDir(SHOP) ? SHOP : BOOKS;
      const asked = nights.service.dream({ project, force: true }).catch(() => undefined);
      await untilAsked(2, nights, stub);
      await clock.advance(1.5 * MINUTE_MS);
      expect(nights.shown().time).toBe("11:00");
      expect(nights.jobsOf("dream").map(({ memoryDir }) => memoryDir)).toEqual([
        first?.memoryDir,
        first?.memoryDir,
      ]);
      expect(nights.jobsOf("dream")[1]?.outcome).toBeUndefined();

      for (let steps = 0; steps < 4; steps += 1) await clock.advance(MINUTE_MS);
      await asked;
      await nights.pass(HOUR_MS);
      expect(new Set(nights.jobsOf("dream").map(({ memoryDir }) => memoryDir)).size).toBe(2);
      expect(mostAtOnce(nights.jobs)).toBe(1);
    });
  });
});

describe("eight hours of sleep in the middle of a model's answer (fault 55)", () => {
  it("end that request, count as nobody's failure, and the dream is tried once more", async () => {
    const settings = { ...EAGER, enabled: true, schedule: "*/5 * * * *", minHours: 24 };
    const { clock, story, stub } = await modelStory(settings);
    stub.reply(HANG);
    stub.otherwise(DONE);
    await liveWith({ story, clock }, async (nights) => {
      await untilAsked(1, nights, stub);
      const request = await stub.request(0);
      nights.suspend(8 * HOUR_MS);
      await clock.advance(5 * MINUTE_MS);
      expect(await request.ended).toBe("closed");
      await nights.pass(HOUR_MS);
      expect(stub.requests).toHaveLength(2);
      expect(nights.jobsOf("dream").map(({ outcome }) => outcome?.result)).toEqual(["skipped", "succeeded"]);
      expect(marksOf(story)).toMatchObject([{ failures: 0 }]);
    });
  });
});

describe("an agent that keeps a daily log", () => {
  it("has its sessions unread and its folder without dreams, and its nights distilled", async () => {
    const { clock, story } = openStory({ dream: EAGER });
    await liveWith({ story, clock }, async (nights) => {
      nights.work(SHOP, RELEASE);
      await nights.pass(MINUTE_MS);
      await nights.log(SHOP, "Remember that invoices are kept for ten years.");
      const memoryDir = story.memoryDir(SHOP);
      const log = join(memoryDir, "logs/2026/05/2026-05-04.md");
      writeFileSync(log, `${readFileSync(log, "utf8")}- 09:00 the user likes tabs\n`);
      const topics = story.topics(SHOP).length;
      nights.work(SHOP, MOCKS);
      await nights.passUntil("04:00");

      expect(nights.jobsOf("dream")).toEqual([]);
      expect(nights.jobsOf("distill").map(({ outcome }) => outcome?.result)).toEqual(["succeeded"]);
      expect(story.learnt(SHOP)).toContain("Invoices are kept");
      expect(story.learnt(SHOP)).not.toContain("real database");
      expect(story.topics(SHOP)).toHaveLength(topics + 1);
      const { projects } = await nights.service.status();
      expect(projects).toMatchObject([{ gates: { dream: "daily-log-mode" } }]);
    });
  });
});

describe("a dream that fails again and again", () => {
  it("waits longer each time, over restarts", async () => {
    const { clock, story, stub } = await modelStory();
    stub.otherwise({ status: 400, error: { type: "invalid_request_error", message: "no" } });
    const waits: number[] = [];
    for (let starts = 0; starts < 4; starts += 1) {
      await liveWith({ story, clock }, async (nights) => {
        const asked = nights.service.dream({ project: SHOP, force: true });
        await nights.over(asked.catch(() => undefined));
        await nights.finish();
        const [marks] = marksOf(story);
        waits.push(Math.round(((marks?.notBefore ?? 0) - clock.now()) / MINUTE_MS));
      });
    }
    expect(waits).toEqual([30, 60, 120, 240]);
  });
});

describe("a dream that a process died over", () => {
  it("is left alone for an hour by the clock, and begun at once for a person", async () => {
    const settings = { ...EAGER, enabled: true, schedule: "*/5 * * * *" };
    const { clock, story, stub } = await modelStory(settings, [SHOP, BOOKS]);
    stub.otherwise(DONE);
    await liveWith({ story, clock }, async (nights) => {
      const [shop, books] = [story.memoryDir(SHOP), story.memoryDir(BOOKS)];
      nights.parts.foundUnfinished([shop, books]);
      await nights.pass(50 * MINUTE_MS);
      expect(nights.jobsOf("dream")).toEqual([]);
      expect(nights.parts.lastGate("dream", shop)).toMatchObject({ open: false, reason: "backing-off" });

      await nights.over(nights.service.dream({ project: BOOKS }));
      expect(nights.jobsOf("dream").map(({ memoryDir }) => memoryDir)).toEqual([books]);
      await nights.pass(20 * MINUTE_MS);
      expect(nights.jobsOf("dream").map(({ memoryDir }) => memoryDir)).toContain(shop);
    });
  });
});
