import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemCode } from "../../../src/domain/errors.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFileLocks, lockOwner } from "../../../src/system/file-lock.ts";
import type { Lock } from "../../../src/system/file-lock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { startOf } from "../../../src/system/process.ts";
import { createFaultyOps, forEveryFault } from "../../helpers/faulty-ops.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const SECOND_MS = 1_000;
/** Longer than the kernel takes for its clock of files to move on. */
const TICK_MS = 20;
const clock = createClock();

function createLocks(folder: string, ops?: Parameters<typeof createFiles>[0]) {
  return createFileLocks({ files: createFiles(ops), clock, folder });
}

async function mustTake(folder: string): Promise<Lock> {
  const lock = await createLocks(folder).take("dream", { waitMs: 0 });
  if (lock === undefined) throw new Error("the lock is taken");
  onTestFinished(() => lock.release());
  return lock;
}

/** Sets the heart-beat of the lock `dream` relative to now. */
function stamp(folder: string, offsetMs: number): void {
  const at = (Date.now() + offsetMs) / SECOND_MS;
  utimesSync(`${folder}/dream.lock`, at, at);
}

describe("a lock", () => {
  it("is made on an empty home, held, released and free again", async () => {
    const folder = createTempFolder().at("not/made/yet");
    const lock = await mustTake(folder);

    expect(lock.held()).toBe(true);
    await lock.release();
    await lock.release();

    expect(lock.held()).toBe(false);
    expect((await mustTake(folder)).held()).toBe(true);
  });

  it("is refused to a second taker, at once or after its wait", async () => {
    const folder = createTempFolder().path;
    await mustTake(folder);
    const waits = createManualClock();
    const patient = createFileLocks({ files: createFiles(), clock: waits, folder });

    expect(await createLocks(folder).take("dream", { waitMs: 0 })).toBeUndefined();
    const waiting = patient.take("dream", { waitMs: SECOND_MS });
    const answered = waiting.then(() => waits.monotonicMs());
    while (waits.monotonicMs() < 2 * SECOND_MS) await waits.advance(50);

    expect(await waiting).toBeUndefined();
    expect(await answered).toBeGreaterThanOrEqual(SECOND_MS);
  });

  it("comes to a waiting taker when the owner releases it", async () => {
    const folder = createTempFolder().path;
    const first = await mustTake(folder);

    const waiting = createLocks(folder).take("dream", { waitMs: 5 * SECOND_MS });
    await first.release();

    const second = await waiting;
    expect(second?.held()).toBe(true);
    await second?.release();
  });

  it("is one lock for two names of one folder", async () => {
    const temp = createTempFolder();
    symlinkSync(temp.folder("locks"), temp.at("alias"));
    await mustTake(temp.at("locks"));

    expect(await createLocks(temp.at("alias")).take("dream", { waitMs: 0 })).toBeUndefined();
  });

  it("is known to be lost at once when somebody removes its folder, and the process lives", async () => {
    const folder = createTempFolder().path;
    const lock = await mustTake(folder);

    rmdirSync(`${folder}/dream.lock`);

    expect(lock.held()).toBe(false);
    await lock.release();
  });

  it("is not held by two: the later owner wins and the earlier one's release leaves it alone", async () => {
    const folder = createTempFolder().path;
    const first = await mustTake(folder);
    rmdirSync(`${folder}/dream.lock`);
    const second = await mustTake(folder);

    expect([first.held(), second.held()]).toEqual([false, true]);
    await first.release();

    expect(second.held()).toBe(true);
  });

  it("is not kept when its token cannot be written", async () => {
    const folder = createTempFolder().path;
    const { ops } = createFaultyOps({ at: 1, fault: "ENOSPC", only: ["writeSync"] });

    const code = await createLocks(folder, ops)
      .take("dream", { waitMs: 0 })
      .then(() => undefined, systemCode);

    expect(code).toBe("ENOSPC");
    expect((await mustTake(folder)).held()).toBe(true);
  });
});

describe("a lock whose N-th file operation fails for want of descriptors", () => {
  it("is held, or free for the next taker at once, and free after its release", async () => {
    const tried = await forEveryFault({
      fault: "EMFILE",
      only: ["openSync", "readSync"],
      attempt: async (faulty) => {
        const folder = createTempFolder().path;
        const first = await createLocks(folder, faulty.ops)
          .take("dream", { waitMs: 0 })
          .catch(() => undefined);
        await first?.release();

        const second = await createLocks(folder).take("dream", { waitMs: 0 });

        expect(second?.held(), faulty.log().join()).toBe(true);
        await second?.release();
      },
    });

    expect(tried).toBeGreaterThan(3);
  });
});

