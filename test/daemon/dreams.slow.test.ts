// Folders that are met at once begin to dream one by one over a day, and a folder is not counted through again within ten
// minutes, over a restart too.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createManualClock } from "../helpers/manual-clock.ts";
import { HOUR_MS, liveWith, MINUTE_MS, mostAtOnce } from "./nights-world.ts";
import { createStory, RELEASE, SHOP } from "./story.ts";

const TEST_MS = 300_000;
const PROJECTS = 30;
/** `FIRST_STARTS_PER_HOUR` */
const STARTS_PER_HOUR = 6;

function openStory(dream: object) {
  const clock = createManualClock();
  const story = createStory({}, clock);
  const extract = { debounceMs: 1_000, settleMs: 0 };
  story.config({ provider: "offline", sweep: { everyMs: HOUR_MS }, extract, dream });
  return { clock, story };
}

it(
  "thirty projects that are met at once begin one at a time, at most six in an hour, all within a day",
  async () => {
    const { clock, story } = openStory({ quietMs: 0, minSessions: 0, minHours: 48 });
    await liveWith({ story, clock }, async (nights) => {
      for (let at = 0; at < PROJECTS; at += 1) nights.work(`/home/ana/project${at}`, RELEASE);
      await nights.pass(26 * HOUR_MS);

      const dreams = nights.jobsOf("dream");
      const begun = dreams.map(({ startedAt }) => startedAt);
      expect(new Set(dreams.map(({ memoryDir }) => memoryDir)).size).toBe(PROJECTS);
      expect(dreams).toHaveLength(PROJECTS);
      expect(mostAtOnce(dreams)).toBe(1);
      const within = (from: number) => begun.filter((at) => at >= from && at < from + HOUR_MS).length;
      expect(Math.max(...begun.map(within))).toBeLessThanOrEqual(STARTS_PER_HOUR);
    });
    const gates = join(story.home.stateDir, "gates");
    const hours = readdirSync(gates).map((name) =>
      Math.floor(JSON.parse(readFileSync(join(gates, name), "utf8")).startAt / HOUR_MS),
    );
    const each = [...new Set(hours)].map((hour) => hours.filter((one) => one === hour).length);
    expect(Math.max(...each)).toBeLessThanOrEqual(STARTS_PER_HOUR);
  },
  TEST_MS,
);

it(
  "sessions are not counted again within ten minutes, over a restart too",
  async () => {
    const { clock, story } = openStory({ quietMs: 0, minSessions: 100, schedule: "0 12 * * *" });
    const gateNow = async () => {
      let gate: string | null | undefined;
      await liveWith({ story, clock }, async (nights) => {
        await nights.pass(MINUTE_MS);
        gate = (await nights.service.status()).projects[0]?.gates.dream;
      });
      return gate;
    };
    await liveWith({ story, clock }, async (nights) => {
      nights.work(SHOP, RELEASE);
      await nights.pass(49 * HOUR_MS);
    });
    expect(await gateNow()).toBe("too-few-sessions");
    expect(await gateNow()).toBe("scanned-lately");
    clock.setWall(clock.now() + 10 * MINUTE_MS);
    expect(await gateNow()).toBe("too-few-sessions");
  },
  TEST_MS,
);
