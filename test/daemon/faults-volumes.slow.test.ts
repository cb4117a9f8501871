// Volumes that are full, and a process that may open nothing more: real mounts in a namespace of the daemon's own, real
// limits. Nothing said meanwhile is lost, and everything is learnt once there is room again.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SyncReport } from "../../src/domain/service.ts";
import type { Status } from "../../src/domain/status.ts";
import { sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { quickStory, started, turn, written } from "./running.ts";
import type { Story } from "./story.ts";
import { MOCKS, S1, S2, SHOP, TABS } from "./story.ts";

async function ask<T>(story: Story, ...args: string[]): Promise<T> {
  const { stdout } = await runCommand({ home: story.home, args: [...args, "--json"] });
  return JSON.parse(stdout) as T;
}

function may(what: string, command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    process.stdout.write(`skipped: ${what}\n`);
    return false;
  }
}

const mayMount = may("no user namespaces here, so no volume of our own", "unshare", "-Urm", "true");
const mayLimit = may("no prlimit here, so no limit on open files", "prlimit", "--version");
const mayTrace = may("no strace here, so no watches that say nothing", "strace", "-V");

/** Mounts a small volume over a folder before the daemon starts; `$@` is the daemon. */
function volume(folder: string, kib: number): string[] {
  const mount = `mount -t tmpfs -o size=${kib}k,mode=700 tmpfs "$0" && exec "$@"`;
  return ["unshare", "-Urm", "sh", "-c", mount, folder];
}

/** The daemon's own view of a path. */
function inDaemon(daemon: Daemon, path: string): string {
  return join(`/proc/${daemon.child.pid}/root`, path);
}

/** Fills a volume to the last block; answers what frees it again. */
function fill(folder: string): () => void {
  const ballast = join(folder, "ballast");
  for (const size of [65_536, 4_096, 1]) {
    for (let count = 0; count < 10_000; count += 1) {
      try {
        writeFileSync(ballast, Buffer.alloc(size), { flag: "a" });
      } catch {
        break;
      }
    }
  }
  return () => rmSync(ballast);
}

describe.skipIf(!mayMount)("a full volume", () => {
  it("of memory leaves old memories whole, says why, and takes what was said once there is room (fault 16)", async () => {
    const story = quickStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    const path = story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story, volume(dir, 256));
    await written(daemon, /tabs/);
    const inside = inDaemon(daemon, dir);
    const contents = () => Object.fromEntries(mdFiles(inside).map((name) => [name, read(inside, name)]));
    const before = contents();
    const free = fill(inside);

    writeFileSync(path, turn(MOCKS, 50), { flag: "a" });
    const parked = await failed(daemon);
    const meanwhile = await ask<Status>(story, "status");

    expect(JSON.stringify(parked)).toContain("memory-unwritable");
    expect(meanwhile.projects[0]?.lastError?.retryAt).not.toBeNull();
    expect(contents()).toEqual(before);
    free();
    await ask<SyncReport>(story, "sync");
    expect(mdFiles(inside)).toHaveLength(3);
    expect(readdirSync(inside).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });

  it("of state accepts nothing it cannot remember, and goes on once there is room (fault 18)", async () => {
    const story = quickStory();
    const state = story.home.stateDir;
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const path = story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story, volume(state, 512));
    await written(daemon, /tabs/);
    const free = fill(inDaemon(daemon, state));

    writeFileSync(path, turn(MOCKS, 50), { flag: "a" });
    await failed(daemon);

    expect(story.topics(SHOP)).toHaveLength(1);
    expect((await ask<Status>(story, "status")).pid).toBe(daemon.child.pid);
    free();
    await ask<SyncReport>(story, "sync");
    expect(story.topics(SHOP)).toHaveLength(2);
    expect(story.index(SHOP).trimEnd().split("\n")).toHaveLength(2);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});

/** The next job that failed. */
function failed(daemon: Daemon): Promise<unknown> {
  return daemon.waitForEvent("job:finished", {
    where: ({ outcome }) => JSON.stringify(outcome).includes('"failed"'),
  });
}

function mdFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".md"));
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** Whether a descriptor is no file or folder, as those of the event loop, the watches and the standard streams. */
function isKept(fd: string): boolean {
  try {
    return !statSync(fd).isDirectory() && !statSync(fd).isFile();
  } catch {
    // Closed since it was listed.
    return false;
  }
}

