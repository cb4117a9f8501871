import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemCode } from "../../../../src/domain/errors.ts";
import { folderIdOf } from "../../../../src/memory/journal/folder-id.ts";
import { checkLeaks } from "../../../helpers/leak-check.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createHoldsBench, DEAD, ENGRAMD, HOST, HOUR_MS, MINUTE_MS, mustHold } from "./holds-bench.ts";

checkLeaks();
const bench = () => createHoldsBench(createTempFolder());
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => systemCode(error),
  );

describe("taking a folder", () => {
  it("without a lock file makes one with our id, and rolled back removes it again (reference 17)", async () => {
    const world = bench();
    const hold = await mustHold(world.start().take());
    expect(world.lock()).toEqual({ body: String(ENGRAMD), mtimeMs: world.clock.now() });

    await hold.rollBack();

    expect(world.lock()).toBeUndefined();
    expect(world.records()).toEqual([]);
  });

  it("after a consolidation and rolled back leaves its time and an empty body (reference 17)", async () => {
    const world = bench();
    world.plant(String(DEAD), 30 * HOUR_MS);
    const before = world.lock();
    const hold = await mustHold(world.start().take());
    await world.clock.advance(20 * MINUTE_MS);

    await hold.rollBack();

    expect(world.lock()).toEqual({ body: "", mtimeMs: before?.mtimeMs });
  });

  it("and failing leaves our stamp as it was (fault 57)", async () => {
    const world = bench();
    const engramd = world.start();
    await (await mustHold(engramd.take())).succeed();
    const [stampedAt, before] = [world.clock.now(), world.lock()];
    await world.clock.advance(HOUR_MS);

    await (await mustHold(engramd.take({ run: "run-2" }))).rollBack();

    expect(engramd.stamps.lastSuccessAt(folderIdOf(world.memoryDir))).toBe(stampedAt);
    expect(world.lock()).toEqual(before);
  });

  it("and succeeding clears the body and keeps the time it began", async () => {
    const world = bench();
    const engramd = world.start();
    const takenAt = world.clock.now();
    const hold = await mustHold(engramd.take());
    await world.clock.advance(20 * MINUTE_MS);
    hold.assertOurs();

    await hold.succeed();

    expect(world.lock()).toEqual({ body: "", mtimeMs: takenAt });
    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBe(takenAt);
    expect(world.records()).toEqual([]);
    await (await mustHold(engramd.take())).rollBack();
  });

  it.each([
    ["of a living host, 10 minutes old, is refused", String(HOST), 10, 50 * MINUTE_MS],
    ["of a dead host, 10 minutes old, is free (reference 17)", String(DEAD), 10, undefined],
    ["of a living host, 61 minutes old, is free (reference 17)", String(HOST), 61, undefined],
    ["with a body that is no process id is free", "12 monkeys", 1, undefined],
    [
      "with our own id and no work of ours is free: the id was given to us since",
      String(ENGRAMD),
      1,
      undefined,
    ],
    ["a day ahead of the clock is free", String(HOST), -24 * 60, undefined],
  ])("%s", async (_name, body, ageMinutes, untilMs) => {
    const world = bench();
    world.plant(body, ageMinutes * MINUTE_MS);
    const before = world.lock();

    const answer = await world.start().take();

    if (untilMs === undefined) {
      expect(answer).toHaveProperty("hold");
      if ("hold" in answer) await answer.hold.rollBack();
      return;
    }
    expect(answer).toEqual({ blocked: "locked", until: world.clock.now() + untilMs });
    expect(world.lock()).toEqual(before);
  });

  it.each([DEAD, ENGRAMD])("where ids are of other machines believes id %i for an hour", async (pid) => {
    const world = bench();
    world.plant(String(pid), 59 * MINUTE_MS);
    const elsewhere = world.start({ reaches: false });
    expect(await elsewhere.take()).toMatchObject({ blocked: "locked" });

    await world.clock.advance(2 * MINUTE_MS);

    await (await mustHold(elsewhere.take())).rollBack();
  });

  it("is for one job of a process at a time, although they have one process id (fault 56)", async () => {
    const world = bench();
    const engramd = world.start();
    const [first, second] = await Promise.all([
      engramd.take(),
      engramd.take({ kind: "distill", run: "run-2" }),
    ]);
    expect("hold" in first).toBe(true);
    expect(second).toMatchObject({ blocked: "locked" });

    if ("hold" in first) await first.hold.rollBack();

    await (await mustHold(engramd.take({ run: "run-3" }))).rollBack();
  });

  it("is for one engramd at a time, whose state folder they share", async () => {
    const world = bench();
    const hold = await mustHold(world.start().take());

    expect(await world.start({ pid: DEAD }).take()).toMatchObject({ blocked: "locked" });

    await hold.rollBack();
  });

  it("that is not there, or led to by a link, is refused and nothing is made", async () => {
    const world = bench();
    symlinkSync(world.memoryDir, world.temp.at("alias"));
    const { take } = world.start();

    expect(await codeOf(take({ memoryDir: world.temp.at("gone") }))).toBe("memory-missing");
    expect(await codeOf(take({ memoryDir: world.temp.at("alias") }))).toBe("folder-swapped");

    expect(readdirSync(world.memoryDir)).toEqual([]);
    expect(readdirSync(join(world.stateDir, "locks")).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });
});

describe("what lies in the lock's place and is none", () => {
  it.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
    ["a link to a file", (path: string) => symlinkSync("target", path)],
    ["a link that leads nowhere", (path: string) => symlinkSync("nowhere", path)],
    ["a huge file", (path: string) => writeFileSync(path, Buffer.alloc(5_000, "1"))],
  ])("%s is a clear reason, and stays", async (_name, plant) => {
    const world = bench();
    writeFileSync(join(world.memoryDir, "target"), "17");
    plant(world.lockPath);
    const before = world.temp.tree();
    const { holds, take } = world.start();

    expect(await codeOf(take())).toBe("lock-blocked");

    expect(holds.lastSuccessAt(world.memoryDir)).toBeUndefined();
    expect(world.temp.tree().filter((name) => name.startsWith("memory/"))).toEqual(
      before.filter((name) => name.startsWith("memory/")),
    );
    expect(readFileSync(join(world.memoryDir, "target"), "utf8")).toBe("17");
    expect(world.records()).toEqual([]);
  });
});

