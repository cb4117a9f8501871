import { describe, expect, it } from "vitest";
import { createDebounce } from "../../../../src/intake/watch/debounce.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const QUIET = { quietMs: 30_000, maxWaitMs: 600_000 };

function setUp(options: { keysMax?: number } = {}) {
  const clock = createManualClock();
  const fired: { key: string; reason: string; atMs: number }[] = [];
  const debounce = createDebounce({
    clock,
    fire: (key, reason) => fired.push({ key, reason, atMs: clock.monotonicMs() }),
    ...options,
  });
  return { clock, fired, debounce };
}

describe("quiet", () => {
  it("fires once, after the last touch has been quiet long enough (W10, fault 28)", async () => {
    const { clock, fired, debounce } = setUp();
    for (let event = 0; event < 3; event++) debounce.touch("a", QUIET);
    await clock.advance(20_000);
    for (let event = 0; event < 3; event++) debounce.touch("a", QUIET);

    await clock.advance(29_999);
    expect(fired).toEqual([]);
    await clock.advance(600_000);

    expect(fired).toEqual([{ key: "a", reason: "quiet", atMs: 50_000 }]);
  });

  it("keeps keys apart, however they are named", async () => {
    const { clock, fired, debounce } = setUp();
    debounce.touch("__proto__", { quietMs: 20, maxWaitMs: 100 });
    debounce.touch("constructor", { quietMs: 10, maxWaitMs: 100 });

    await clock.advance(100);

    expect(fired.map(({ key, atMs }) => [key, atMs])).toEqual([
      ["constructor", 10],
      ["__proto__", 20],
    ]);
  });

  it("is not stretched by a wall clock that is set back, nor cut by one set forward (B45b)", async () => {
    const { clock, fired, debounce } = setUp();
    debounce.touch("a", QUIET);

    clock.setWall(clock.now() - 3_600_000);
    await clock.advance(29_999);
    clock.setWall(clock.now() + 7_200_000);
    expect(fired).toEqual([]);
    await clock.advance(1);

    expect(fired).toHaveLength(1);
  });

  it("takes the newest wish: a key that asks for less quiet fires earlier", async () => {
    const { clock, fired, debounce } = setUp();
    debounce.touch("a", QUIET);
    debounce.touch("a", { quietMs: 1_000, maxWaitMs: 2_000 });

    await clock.advance(1_000);

    expect(fired).toHaveLength(1);
  });
});

describe("maximum wait", () => {
  it("ends a wait that is touched every 100 ms for ten minutes (Q15, W5, fault 29)", async () => {
    const { clock, fired, debounce } = setUp();
    const quiet = { quietMs: 20_000, maxWaitMs: 120_000 };

    for (let touched = 0; touched < 6_000; touched++) {
      debounce.touch("a", quiet);
      clock.skipMonotonic(100);
      if (touched % 100 === 0) await clock.advance(0);
    }

    expect(fired.length).toBeGreaterThanOrEqual(4);
    expect(new Set(fired.map(({ reason }) => reason))).toEqual(new Set(["max-wait"]));
  });
});

describe("fire now", () => {
  it("ends the wait at once and does not fire again", async () => {
    const { clock, fired, debounce } = setUp();
    debounce.touch("a", QUIET);

    debounce.fireNow("a");
    await clock.advance(600_000);

    expect(fired).toEqual([{ key: "a", reason: "now", atMs: 0 }]);
  });

  it("fires for a key that was not waiting", () => {
    const { fired, debounce } = setUp();

    debounce.fireNow("a");

    expect(fired).toHaveLength(1);
  });
});

describe("what it holds", () => {
  it("tells when a key is due, as a date", async () => {
    const { clock, debounce } = setUp();
    debounce.touch("a", QUIET);
    await clock.advance(10_000);

    expect(debounce.dueAt("a")).toBe(clock.now() + 20_000);
    expect(debounce.dueAt("b")).toBeUndefined();
  });

  it("needs one timer for any number of keys, and none when it is empty", async () => {
    const { clock, debounce } = setUp();
    for (let key = 0; key < 1_000; key++) debounce.touch(`${key}`, QUIET);
    expect(clock.pendingTimers()).toBe(1);

    await clock.advance(30_000);

    expect([debounce.size(), clock.pendingTimers()]).toEqual([0, 0]);
  });

  it("is bounded: beyond the bound the key that waits longest goes at once", () => {
    const { fired, debounce } = setUp({ keysMax: 2 });

    for (const key of ["a", "b", "a", "c"]) debounce.touch(key, QUIET);

    expect(debounce.size()).toBe(2);
    expect(fired.map(({ key, reason }) => [key, reason])).toEqual([["a", "now"]]);
  });

  it("is empty after stop, for good", async () => {
    const { clock, fired, debounce } = setUp();
    debounce.touch("a", QUIET);

    debounce.stop();
    debounce.touch("b", QUIET);
    debounce.fireNow("c");
    await clock.advance(600_000);

    expect(fired).toEqual([]);
    expect([debounce.size(), clock.pendingTimers()]).toEqual([0, 0]);
  });

  it("still serves the other keys when firing one throws", async () => {
    const clock = createManualClock();
    const fired: string[] = [];
    const debounce = createDebounce({
      clock,
      fire(key) {
        fired.push(key);
        if (key === "bad") throw new Error("no");
      },
    });
    debounce.touch("bad", { quietMs: 10, maxWaitMs: 10 });
    debounce.touch("good", { quietMs: 20, maxWaitMs: 20 });

    await expect(clock.advance(10)).rejects.toThrow("no");
    await clock.advance(10);

    expect(fired).toEqual(["bad", "good"]);
  });
});
