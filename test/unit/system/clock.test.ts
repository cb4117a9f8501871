import { describe, expect, it } from "vitest";
import { createClock, wait } from "../../../src/system/clock.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";

describe("waiting", () => {
  it("ends with its time", async () => {
    const clock = createManualClock();
    let ended = false;
    const waiting = wait(clock, 100).then(() => (ended = true));

    await clock.advance(99);
    expect(ended).toBe(false);
    await clock.advance(1);

    await waiting;
    expect(ended).toBe(true);
  });

  it("ends at once when its signal aborts, before or meanwhile, and leaves no timer", async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const waiting = wait(clock, 1_000_000, abort.signal);

    abort.abort();

    await waiting;
    await wait(clock, 1_000_000, abort.signal);
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe("the real clock", () => {
  it("fires a timer beyond the longest possible one early rather than at once", async () => {
    const clock = createClock();
    let fired = false;
    // Above 2^31 ms Node would fire after 1 ms.
    const timer = clock.setTimer(3_000_000_000, () => (fired = true));

    const before = clock.monotonicMs();
    await new Promise<void>((resolve) => clock.setTimer(20, resolve));
    timer.cancel();

    expect(fired).toBe(false);
    expect(clock.monotonicMs()).toBeGreaterThan(before);
  });

  it("lets the event loop take a turn", async () => {
    let turned = false;
    setImmediate(() => (turned = true));

    await createClock().yield();

    expect(turned).toBe(true);
  });
});
