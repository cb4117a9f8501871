// A pause: nothing is read, nothing is asked, answers go on; it outlives a restart and ends with its time.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createObserving } from "../../src/serve/triggers/observing.ts";
import type { Observing } from "../../src/serve/triggers/observing.ts";
import { createTriggers } from "../../src/serve/triggers/triggers.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { quickStory, started, turn, written } from "./running.ts";
import type { Inside, Story } from "./story.ts";
import { createStory, MOCKS, S1, S2, SHOP, TABS } from "./story.ts";

const HOUR_MS = 3_600_000;
const DEBOUNCE_MS = 200;

interface Watched extends Inside {
  readonly observing: Observing;
}

/** An engramd that observes as the daemon does, in this process. */
async function observe(story: Story, use: (watched: Watched) => Promise<void>): Promise<void> {
  await story.inside(async (inside) => {
    const { parts } = inside;
    const observing = createObserving({ ...parts, make: () => createTriggers(parts) });
    parts.queue.pause();
    parts.recordConsent();
    try {
      await use({ ...inside, observing });
    } finally {
      await observing.stop();
    }
  });
}

function clockedStory(extract: object = {}, rest: object = {}): { story: Story; clock: ManualClock } {
  const clock = createManualClock();
  const story = createStory({}, clock);
  story.config({ extract: { debounceMs: DEBOUNCE_MS, settleMs: 0, ...extract }, ...rest });
  return { story, clock };
}

describe("a pause", () => {
  it("reads and does nothing until its time is over, then everything that came meanwhile", async () => {
    const { story, clock } = clockedStory();
    await observe(story, async ({ parts, service, events, observing }) => {
      await observing.start();
      await service.pause({ forMs: 2 * HOUR_MS });
      story.transcript(SHOP, S1, turn(TABS));

      for (let minute = 0; minute < 119; minute++) await clock.advance(60_000);
      expect(observing.state()).toBe("paused");
      expect(events.seen("transcript:grew")).toEqual([]);
      expect(events.seen("job:queued")).toEqual([]);
      expect(events.seen("sweep:finished")).toHaveLength(1);

      await clock.advance(60_000);
      await events.waitFor("transcript:grew");
      await expect.poll(() => observing.state()).toBe("waiting-for-quiet");
      await clock.advance(DEBOUNCE_MS);
      await events.waitFor("memory:written");
      await parts.queue.whenIdle();
      expect(story.topics(SHOP)).toHaveLength(1);
    });
  });

  it("without an end waits for resume, and goes on as before", async () => {
    const { story, clock } = clockedStory();
    await observe(story, async ({ service, events, observing }) => {
      await observing.start();
      await service.pause({});
      await clock.advance(1_000 * HOUR_MS);
      expect(observing.state()).toBe("paused");
      story.transcript(SHOP, S1, turn(TABS));

      expect(await service.resume()).toMatchObject({ outcome: "resumed" });
      expect(await service.resume()).toMatchObject({ outcome: "not-paused" });
      await events.waitFor("transcript:grew");
      await expect.poll(() => observing.state()).toBe("waiting-for-quiet");
      await clock.advance(DEBOUNCE_MS);
      await events.waitFor("memory:written");
    });
    expect(clock.pendingTimers()).toBe(0);
  });

  it("breaks a running job off: no further request, no error, and its words are read afterwards", async () => {
    const stub = await startModelStub();
    onTestFinished(() => stub.close());
    stub.reply({ blocks: ["Let me see"], hangAfter: 10 });
    stub.otherwise({ blocks: ["Nothing to keep."] });
    const { story, clock } = clockedStory(
      { minNewTokens: 0 },
      { provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } },
    );
    story.transcript(SHOP, S1, turn("We ship on Mondays."));
    await observe(story, async ({ service, observing, parts }) => {
      await observing.start();
      await clock.advance(DEBOUNCE_MS);
      const request = await stub.request(0);

      await service.pause({});

      expect(await request.ended).toBe("closed");
      expect(parts.queue.describe()).toMatchObject({ running: 0, waiting: 0 });
      const status = await service.status();
      expect(status.paused).toMatchObject({ until: null });
      expect(status.projects).toMatchObject([{ root: SHOP, lastError: null }]);
      expect(status.sources[0]?.pendingBytes).toBeGreaterThan(0);
      await clock.advance(24 * HOUR_MS);
      expect(stub.requests).toHaveLength(1);

      await service.resume();
      await expect.poll(() => observing.state()).toBe("waiting-for-quiet");
      await clock.advance(DEBOUNCE_MS);
      await stub.request(1);
      await parts.queue.whenIdle();
      expect((await service.status()).sources[0]?.pendingBytes).toBe(0);
    });
  });

  it("leaves nobody hanging who waits for a pass", async () => {
    const stub = await startModelStub();
    onTestFinished(() => stub.close());
    stub.otherwise({ blocks: ["Let me see"], hangAfter: 10 });
    const { story } = clockedStory(
      { minNewTokens: 0 },
      { provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } },
    );
    story.transcript(SHOP, S1, turn("We ship on Mondays."));
    await observe(story, async ({ service, observing }) => {
      await observing.start();
      const pass = service.sync({});
      await stub.request(0);

      await service.pause({});

      expect((await pass).skipped).toEqual([{ session: story.memoryDir(SHOP), reason: "paused" }]);
      expect(await service.sync({})).toMatchObject({ paused: { until: null }, records: 0, runs: [] });
    });
  });

  it("may come and go during the first round", async () => {
    const { story, clock } = clockedStory();
    for (let at = 0; at < 50; at++) story.transcript(`/home/ana/p${at}`, S1, turn("hello"));
    await observe(story, async ({ service, observing, parts, events }) => {
      const start = observing.start();
      await service.pause({});
      await start;
      expect(observing.state()).toBe("paused");
      // New settings ask for runs at any time; the first round's end must not have let the queue go.
      parts.due(story.memoryDir("/home/ana/p0"), { trigger: "settings", now: true });
      for (let turns = 0; turns < 5_000; turns++) await clock.yield();
      expect(events.seen("job:started")).toEqual([]);
      // A service manager must not take it for a hang.
      expect([parts.queue.describe().waiting, observing.describe().waiting]).toEqual([1, 0]);

      for (let times = 0; times < 3; times++) {
        await service.resume();
        await service.pause({});
      }
      await service.resume();
      await expect.poll(() => observing.state()).toBe("waiting-for-quiet");
      await clock.advance(DEBOUNCE_MS);
      await events.waitFor("job:finished");
      await parts.queue.whenIdle();
    });
    expect(clock.pendingTimers()).toBe(0);
  });

  it("still answers, and does what a person asks for", async () => {
    const { story } = clockedStory();
    await observe(story, async ({ service, observing }) => {
      await observing.start();
      await service.pause({});

      const kept = await service.remember({ text: MOCKS, project: SHOP });
      const list = await service.memories({ project: SHOP, words: "database" });

      expect(kept).toMatchObject({ outcome: "created" });
      expect(list.memories).toHaveLength(1);
    });
  });
});

