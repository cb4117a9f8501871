import { renameSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folderIdOf } from "../../../../src/memory/journal/folder-id.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createHoldsBench, ENGRAMD, HOST, HOUR_MS, MINUTE_MS, mustHold } from "./holds-bench.ts";

const NEXT = 4_100_009;

describe("what a crash left", () => {
  it("is undone by the next start, once, and counted for nothing until then (fault 10)", async () => {
    const world = createHoldsBench(createTempFolder());
    world.plant("", 30 * HOUR_MS);
    const before = world.lock();
    const engramd = world.start();
    await engramd.take();
    await world.clock.advance(MINUTE_MS);
    await engramd.die();
    world.alive.delete(ENGRAMD);
    const next = world.start({ pid: NEXT });
    expect(next.holds.lastSuccessAt(world.memoryDir)).toBe(before?.mtimeMs);

    expect(await next.holds.recover()).toEqual([world.memoryDir]);
    expect(await next.holds.recover()).toEqual([]);

    expect(world.lock()).toEqual(before);
    await (await mustHold(next.take())).rollBack();
  });

  it("is left to a host that took the lock meanwhile", async () => {
    const world = createHoldsBench(createTempFolder());
    const engramd = world.start();
    await engramd.take();
    await engramd.die();
    world.alive.delete(ENGRAMD);
    world.plant(String(HOST), 0);
    const next = world.start({ pid: NEXT });

    expect(await next.holds.recover()).toEqual([world.memoryDir]);

    expect(world.lock()?.body).toBe(String(HOST));
    expect(world.records()).toEqual([]);
    expect(next.holds.lastSuccessAt(world.memoryDir)).toBeUndefined();
  });

  it("is not mistaken for the lock of a host that has our former process id", async () => {
    const world = createHoldsBench(createTempFolder());
    const engramd = world.start();
    await engramd.take();
    await engramd.die();
    await world.clock.advance(HOUR_MS);
    world.plant(String(ENGRAMD), 0);

    await world.start({ pid: NEXT }).holds.recover();

    expect(world.lock()).toEqual({ body: String(ENGRAMD), mtimeMs: world.clock.now() });
  });

  it("is kept for a folder that is away, and mended when it is back", async () => {
    const world = createHoldsBench(createTempFolder());
    const engramd = world.start();
    await engramd.take();
    await engramd.die();
    renameSync(world.memoryDir, world.temp.at("unplugged"));
    const next = world.start({ pid: NEXT });
    expect(await next.holds.recover()).toEqual([]);

    renameSync(world.temp.at("unplugged"), world.memoryDir);

    expect(await next.holds.recover()).toEqual([world.memoryDir]);
    expect(world.lock()).toBeUndefined();
  });

  it("and is damaged costs a warning, and no start", async () => {
    const world = createHoldsBench(createTempFolder());
    world.temp.write(`state/consolidating/${folderIdOf(world.memoryDir)}.json`, '{"v":1,"memoryDir":"/');

    expect(await world.start().holds.recover()).toEqual([]);

    expect(world.warnings).toEqual(["consolidating-unreadable"]);
    expect(world.records()).toEqual([]);
  });
});
