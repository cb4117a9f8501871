import { describe, expect, it } from "vitest";
import { createKeptAnswer } from "../../../src/serve/control/kept-answer.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";

/** An answer that takes `costMs` of the clock and counts how often it was made. */
function createAnswer(costMs: number) {
  const clock = createManualClock();
  const kept = createKeptAnswer(clock);
  let made = 0;
  const ask = () =>
    kept.text(async () => {
      clock.skipMonotonic(costMs);
      return `answer ${(made += 1)}`;
    });
  return { clock, kept, ask };
}

describe("an answer that is kept", () => {
  it("is made again after twenty times what it cost", async () => {
    const { clock, ask } = createAnswer(10);

    expect(await ask()).toBe("answer 1");
    clock.skipMonotonic(199);
    expect(await ask()).toBe("answer 1");
    clock.skipMonotonic(1);
    expect(await ask()).toBe("answer 2");
  });

  it("is not kept when it costs nothing", async () => {
    const { ask } = createAnswer(0);

    await ask();

    expect(await ask()).toBe("answer 2");
  });

  it("is never older than a second", async () => {
    const { clock, ask } = createAnswer(5_000);
    await ask();

    clock.skipMonotonic(1_000);

    expect(await ask()).toBe("answer 2");
  });

  it("is forgotten when something was changed", async () => {
    const { kept, ask } = createAnswer(10);
    await ask();

    kept.forget();

    expect(await ask()).toBe("answer 2");
  });

  it("is made once for all who ask at the same time", async () => {
    const { ask } = createAnswer(10);

    expect(await Promise.all([ask(), ask(), ask()])).toEqual(["answer 1", "answer 1", "answer 1"]);
  });

  it("that failed is tried again", async () => {
    const kept = createKeptAnswer(createManualClock());

    await expect(kept.text(() => Promise.reject(new Error("no")))).rejects.toThrow("no");

    expect(await kept.text(async () => "yes")).toBe("yes");
  });
});
