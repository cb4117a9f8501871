// Stories about the running service: real processes, real files, real signals. Waits for log lines, never for time.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createParts } from "../../src/app.ts";
import { folderIdOf } from "../../src/memory/journal/folder-id.ts";
import { createTriggers } from "../../src/serve/triggers/triggers.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { createEventSpy } from "../helpers/event-spy.ts";
import { noted, turn, quickStory, started, written } from "./running.ts";
import { SHOP, S1, TABS } from "./story.ts";

describe("the running daemon", () => {
  it("turns an appended turn into a memory without a restart, also in a folder made meanwhile", async () => {
    const story = quickStory();
    const daemon = await started(story);

    const path = story.transcript(SHOP, S1, turn(TABS));
    await written(daemon, /tabs/);
    appendFileSync(path, turn("Remember that integration tests hit a real database.", 20));
    await written(daemon, /database/);

    expect(story.topics(SHOP)).toHaveLength(2);
    expect(await daemon.stop("SIGTERM")).toMatchObject({ code: 0 });
  });

  it("reads what a just installed agent writes at once, not with the next round", async () => {
    const story = quickStory({}, { sweep: { everyMs: 900_000 } });
    rmSync(join(story.home.home, ".claude"), { recursive: true });
    const daemon = await started(story);

    story.transcript(SHOP, S1, turn(TABS));
    await written(daemon, /tabs/);

    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("keeps the index true through a hand edit, a new file, a rename and a removal, and touches nothing else", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);
    const dir = story.memoryDir(SHOP);
    const at = (name: string) => join(dir, name);
    const indexed = (part: string, present: boolean) =>
      daemon.waitForEvent("index:written", { where: () => story.index(SHOP).includes(part) === present });
    const hand = "---\nname: hand\ndescription: made by hand\nmetadata:\n  type: project\n---\nBy hand.\n";

    writeFileSync(at("project_hand.md"), hand);
    await indexed("made by hand", true);
    writeFileSync(at("project_hand.md"), hand.replace("made by hand", "changed by hand"));
    await indexed("changed by hand", true);
    renameSync(at("project_hand.md"), at("project_moved.md"));
    await indexed("project_moved.md", true);
    expect(readFileSync(at("project_moved.md"), "utf8")).toBe(
      hand.replace("made by hand", "changed by hand"),
    );
    rmSync(at("project_moved.md"));
    await indexed("project_moved.md", false);

    expect(story.topics(SHOP)).toHaveLength(1);
    expect(story.index(SHOP).trimEnd().split("\n")).toHaveLength(1);
  });

  it("is up again at once after a kill, and a second one names the first and leaves it alone", async () => {
    // B46a, b
    const story = quickStory();
    const first = await started(story);
    await first.stop("SIGKILL");

    const second = await started(story);
    const third = await runCommand({ home: story.home, args: ["run"] });

    expect(third.code).toBe(4);
    expect(third.stderr).toContain(String(second.child.pid));
    const status = await runCommand({ home: story.home, args: ["status", "--json"] });
    expect(JSON.parse(status.stdout)).toMatchObject({ pid: second.child.pid });
  });

  it("is known of after it was killed: status tells what it last knew", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);
    await daemon.waitForEvent("job:finished");
    await noted(daemon);
    await daemon.stop("SIGKILL");

    const { code, stdout } = await runCommand({ home: story.home, args: ["status", "--json"] });

    expect(code).toBe(5);
    const status = JSON.parse(stdout) as { warnings: { message: string }[] };
    expect(status).toMatchObject({ state: "stopped", pid: null, projects: [{ root: SHOP }] });
    expect(status.warnings[0]?.message).toMatch(/^the daemon is not running; this is from /u);
  });

  it("leaves no socket, lock or temporary file behind when it is asked to stop", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);

    const exit = await daemon.stop("SIGTERM");

    expect(exit).toMatchObject({ code: 0 });
    expect(existsSync(story.home.socket)).toBe(false);
    expect(existsSync(join(story.home.stateDir, "daemon.json"))).toBe(false);
    const left = readdirSync(story.home.folder.path, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /\.lock$|\.sock$|engramd-tmp/.test(name))).toEqual([]);
  });

  it("parks a folder it cannot write with the reason in the status, loses nothing and goes on once it can", async () => {
    // B31d: a file stands where the folder should be, which stops root as well.
    const story = quickStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(join(dir, ".."), { recursive: true });
    writeFileSync(dir, "in the way");
    const daemon = await started(story);
    story.transcript(SHOP, S1, turn(TABS));
    await daemon.waitForEvent("job:finished", {
      where: (line) => JSON.stringify(line["outcome"]).includes("failed"),
    });
    const parked = JSON.parse((await runCommand({ home: story.home, args: ["status", "--json"] })).stdout);
    rmSync(dir);

    const sync = await runCommand({ home: story.home, args: ["sync", "--json"] });

    expect(parked.projects[0].lastError).toMatchObject({ code: expect.stringMatching(/memory|unsafe/) });
    expect(JSON.parse(sync.stdout).memories.created).toBe(1);
    expect(story.topics(SHOP)).toHaveLength(1);
  });
});

describe("requests during a run", () => {
  it("make exactly one more run, which sees the newest state", async () => {
    const story = quickStory();
    const path = story.transcript(SHOP, S1, turn("Remember that integration tests hit a real database."));
    const parts = createParts({
      env: story.home.env,
      accountHome: story.home.home,
      platform: process.platform,
      temporaryDir: story.home.folder.path,
      pid: process.pid,
      writeLog: () => undefined,
    });
    const events = createEventSpy(parts.emitter);
    // Whoever holds the folder's lock decides how long the first run takes.
    const lock = await parts.locks.take(`memory-${folderIdOf(story.memoryDir(SHOP))}`, { waitMs: 0 });
    const triggers = createTriggers(parts);
    await triggers.start();
    await events.waitFor("turns:read");
    for (let n = 0; n < 50; n += 1)
      appendFileSync(path, turn(n === 49 ? TABS : `later message ${n}`, 10 + 2 * n));
    await events.waitFor("job:merged");
    for (let n = 0; n < 3; n += 1) parts.due(story.memoryDir(SHOP), { trigger: "test", now: false });
    // They wait to be quiet: one that asks only while the second run is under way would rightly get a third.
    await expect.poll(() => parts.debounce.size()).toBe(0);
    await lock?.release();

    await parts.queue.whenIdle();

    expect(events.seen("job:started")).toHaveLength(2);
    expect(events.seen("job:finished").map(({ outcome }) => outcome.result)).toEqual([
      "succeeded",
      "succeeded",
    ]);
    expect(story.topics(SHOP)).toHaveLength(2);
    await triggers.stop();
    await parts.queue.drain(0);
  });
});
