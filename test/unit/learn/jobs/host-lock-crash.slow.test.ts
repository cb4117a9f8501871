// Every file call of a taking, a success and a roll-back is the last one of its process, or fails; then the next process starts.
import { describe, expect, it } from "vitest";
import { folderIdOf } from "../../../../src/memory/journal/folder-id.ts";
import { inMemory } from "../../../crash/world.ts";
import { forEveryFault } from "../../../helpers/faulty-ops.ts";
import type { FaultyOps } from "../../../helpers/faulty-ops.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import type { Bench } from "./holds-bench.ts";
import { createHoldsBench, DEAD, ENGRAMD, HOST, HOUR_MS, MINUTE_MS, mustHold } from "./holds-bench.ts";

/** How the folder was before. */
const PRIORS = {
  "no lock": () => undefined,
  "a consolidation of 30 hours ago": (world: Bench) => world.plant("", 30 * HOUR_MS),
  "the lock of a host that died 10 minutes ago": (world: Bench) => world.plant(String(DEAD), 10 * MINUTE_MS),
} as const;
const ENDS = ["succeed", "rollBack"] as const;
const NEXT = 4_100_009;

const cases = Object.entries(PRIORS).flatMap(([prior, plant]) => ENDS.map((end) => ({ prior, plant, end })));

/** Answers whether the work got as far as its last line. */
async function work(world: Bench, { faulty, end }: { faulty: FaultyOps; end: (typeof ENDS)[number] }) {
  const engramd = world.start({ ops: faulty.ops });
  try {
    const hold = await mustHold(engramd.take());
    await world.clock.advance(MINUTE_MS);
    try {
      hold.assertOurs();
      await hold[end]();
    } catch (error) {
      await hold.rollBack();
      throw error;
    }
  } catch (error) {
    if (!faulty.fired()) throw error;
  }
  return engramd;
}

function expectEnded(world: Bench, before: ReturnType<Bench["lock"]>, takenAt: number): void {
  const { stamps, holds } = world.start({ pid: NEXT });
  const isDone = stamps.lastRun(folderIdOf(world.memoryDir)) === "run-1";
  const lock = world.lock();
  if (isDone) expect(lock).toEqual({ body: "", mtimeMs: takenAt });
  else expect(lock?.mtimeMs).toBe(before?.mtimeMs);
  // Untouched, or taken and rolled back.
  if (!isDone && lock !== undefined) expect(["", before?.body]).toContain(lock.body);
  expect(holds.lastSuccessAt(world.memoryDir)).toBe(isDone ? takenAt : before?.mtimeMs);
  expect(world.records()).toEqual([]);
}

describe.each(cases)("after $prior, $end", ({ plant, end }) => {
  it("killed at every call is ended once by the next start, and never again", async () => {
    const tried = await forEveryFault({
      fault: "kill",
      async attempt(faulty) {
        const world = createHoldsBench(inMemory(createTempFolder));
        plant(world);
        const [before, takenAt] = [world.lock(), world.clock.now()];
        await (await work(world, { faulty, end })).die();
        world.alive.delete(ENGRAMD);
        const next = world.start({ pid: NEXT });
        // Before anything was mended the time is known already.
        const known = next.holds.lastSuccessAt(world.memoryDir);

        const ended = await next.holds.recover();

        expectEnded(world, before, takenAt);
        expect(next.holds.lastSuccessAt(world.memoryDir)).toBe(known);
        expect(ended.length).toBeLessThanOrEqual(1);
        world.plant(String(HOST), 0);
        expect(await next.holds.recover()).toEqual([]);
        expect(world.lock()?.body).toBe(String(HOST));
      },
    });
    expect(tried).toBeGreaterThan(20);
  });

  it("killed at every call is ended by the next taking, which then begins", async () => {
    await forEveryFault({
      fault: "kill",
      async attempt(faulty) {
        const world = createHoldsBench(inMemory(createTempFolder));
        plant(world);
        const [before, takenAt] = [world.lock(), world.clock.now()];
        await (await work(world, { faulty, end })).die();
        world.alive.delete(ENGRAMD);
        world.alive.add(NEXT);
        const next = world.start({ pid: NEXT });
        const hold = await mustHold(next.take({ run: "run-2" }));
        expect(world.lock()?.body).toBe(String(NEXT));

        await hold.rollBack();

        expectEnded(world, before, takenAt);
      },
    });
  });

  it.each(["EIO", "ENOSPC"])("with %s at every call leaves it as before, or done", async (fault) => {
    await forEveryFault({
      fault,
      async attempt(faulty) {
        const world = createHoldsBench(inMemory(createTempFolder));
        plant(world);
        const [before, takenAt] = [world.lock(), world.clock.now()];
        const engramd = await work(world, { faulty, end });
        // What could not be undone then is undone with the next look.
        await engramd.holds.recover();

        expectEnded(world, before, takenAt);
        await engramd.die();
      },
    });
  });
});