describe("a hold", () => {
  it("is lost to a host that wrote its id, whose lock is left alone", async () => {
    const world = bench();
    world.plant("", 30 * HOUR_MS);
    const engramd = world.start();
    const hold = await mustHold(engramd.take());
    world.plant(String(HOST), 0);

    expect(() => hold.assertOurs()).toThrow(expect.objectContaining({ code: "consolidation-lost" }));
    expect(hold.lost.aborted).toBe(true);
    expect(await codeOf(hold.succeed())).toBe("consolidation-lost");
    await hold.rollBack();

    expect(world.lock()).toEqual({ body: String(HOST), mtimeMs: world.clock.now() });
    expect(world.records()).toEqual([]);
    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBeUndefined();
  });

  it("whose lock a host has just emptied to write in it is lost, and the file is left to the host", async () => {
    const world = bench();
    const hold = await mustHold(world.start().take());
    world.plant("", 0);

    await hold.rollBack();

    expect(world.lock()).toEqual({ body: "", mtimeMs: world.clock.now() });
  });

  it("is not given while a host that was just about to write does so", async () => {
    const world = bench();
    const taking = world.start({ settleMs: 500 }).take();
    while (world.clock.pendingTimers() === 0) await world.clock.advance(0);
    world.plant(String(HOST), 0);
    await world.clock.advance(500);

    expect(await taking).toMatchObject({ blocked: "locked" });

    expect(world.lock()?.body).toBe(String(HOST));
    expect(world.records()).toEqual([]);
  });

  it("ends once: a person's cancel, the error it makes and a late success are one roll-back (reference 17)", async () => {
    const world = bench();
    world.plant("", 30 * HOUR_MS);
    const engramd = world.start();
    const hold = await mustHold(engramd.take());

    await Promise.all([hold.rollBack(), hold.rollBack()]);
    world.plant(String(HOST), 0);
    await hold.rollBack();
    await hold.succeed();

    expect(world.lock()?.body).toBe(String(HOST));
    expect(engramd.stamps.lastSuccessAt(folderIdOf(world.memoryDir))).toBeUndefined();
    expect(() => hold.assertOurs()).toThrow(expect.objectContaining({ code: "consolidation-lost" }));
  });

  it("that succeeded is not rolled back any more", async () => {
    const world = bench();
    const engramd = world.start();
    const hold = await mustHold(engramd.take());
    await hold.succeed();

    await hold.rollBack();

    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBe(world.clock.now());
  });

  it("whose lock folder was removed may not commit, and is rolled back all the same (fault 45)", async () => {
    const world = bench();
    world.plant("", 30 * HOUR_MS);
    const before = world.lock();
    const engramd = world.start();
    const hold = await mustHold(engramd.take());
    for (const name of readdirSync(join(world.stateDir, "locks"))) {
      if (name.endsWith(".lock")) rmSync(join(world.stateDir, "locks", name), { recursive: true });
    }

    expect(() => hold.assertOurs()).toThrow(expect.objectContaining({ code: "consolidation-lost" }));
    // Its job still tidies up.
    expect(await engramd.take({ run: "run-2" })).toMatchObject({ blocked: "locked" });
    await hold.rollBack();

    expect(world.lock()).toEqual(before);
    expect(world.records()).toEqual([]);
  });

  it("of a process that was blocked while another took over may not commit, and leaves the other's alone (fault 46)", async () => {
    const world = bench();
    world.plant("", 30 * HOUR_MS);
    const before = world.lock();
    const blocked = await mustHold(world.start().take());
    const locks = join(world.stateDir, "locks");
    const [name = ""] = readdirSync(locks).filter((each) => each.endsWith(".lock"));
    utimesSync(join(locks, name), 1, 1);
    const thief = world.start({ pid: HOST });
    const taking = thief.take({ run: "run-2" });
    while (world.clock.pendingTimers() === 0) await world.clock.advance(0);
    await world.clock.advance(HOUR_MS);
    const hold = await mustHold(taking);
    const taken = world.lock();

    expect(() => blocked.assertOurs()).toThrow(expect.objectContaining({ code: "consolidation-lost" }));
    await blocked.rollBack();

    expect(world.lock()).toEqual(taken);
    hold.assertOurs();
    await hold.rollBack();
    expect(world.lock()).toEqual(before);
  });

  it("does not count as a success of anybody while it lasts", async () => {
    const world = bench();
    world.plant("", 30 * HOUR_MS);
    const engramd = world.start();
    const before = engramd.holds.lastSuccessAt(world.memoryDir);
    expect(before).toBe(world.clock.now() - 30 * HOUR_MS);

    const hold = await mustHold(engramd.take());

    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBe(before);
    await hold.rollBack();
  });
});