describe("the daemon", () => {
  const ask = async (story: Story, ...args: readonly string[]) => {
    const result = await runCommand({ home: story.home, args: [...args, "--json"] });
    expect(result).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(result.stdout);
  };

  it("stays paused over a restart, says until when, and observes again when told", async () => {
    const story = quickStory();
    const first = await started(story);
    expect(await ask(story, "pause", "--for", "2h")).toMatchObject({ outcome: "paused", running: true });
    const path = story.transcript(SHOP, S1, turn(TABS));
    await first.stop("SIGKILL");

    const second = await started(story);
    const status = await ask(story, "status");
    const sync = await runCommand({ home: story.home, args: ["sync"] });

    expect(status).toMatchObject({ state: "paused", paused: { until: expect.any(String) } });
    expect(Date.parse(status.paused.until) - Date.parse(status.paused.since)).toBe(2 * HOUR_MS);
    expect((await runCommand({ home: story.home, args: ["status"] })).stdout).toMatch(
      /^engramd is paused.*\n {2}paused until .+ \(in 2 h\)$/mu,
    );
    expect(sync).toMatchObject({ code: 0, stderr: "" });
    expect(sync.stdout).toMatch(/^engramd is paused until .+: nothing was read\n$/u);
    expect(second.log().filter(({ msg }) => /^(?:transcript|job|sweep):/u.test(msg))).toEqual([]);

    expect(await ask(story, "resume")).toMatchObject({ outcome: "resumed" });
    await written(second, /tabs/u);
    writeFileSync(path, `${readFileSync(path, "utf8")}${turn(MOCKS, 20)}`);
    await written(second, /database/u);
    expect((await ask(story, "status")).paused).toBeUndefined();
  });

  it("starts paused when it was not running at the time, and a damaged file pauses nothing", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(TABS));
    expect(await ask(story, "pause")).toMatchObject({ outcome: "paused", until: null, running: false });
    expect(await ask(story, "sync")).toMatchObject({ paused: { until: null }, records: 0 });
    expect(story.topics(SHOP)).toEqual([]);
    const paused = await started(story);
    expect(await ask(story, "status")).toMatchObject({ state: "paused" });
    await paused.stop();

    writeFileSync(join(story.home.stateDir, "control.json"), "{");
    story.transcript(SHOP, S2, turn(MOCKS));
    await written(await started(story), /tabs/u);
  });
});