/** Node opens all files a program begins with at once, whatever their number is today: twice what a start takes. */
const FEW = 80;

describe.skipIf(!mayLimit)("a daemon that may open nothing more", () => {
  it("lives, and learns what was said once it may (faults 14, 25)", async () => {
    const story = quickStory({}, { sweep: { everyMs: 1_000 } });
    const path = story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);
    const { pid } = daemon.child;
    const limit = (soft: number) => execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]);
    // None is left for a file, a folder or a client: a new one would take the lowest free number, and a file that is
    // open this moment may be closed the next.
    const kept = new Set(
      readdirSync(`/proc/${pid}/fd`)
        .filter((fd) => isKept(`/proc/${pid}/fd/${fd}`))
        .map(Number),
    );
    limit([...Array(1_024).keys()].find((fd) => !kept.has(fd)) ?? 0);

    for (let fresh = 2; fresh < 5; fresh += 1)
      story.transcript(SHOP, `${sessionIdOf(fresh)}.jsonl`, turn("hello", fresh * 100, sessionIdOf(fresh)));
    writeFileSync(path, turn(MOCKS, 50), { flag: "a" });
    await daemon.child.waitForLine((line) => line.includes("EMFILE"));
    expect(story.topics(SHOP)).toHaveLength(1);

    limit(1_024);
    await ask<SyncReport>(story, "sync");
    expect(story.topics(SHOP)).toHaveLength(2);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });

  it("from its start on finds everything in the end with fewer than there are folders (fault 25)", async () => {
    const story = quickStory();
    for (let folder = 0; folder < 100; folder += 1)
      story.transcript(`/home/ana/p${folder}`, S1, turn("hello", folder * 10));
    story.transcript(SHOP, S2, turn(TABS, 5_000, sessionIdOf(2)));
    const daemon = await started(story, ["sh", "-c", `ulimit -n ${FEW}; exec "$@"`, "limit"]);

    await written(daemon, /tabs/);

    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!mayTrace)("watches", () => {
  const traced = (fault: string) => [
    "strace",
    "-D",
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=inotify_add_watch",
    "-e",
    `inject=inotify_add_watch:${fault}`,
  ];

  it("that the system refuses leave a sweep that finds all, and the status says so (fault 24)", async () => {
    const story = quickStory({}, { sweep: { everyMs: 1_000 } });
    const daemon = await started(story, traced("error=ENOSPC"));
    await daemon.waitForEvent("watcher:degraded");

    story.transcript(SHOP, S1, turn(TABS));
    await written(daemon, /tabs/);

    const status = await ask<Status>(story, "status");
    expect(status.warnings.map(({ code }) => code)).toContain("watcher-degraded");
  });

  it("that never tell of anything, as on a network mount, leave a sweep that finds all (fault 26)", async () => {
    const story = quickStory({}, { sweep: { everyMs: 1_000 } });
    // The call is not made and seems to succeed.
    const daemon = await started(story, traced("retval=1"));

    const path = story.transcript(SHOP, S1, turn(TABS));
    await written(daemon, /tabs/);
    writeFileSync(path, turn(MOCKS, 50), { flag: "a" });
    await written(daemon, /database/);

    expect(story.topics(SHOP)).toHaveLength(2);
  });
});

describe("a retry", () => {
  it("that was waiting when the daemon was killed is made by the next one, once (fault 9)", async () => {
    const story = quickStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(join(dir, ".."), { recursive: true });
    writeFileSync(dir, "in the way");
    story.transcript(SHOP, S1, turn(TABS));
    const first = await started(story);
    await failed(first);
    await first.stop("SIGKILL");
    rmSync(dir);

    const second = await started(story);
    await written(second, /tabs/);

    expect(story.topics(SHOP)).toHaveLength(1);
    const wrote = second.log().filter(({ msg }) => msg === "memory:written");
    expect(wrote).toHaveLength(1);
    expect(await second.stop()).toMatchObject({ code: 0 });
  });
});

describe("a memory folder under a running daemon", () => {
  it("that is removed is made again, private, with the next memory (fault 20)", async () => {
    const story = quickStory();
    const path = story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);

    rmSync(story.memoryDir(SHOP), { recursive: true });
    writeFileSync(path, turn(MOCKS, 50), { flag: "a" });
    await written(daemon, /database/);

    expect(existsSync(join(story.memoryDir(SHOP), "MEMORY.md"))).toBe(true);
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});
