// How checks are run: bounded, apart from each other, mended only where they say how.
import { describe, expect, it } from "vitest";
import type { Check } from "../../../../../src/serve/answers/doctor/check.ts";
import { ok, warn } from "../../../../../src/serve/answers/doctor/check.ts";
import { examine } from "../../../../../src/serve/answers/doctor/examine.ts";
import { CHECKS } from "../../../../../src/serve/answers/doctor/index.ts";
import { createManualClock } from "../../../../helpers/manual-clock.ts";
import { createMachine } from "./fixture.ts";

const FINE: Check = { code: "fine", look: () => ok("all is well") };
const THROWS: Check = {
  code: "throws",
  look() {
    throw new Error("the disk is on fire");
  },
};

describe("the doctor", () => {
  it("makes a failing check its own finding and goes on", async () => {
    const { facts } = createMachine();

    const { checks } = await examine({ checks: [THROWS, FINE], facts, fix: false });

    expect(checks.map(({ code, state }) => [code, state])).toEqual([
      ["throws", "fail"],
      ["fine", "ok"],
    ]);
    expect(checks[0]?.message).toContain("the disk is on fire");
  });

  it("does not wait for a check that never answers", async () => {
    const clock = createManualClock();
    const { facts } = createMachine({ clock });
    const silent: Check = { code: "silent", look: () => new Promise(() => undefined) };

    const asked = examine({ checks: [silent, FINE], facts, fix: false });
    await clock.advance(10_000);

    const { checks } = await asked;
    expect(checks.map(({ state }) => state)).toEqual(["fail", "ok"]);
  });

  it("mends nothing unless it is asked to, and says what it did when it is", async () => {
    let broken = true;
    const check: Check = {
      code: "broken",
      look: () => (broken ? warn("it is broken", "mend it") : ok("it works")),
      mend() {
        broken = false;
        return ["mended it"];
      },
    };
    const { facts } = createMachine();

    const before = await examine({ checks: [check], facts, fix: false });
    const after = await examine({ checks: [check], facts, fix: true });

    expect(before.checks).toMatchObject([{ state: "warn", did: [] }]);
    expect(after.checks).toMatchObject([{ state: "ok", message: "it works", did: ["mended it"] }]);
  });

  it("tells of a mend that failed", async () => {
    const check: Check = {
      code: "stuck",
      look: () => warn("it is stuck", "pull"),
      mend() {
        throw new Error("too heavy");
      },
    };
    const { facts } = createMachine();

    const { checks } = await examine({ checks: [check], facts, fix: true });

    expect(checks).toMatchObject([{ code: "stuck", state: "fail", did: [] }]);
    expect(checks[0]?.message).toContain("too heavy");
  });

  it("finds nothing wrong on a machine where nothing is, but that no daemon runs", async () => {
    const { facts } = createMachine();

    const { checks } = await examine({ checks: CHECKS, facts, fix: false });

    expect(checks.filter(({ state }) => state !== "ok").map(({ code }) => code)).toEqual(["daemon"]);
    expect(new Set(checks.map(({ code }) => code)).size).toBe(checks.length);
  });
});
