// Stories about a running service in trouble: read-only folders, stops in the middle, roots that go, endless talk.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Status } from "../../src/domain/status.ts";
import type { SyncReport } from "../../src/domain/service.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { turn, quickStory, started, written } from "./running.ts";
import type { Story } from "./story.ts";
import { SHOP, S1, TABS, MOCKS } from "./story.ts";

async function ask<T>(story: Story, ...args: string[]): Promise<T> {
  const { stdout } = await runCommand({ home: story.home, args: [...args, "--json"] });
  return JSON.parse(stdout) as T;
}

/** Whether this machine lets a test mount something in a namespace of its own. */
function mayMount(): boolean {
  try {
    execFileSync("unshare", ["-Urm", "nsenter", "--version"], { stdio: "ignore" });
    return true;
  } catch {
    process.stdout.write("skipped: no user namespaces here, so no read-only mount\n");
    return false;
  }
}

describe("a memory folder on a read-only mount", () => {
  it.skipIf(!mayMount())(
    "parks its job with the reason, and goes on when it may be written again",
    async () => {
      // B31d, fault 19: permission bits would not stop root, a mount does.
      const story = quickStory();
      const dir = story.memoryDir(SHOP);
      mkdirSync(dir, { recursive: true });
      const mount = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`;
      const daemon = await started(story, ["unshare", "-Urm", "sh", "-c", mount, dir]);

      story.transcript(SHOP, S1, turn(TABS));
      await daemon.waitForEvent("job:finished");
      const parked = await ask<Status>(story, "status");
      const pass = await ask<SyncReport>(story, "sync");
      // `unshare` became the daemon by `exec`, so its namespaces are the daemon's.
      execFileSync("nsenter", [
        "-t",
        String(daemon.child.pid),
        "-U",
        "-m",
        "--preserve-credentials",
        "umount",
        dir,
      ]);
      await ask<SyncReport>(story, "sync");

      expect(parked.projects[0]?.lastError?.code).toBe("memory-unwritable");
      expect(parked.projects[0]?.lastError?.retryAt).not.toBeNull();
      expect(parked.queue).toMatchObject({ delayed: 1, dead: 0 });
      expect(pass.memories.created).toBe(0);
      expect(story.topics(SHOP)).toHaveLength(1);
      expect(story.index(SHOP)).toContain("tabs");
      expect((await ask<Status>(story, "status")).projects[0]?.lastError).toBeNull();
    },
  );
});

describe("a daemon that is told to stop", () => {
  it("in the middle of a long job ends cleanly in time, and the rest is read at the next start, once", async () => {
    // Fault 69
    const story = quickStory();
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("ok");
    for (let n = 0; n < 400; n += 1) session.user(`note ${n}`).assistant("x".repeat(60_000));
    story.transcript(SHOP, S1, session.user(MOCKS).assistant("ok").text());
    const daemon = await started(story);
    await written(daemon, /tabs/);

    const startedAt = performance.now();
    expect(await daemon.stop("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(10_000);

    const next = await started(story);
    const report = await ask<SyncReport>(story, "sync");
    expect(story.topics(SHOP)).toHaveLength(2);
    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 402 });
    expect(await next.stop()).toMatchObject({ code: 0 });
  });

  it("by force in the middle of a long job counts and learns everything all the same, once", async () => {
    const story = quickStory();
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("ok");
    for (let n = 0; n < 400; n += 1) session.user(`note ${n}`).assistant("x".repeat(60_000));
    story.transcript(SHOP, S1, session.user(MOCKS).assistant("ok").text());
    const daemon = await started(story);
    await written(daemon, /tabs/);
    await daemon.stop("SIGKILL");

    await started(story);
    const report = await ask<SyncReport>(story, "sync");

    expect(story.topics(SHOP)).toHaveLength(2);
    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 402 });
  });

  it("twice does not wait for the job", async () => {
    // Fault 70
    const story = quickStory();
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("ok");
    for (let n = 0; n < 800; n += 1) session.user(`note ${n}`).assistant("x".repeat(60_000));
    story.transcript(SHOP, S1, session.text());
    const daemon = await started(story);
    await written(daemon, /tabs/);

    daemon.child.signal("SIGINT");
    daemon.child.signal("SIGINT");

    expect(await daemon.child.exit).toEqual({ code: 0, signal: null });
    expect(daemon.log().at(-1)?.msg).toBe("daemon:stopped");
  });
});

describe("a transcript root under a running daemon", () => {
  it("that is removed and made again is read on", async () => {
    // Faults 20, 21
    const story = quickStory({}, { sweep: { everyMs: 1_000 } });
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);

    rmSync(story.home.claudeProjects, { recursive: true });
    mkdirSync(story.home.claudeProjects);
    story.transcript(SHOP, `${sessionIdOf(2)}.jsonl`, turn(MOCKS, 50, sessionIdOf(2)));
    await written(daemon, /database/);

    expect(story.topics(SHOP)).toHaveLength(1);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });

  it("that is renamed away and back causes no second reading", async () => {
    // Fault 23
    const story = quickStory();
    const path = story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);

    const before = await ask<Status>(story, "status");
    renameSync(story.home.claudeProjects, `${story.home.claudeProjects}.away`);
    await ask<SyncReport>(story, "sync");
    renameSync(`${story.home.claudeProjects}.away`, story.home.claudeProjects);
    appendFileSync(path, turn(MOCKS, 50));
    await ask<SyncReport>(story, "sync");
    await written(daemon, /database/);
    const after = await ask<Status>(story, "status");

    expect(story.topics(SHOP)).toHaveLength(2);
    expect(after.counters.recordsRead).toBe(2 * before.counters.recordsRead);
  });

  it("that was missing at the start is picked up when it is made", async () => {
    // Fault 22
    const story = quickStory({}, { sweep: { everyMs: 1_000 } });
    rmSync(join(story.home.home, ".claude"), { recursive: true });
    const daemon = await started(story);

    story.transcript(SHOP, S1, turn(TABS));
    await written(daemon, /tabs/);

    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});

describe("a session that never falls quiet", () => {
  it("is learnt from within the maximum wait", async () => {
    // Fault 29
    const story = quickStory({ debounceMs: 60_000, maxWaitMs: 1_500 });
    const path = story.transcript(SHOP, S1, turn("hello"));
    const daemon = await started(story);
    let number = 100;
    const writer = setInterval(
      () => appendFileSync(path, turn(`still talking ${(number += 2)}`, number)),
      100,
    );
    onTestFinished(() => clearInterval(writer));

    appendFileSync(path, turn(TABS, 50));
    await written(daemon, /tabs/);

    expect(story.topics(SHOP)).toHaveLength(1);
  });
});

describe("what the daemon watches", () => {
  it.skipIf(process.platform !== "linux")(
    "is transcript roots and memory folders, however much lies in the home folder",
    async () => {
      // B23
      const story = quickStory();
      const { home } = story.home;
      for (let n = 0; n < 150; n += 1) mkdirSync(join(home, `folder ${n}/below`), { recursive: true });
      story.transcript(home, S1, createTranscript({ cwd: home }).user(TABS).assistant("ok").text());
      const daemon = await started(story);
      await written(daemon, /tabs/);

      const watches = inotifyWatches(daemon.child.pid);

      // The root, the one folder with sessions, its memory folder.
      expect(watches).toBeGreaterThan(0);
      expect(watches).toBeLessThanOrEqual(3);
    },
  );
});

/** Descriptors come and go while they are listed. */
function inotifyWatches(pid: number): number {
  const folder = `/proc/${pid}/fdinfo`;
  const texts = readdirSync(folder).map((fd) => {
    try {
      return readFileSync(join(folder, fd), "utf8");
    } catch {
      return "";
    }
  });
  return texts
    .join("\n")
    .split("\n")
    .filter((line) => line.startsWith("inotify ")).length;
}

describe("a broken memory file", () => {
  it("is listed with what is wrong and stays as it is while the daemon works around it", async () => {
    const story = quickStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    const broken = "---\nname: [never closed\ntype: user\n";
    writeFileSync(join(dir, "user_broken.md"), broken);
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);

    const list = await ask<{ memories: { file: string }[]; notMemories: { file: string; why: string }[] }>(
      story,
      "list",
      "--all",
    );

    const told = [...list.notMemories, ...list.memories].find(({ file }) => file === "user_broken.md");
    expect(told).toBeDefined();
    expect(readFileSync(join(dir, "user_broken.md"), "utf8")).toBe(broken);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});