describe("what a crash or a stranger left in the place of a lock", () => {
  it("is taken over once its heart-beat is older than the stale time, not before", async () => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/dream.lock`);
    let early: Lock | undefined;
    let startedAt = 0;
    // A try that a busy machine held up is too late to be refused: it is made again.
    do {
      if (early !== undefined) await early.release().then(() => mkdirSync(`${folder}/dream.lock`));
      startedAt = Date.now();
      stamp(folder, -9 * SECOND_MS);
      early = await createLocks(folder).take("dream", { waitMs: 0 });
    } while (early !== undefined && Date.now() - startedAt >= SECOND_MS);
    expect(early).toBeUndefined();

    stamp(folder, -11 * SECOND_MS);

    expect((await mustTake(folder)).held()).toBe(true);
  });

  it("is patient with the lock of the daemon, whose heart-beat is slow", async () => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/engramd.lock`);
    // Of another machine: only time tells.
    writeFileSync(`${folder}/engramd.owner`, "1 x b1/pid:[1]/m9\n");
    const at = (offsetMs: number) => (Date.now() + offsetMs) / SECOND_MS;
    utimesSync(`${folder}/engramd.lock`, at(-170 * SECOND_MS), at(-170 * SECOND_MS));
    expect(await createLocks(folder).take("engramd", { waitMs: 0 })).toBeUndefined();

    utimesSync(`${folder}/engramd.lock`, at(-190 * SECOND_MS), at(-190 * SECOND_MS));
    const lock = await createLocks(folder).take("engramd", { waitMs: 0 });

    expect(lock?.held()).toBe(true);
    await lock?.release();
  });

  const HERE = { boot: "b2", ids: "pid:[1]", machine: "m1" };
  /** Nobody has this one: it is beyond the largest a kernel gives. */
  const NOBODY = 4_194_305;

  const BEGAN = startOf(createFiles(), process.pid);

  it.each([
    [
      "of an earlier boot of this machine, whatever runs under its id now",
      `${process.pid} x b1/pid:[1]/m1`,
      true,
    ],
    ["whose process is gone", `${NOBODY} x b2/pid:[1]/m1`, true],
    ["whose process lives", `${process.pid} x b2/pid:[1]/m1`, false],
    ["whose process lives and says when it began", `${process.pid} x b2/pid:[1]/m1/${BEGAN}`, false],
    // Where nothing tells when a process began, nobody is taken for another one.
    ["whose id somebody else has now", `${process.pid} x b2/pid:[1]/m1/17`, BEGAN !== ""],
    ["of another machine", `${NOBODY} x b1/pid:[1]/m2`, false],
    ["of another machine with this one's boot", `${NOBODY} x b2/pid:[1]/m2`, false],
    ["of another container", `${NOBODY} x b2/pid:[2]/m1`, false],
    ["that says nothing about itself", `${NOBODY} x //`, false],
    ["in a form nobody knows", `${NOBODY} x`, false],
  ])("knows an owner %s", async (_who, token, isDead) => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/dream.lock`);
    writeFileSync(`${folder}/dream.owner`, `${token}\n`);
    stamp(folder, -5 * SECOND_MS);

    const locks = createFileLocks({ files: createFiles(), clock, folder, space: () => HERE });
    const lock = await locks.take("dream", { waitMs: 0 });

    expect(lock !== undefined).toBe(isDead);
    await lock?.release();
  });

  it.each([
    ["11 seconds ago is left, however long an owner's lock lasts", 11, true],
    ["5 seconds ago may still get its token", 5, false],
  ])("a first lock that was taken %s", async (_, seconds, isFree) => {
    const folder = createTempFolder().path;
    // Its owner was killed before it wrote any.
    mkdirSync(`${folder}/engramd.lock`);
    const at = Date.now() / SECOND_MS - seconds;
    utimesSync(`${folder}/engramd.lock`, at, at);

    const lock = await createLocks(folder).take("engramd", { waitMs: 0 });

    expect(lock !== undefined).toBe(isFree);
    await lock?.release();
  });

  it.each([
    ["that was just taken and claimed is free as soon as its process is gone", true],
    ["that somebody has just taken under a dead one's token is left to him", false],
  ])("a lock %s", async (_, isClaimedLast) => {
    const folder = createTempFolder().path;
    const claim = () => createFiles().replace(`${folder}/dream.owner`, `${NOBODY} x b2/pid:[1]/m1\n`);
    if (!isClaimedLast) claim();
    await setTimeout(TICK_MS);
    mkdirSync(`${folder}/dream.lock`);
    // As the library leaves it: the next whole second.
    stamp(folder, SECOND_MS);
    await setTimeout(TICK_MS);
    if (isClaimedLast) claim();

    const locks = createFileLocks({ files: createFiles(), clock, folder, space: () => HERE });
    const lock = await locks.take("dream", { waitMs: 0 });

    expect(lock !== undefined).toBe(isClaimedLast);
    await lock?.release();
  });

  it("declares nobody dead where neither boot nor machine has a name", async () => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/dream.lock`);
    writeFileSync(`${folder}/dream.owner`, `${NOBODY} x /pid:[1]/\n`);
    stamp(folder, -5 * SECOND_MS);
    const space = () => ({ boot: "", ids: "pid:[1]", machine: "" });

    const locks = createFileLocks({ files: createFiles(), clock, folder, space });

    expect(await locks.take("dream", { waitMs: 0 })).toBeUndefined();
  });

  it("is taken over when its heart-beat is a year ahead, not when it is some seconds ahead", async () => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/dream.lock`);
    stamp(folder, 30 * SECOND_MS);
    expect(await createLocks(folder).take("dream", { waitMs: 0 })).toBeUndefined();

    stamp(folder, 365 * 86_400 * SECOND_MS);

    expect((await mustTake(folder)).held()).toBe(true);
  });

  it("is removed when it is a plain file", async () => {
    const folder = createTempFolder().path;
    writeFileSync(`${folder}/dream.lock`, "");

    expect((await mustTake(folder)).held()).toBe(true);
  });

  it("is removed with the files that strayed into it once it is stale", async () => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/dream.lock`);
    writeFileSync(`${folder}/dream.lock/.DS_Store`, "x");
    stamp(folder, -11 * SECOND_MS);

    expect((await mustTake(folder)).held()).toBe(true);
  });

  it("is reported when it cannot be removed: a link, or a folder of folders", async () => {
    const temp = createTempFolder();
    symlinkSync(temp.folder("elsewhere"), temp.at("dream.lock"));
    temp.folder("second/dream.lock/inner");
    stamp(temp.at("second"), -11 * SECOND_MS);

    for (const folder of [temp.path, temp.at("second")]) {
      await expect(createLocks(folder).take("dream", { waitMs: 0 })).rejects.toMatchObject({
        code: "lock-blocked",
        disposition: "retry",
      });
    }
    expect(readdirSync(temp.at("second/dream.lock"))).toEqual(["inner"]);
  });

  it.each([
    ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
    ["a huge file", (path: string) => execFileSync("truncate", ["-s", "1G", path])],
    ["a link", (path: string) => symlinkSync("/etc/passwd", path)],
  ])("may be %s instead of a token: it names nobody, and goes with the next claim", async (_, plant) => {
    const folder = createTempFolder();
    const token = folder.at("dream.owner");
    plant(token);
    folder.folder("dream.lock");
    stamp(folder.path, -5 * SECOND_MS);
    expect(await createLocks(folder.path).take("dream", { waitMs: 0 })).toBeUndefined();
    stamp(folder.path, -11 * SECOND_MS);

    const lock = await mustTake(folder.path);

    expect(lock.held()).toBe(true);
    expect(lockOwner(createFiles(), { folder: folder.path, name: "dream" })).toBe(process.pid);
    rmSync(token);
    folder.write("dream.owner", "x".repeat(1_000));
    expect(lock.held()).toBe(false);
  });

  it("is reported when a folder has the token's place", async () => {
    const folder = createTempFolder();
    folder.folder("dream.owner");

    await expect(createLocks(folder.path).take("dream", { waitMs: 0 })).rejects.toMatchObject({
      code: "lock-blocked",
      message: expect.stringContaining("dream.owner"),
    });
    expect(existsSync(folder.at("dream.lock"))).toBe(false);
  });

  it("has no owner that a person could be told of when nobody lives who took it", () => {
    const folder = createTempFolder();
    const owner = () => lockOwner(createFiles(), { folder: folder.path, name: "dream" });
    expect(owner()).toBeUndefined();
    folder.write("dream.owner", `${process.pid} x other/pid:[1]/m9\n`);

    expect(owner()).toBeUndefined();
  });

  it("does not stop the release of a lock a file strayed into", async () => {
    const folder = createTempFolder().path;
    const lock = await mustTake(folder);
    writeFileSync(`${folder}/dream.lock/.DS_Store`, "x");

    await lock.release();

    expect(readdirSync(folder)).toEqual(["dream.owner"]);
  });

  it("is watched before a take-over is believed: a robbed taker goes away empty-handed", async () => {
    const folder = createTempFolder().path;
    mkdirSync(`${folder}/dream.lock`);
    stamp(folder, -11 * SECOND_MS);
    const waits = createManualClock();
    const taking = createFileLocks({ files: createFiles(), clock: waits, folder }).take("dream", {
      waitMs: 0,
    });
    while (waits.pendingTimers() === 0) await new Promise((resolve) => setImmediate(resolve));

    // A process that saw the same stale lock removes ours and makes its own.
    rmdirSync(`${folder}/dream.lock`);
    const thief = await mustTake(folder);
    await waits.advance(SECOND_MS);

    expect(await taking).toBeUndefined();
    expect(thief.held()).toBe(true);
  });
});
