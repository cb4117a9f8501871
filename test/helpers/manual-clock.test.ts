import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { wait } from "../../src/system/clock.ts";
import { createManualClock } from "./manual-clock.ts";
import { createTempFolder } from "./temp-folder.ts";

describe("the manual clock", () => {
  it("fires timers in order of their time, then of their making", async () => {
    const clock = createManualClock();
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push("late"));
    clock.setTimer(10, () => fired.push("first"));
    clock.setTimer(10, () => fired.push("second"));

    await clock.advance(19);
    expect(fired).toEqual(["first", "second"]);

    await clock.advance(1);
    expect(fired).toEqual(["first", "second", "late"]);
  });

  it("shows each timer the time it was due", async () => {
    const clock = createManualClock({ startAt: 1_000 });
    const seen: number[] = [];
    clock.setTimer(5, () => seen.push(clock.now(), clock.monotonicMs()));

    await clock.advance(100);

    expect(seen).toEqual([1_005, 5]);
    expect(clock.now()).toBe(1_100);
  });

  it("follows a chain of waits inside one advance", async () => {
    const clock = createManualClock();
    let rounds = 0;
    const chain = (async () => {
      for (; rounds < 5; rounds++) await wait(clock, 10);
    })();

    await clock.advance(50);

    await chain;
    expect(rounds).toBe(5);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("waits for files that are asked for something, however slow they are", async () => {
    const clock = createManualClock();
    const folder = createTempFolder();
    let text = "";
    clock.setTimer(10, () => {
      void (async () => {
        for (let at = 0; at < 50; at += 1) await writeFile(folder.at(`f${at}`), "x".repeat(100_000));
        text = await readFile(folder.at("f49"), "utf8");
      })();
    });

    await clock.advance(10);

    expect(text).toHaveLength(100_000);
  });

  it("does not fire a cancelled timer", async () => {
    const clock = createManualClock();
    let fired = false;
    clock.setTimer(10, () => (fired = true)).cancel();

    await clock.advance(20);

    expect(fired).toBe(false);
  });

  it("lets wall and monotonic time drift apart, as a suspend does", async () => {
    const clock = createManualClock({ startAt: 0 });
    let fired = false;
    clock.setTimer(1_000, () => (fired = true));

    clock.setWall(8 * 3_600_000);
    await clock.advance(999);
    expect(fired).toBe(false);
    expect(clock.now()).toBe(8 * 3_600_000 + 999);

    clock.skipMonotonic(60_000);
    await clock.advance(0);
    expect(fired).toBe(true);
  });

  it("fails instead of hanging when a timer of no length renews itself for ever", async () => {
    const clock = createManualClock();
    // Fires at once and again: only a bound ends this.
    const renew = () => void clock.setTimer(0, renew);
    renew();

    await expect(clock.advance(1)).rejects.toThrow("endless loop");
  });
});
