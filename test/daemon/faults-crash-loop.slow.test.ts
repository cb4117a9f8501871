// A transcript that kills whoever reads it must not keep everything else from being read.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SyncReport } from "../../src/domain/service.ts";
import { sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { quickStory, turn, written } from "./running.ts";
import type { Story } from "./story.ts";
import { MOCKS, S2, SHOP, TABS } from "./story.ts";

const READY_MS = 60_000;
const BAD = `${sessionIdOf(9)}.jsonl`;
/** Words that end the process reading them: what a parser or an engine with a fault would do. */
const DEADLY = "deadly words";
const HOOK = join(import.meta.dirname, "../crash/die-reading.mjs");

function startFragile(story: Story): Daemon {
  return startDaemon({
    home: story.home,
    nodeArgs: ["--import", HOOK],
    env: { ENGRAMD_TEST_DEADLY: DEADLY },
  });
}

/** Starts daemons until one outlives its first sweep; answers it and how many died. */
async function startUntilReady(story: Story): Promise<{ daemon: Daemon; deaths: number }> {
  for (let deaths = 0; deaths < 10; deaths += 1) {
    const daemon = startFragile(story);
    const event = await Promise.race([
      daemon.waitForEvent("daemon:ready", { withinMs: READY_MS }).catch(() => undefined),
      daemon.child.exit.then(() => undefined),
    ]);
    if (event !== undefined) return { daemon, deaths };
  }
  throw new Error("no daemon outlives its start");
}

describe("a transcript that kills the process that reads it (fault 72)", () => {
  it("is set aside after three deaths; the others are read, and a person can have it read again", async () => {
    const story = quickStory();
    const bad = story.transcript(SHOP, BAD, turn(`Remember that ${DEADLY} are kept in the cellar.`, 900));
    story.transcript(SHOP, S2, turn(TABS, 50, sessionIdOf(2)));

    const { daemon, deaths } = await startUntilReady(story);
    await written(daemon, /tabs/);

    expect(deaths).toBe(3);
    const warning = await daemon.waitForEvent("warning:raised", {
      where: ({ code }) => code === "source-set-aside",
    });
    expect(warning["message"]).toContain(bad);
    expect(warning["message"]).toContain("engramd sync --backfill all");
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(await daemon.stop()).toMatchObject({ code: 0 });

    // Mended, as by an update: nothing dies of it any more.
    const again = await runCommand({ home: story.home, args: ["sync", "--backfill", "all", "--json"] });
    expect((JSON.parse(again.stdout) as SyncReport).memories.created).toBe(1);
    expect(story.learnt(SHOP)).toContain("cellar");
  });

  it("that grows is read from where the deadly part ends", async () => {
    const story = quickStory();
    const path = story.transcript(SHOP, BAD, turn("hello", 900, sessionIdOf(9)));
    const calm = startFragile(story);
    await calm.waitForEvent("job:finished", { withinMs: READY_MS });
    await calm.stop();
    appendFileSync(path, turn(`Remember that ${DEADLY} are kept in the cellar.`, 910, sessionIdOf(9)));

    const { daemon, deaths } = await startUntilReady(story);
    appendFileSync(path, turn(MOCKS, 920, sessionIdOf(9)));
    await written(daemon, /database/);

    expect(deaths).toBe(3);
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});