describe("when a folder was consolidated last", () => {
  it("is what the host's lock tells, but for one that a living host holds", () => {
    const world = bench();
    const { holds } = world.start();
    expect(holds.lastSuccessAt(world.memoryDir)).toBeUndefined();
    world.plant(String(HOST), 59 * MINUTE_MS);
    expect(holds.lastSuccessAt(world.memoryDir)).toBeUndefined();

    world.plant(String(HOST), 61 * MINUTE_MS);

    expect(holds.lastSuccessAt(world.memoryDir)).toBe(world.clock.now() - 61 * MINUTE_MS);
  });

  it("is the newer of the host's time and our stamp", async () => {
    const world = bench();
    const engramd = world.start();
    await (await mustHold(engramd.take())).succeed();
    const ours = world.clock.now();
    await world.clock.advance(HOUR_MS);
    world.plant("", 2 * HOUR_MS);
    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBe(ours);

    world.plant("", HOUR_MS / 2);

    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBe(world.clock.now() - HOUR_MS / 2);
  });

  it("is now at most after a clock was set back two hours, and unknown with one warning when it is of next year (B45a, fault 52)", async () => {
    const world = bench();
    const engramd = world.start();
    await (await mustHold(engramd.take())).succeed();
    world.clock.setWall(world.clock.now() - 2 * HOUR_MS);
    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBe(world.clock.now());

    world.clock.setWall(world.clock.now() - 400 * 24 * HOUR_MS);

    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBeUndefined();
    expect(engramd.holds.lastSuccessAt(world.memoryDir)).toBeUndefined();
    expect(world.warnings).toEqual(["stamp-ahead"]);
  });

  it("is unknown where the stamp is damaged, with one warning", async () => {
    const world = bench();
    const engramd = world.start();
    await (await mustHold(engramd.take())).succeed();
    world.remove();
    const [name = ""] = readdirSync(join(world.stateDir, "stamps", "consolidated"));
    writeFileSync(join(world.stateDir, "stamps", "consolidated", name), '{"v":1,"at":"soon"}');

    expect([1, 2].map(() => engramd.holds.lastSuccessAt(world.memoryDir))).toEqual([undefined, undefined]);
    expect(world.warnings).toEqual(["stamp-unreadable"]);
  });
});
