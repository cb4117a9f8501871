import { describe, expect, it } from "vitest";
import { readCron } from "../../../src/system/cron-pattern.ts";
import { createEmitter } from "../../../src/system/emitter.ts";
import { scheduleOf } from "../../../src/system/schedule.ts";
import { createScheduler } from "../../../src/system/scheduler.ts";
import { createWakeWatch } from "../../../src/system/wake.ts";
import type { ManualClock } from "../../helpers/manual-clock.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import { BERLIN, UTC, zoneNamed } from "../../helpers/time-zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
const at = (text: string) => Date.parse(text);
const nightly = scheduleOf(readCron("30 2 * * *"));

describe("a schedule", () => {
  it.each([
    ["*/20 * * * *", "2026-05-04T09:00:00Z", "2026-05-04T09:20:00.000Z"],
    ["*/20 * * * *", "2026-05-04T09:59:59Z", "2026-05-04T10:00:00.000Z"],
    ["0 3 * * *", "2026-05-04T09:00:00Z", "2026-05-05T03:00:00.000Z"],
    ["0 3 * * SUN", "2026-05-04T09:00:00Z", "2026-05-10T03:00:00.000Z"],
    ["15,45 8-9 1 jan *", "2026-05-04T09:00:00Z", "2027-01-01T08:15:00.000Z"],
    ["0 0 29 2 *", "2026-05-04T09:00:00Z", "2028-02-29T00:00:00.000Z"],
    // Both must fit, as node-cron has it.
    ["0 12 13 * 5", "2026-05-04T09:00:00Z", "2026-11-13T12:00:00.000Z"],
    // A leap day that is a Friday is too far away.
    ["0 0 29 2 5", "2026-05-04T09:00:00Z", undefined],
  ])("%s after %s has the slot %s", (cron, now, next) => {
    expect(iso(scheduleOf(readCron(cron)).nextAfter(at(now), UTC))).toBe(next);
  });

  it.each([
    [
      "a night without 02:30 has the slot once, right after (B43b, fault 53)",
      "2026-03-28T12:00:00Z",
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ],
    [
      "a night with two 02:30 has the first (B43c, fault 54)",
      "2026-10-24T12:00:00Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ],
  ])("in Berlin %s", (_name, from, first, second) => {
    const next = nightly.nextAfter(at(from), BERLIN) ?? 0;
    expect(iso(next)).toBe(first);

    expect(iso(nightly.nextAfter(next, BERLIN))).toBe(second);
  });

  it("answers the last slot: work that succeeded before it is due, six days missed are one (B43c, B43d)", () => {
    // The second 02:30 of that night is no new slot.
    expect(iso(nightly.lastUntil(at("2026-10-25T01:45:00Z"), BERLIN))).toBe("2026-10-25T00:30:00.000Z");
    expect(iso(nightly.lastUntil(at("2026-05-04T09:00:00Z"), BERLIN))).toBe("2026-05-04T00:30:00.000Z");
    expect(iso(nightly.lastUntil(at("2026-05-04T00:29:00Z"), BERLIN))).toBe("2026-05-03T00:30:00.000Z");
  });

  it.each([
    BERLIN,
    zoneNamed("America/New_York"),
    zoneNamed("Australia/Lord_Howe"),
    zoneNamed("America/Havana"),
  ])("has 365 slots in a year wherever clocks change, each its own last one", (zone) => {
    for (const cron of ["30 2 * * *", "0 0 * * *", "15 1 * * *"]) {
      const schedule = scheduleOf(readCron(cron));
      const slots: number[] = [];
      let now = at("2026-01-01T12:00:00Z");
      while (now < at("2027-01-01T12:00:00Z")) {
        now = schedule.nextAfter(now, zone) ?? Infinity;
        slots.push(now);
        expect(schedule.lastUntil(now, zone)).toBe(now);
      }
      expect(slots.filter((slot) => slot < at("2027-01-01T12:00:00Z"))).toHaveLength(365);
    }
  });

  it.each(["", "* * * *", "0 0 30 2 *", "99 * * * *", "0 0 L * *", "0 0 * * 5#2", "not a cron at all"])(
    "refuses %j with a reason",
    (cron) => {
      expect(() => readCron(cron)).toThrow(expect.objectContaining({ code: "bad-schedule" }));
    },
  );
});

async function ticking(cron: string, options: { clock?: ManualClock; fire?: () => void } = {}) {
  const clock = options.clock ?? createManualClock({ timeZone: BERLIN });
  const warnings: string[] = [];
  const emitter = createEmitter(() => undefined);
  emitter.on("warning:raised", ({ code }) => void warnings.push(code));
  const wake = createWakeWatch({ clock, jitter: () => 1 });
  const scheduler = createScheduler({ clock, emitter, wake });
  const ticks: string[] = [];
  const fire = () => {
    ticks.push(iso(clock.now()) ?? "");
    options.fire?.();
  };
  const tick = await scheduler.everyTick(cron, fire);
  return { clock, warnings, scheduler, wake, ticks, tick };
}

/** The machine sleeps: no timer runs, only the wall clock goes on. */
const sleep = (clock: ManualClock, ms: number) => clock.setWall(clock.now() + ms);

describe("a scheduler", () => {
  it("ticks at every slot, and no more once stopped", async () => {
    const { clock, ticks, tick } = await ticking("*/20 * * * *");
    expect(iso(tick.nextAt())).toBe("2026-05-04T09:20:00.000Z");
    await clock.advance(HOUR_MS);
    expect(ticks.map((text) => text.slice(11, 16))).toEqual(["09:20", "09:40", "10:00"]);

    tick.stop();
    await clock.advance(HOUR_MS);

    expect(ticks).toHaveLength(3);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("ticks once within a minute of waking from a night's sleep, and work may begin within five (B43a, fault 51)", async () => {
    const clock = createManualClock({ startAt: at("2026-05-04T20:00:00Z"), timeZone: BERLIN });
    const { ticks, wake } = await ticking("30 2 * * *", { clock });
    await clock.advance(10_000);
    sleep(clock, 11 * HOUR_MS);
    const wokeAt = clock.now();

    await clock.advance(MINUTE_MS);

    expect(ticks).toHaveLength(1);
    const until = wake.settlesUntil() ?? 0;
    expect(until - wokeAt).toBeGreaterThanOrEqual(2 * MINUTE_MS);
    expect(until - wokeAt).toBeLessThanOrEqual(5 * MINUTE_MS);
    await clock.advance(12 * HOUR_MS);
    expect(ticks).toHaveLength(1);
  });

  it("ticks in time and once a slot after the clock was set back two hours (fault 52)", async () => {
    const { clock, ticks } = await ticking("*/20 * * * *");
    await clock.advance(21 * MINUTE_MS);
    sleep(clock, -2 * HOUR_MS);

    await clock.advance(20 * MINUTE_MS);

    expect(ticks.map((text) => text.slice(11, 16))).toEqual(["09:20", "07:40"]);
  });

  it.each([
    ["2026-03-28T22:00:00Z", "B43b, fault 53"],
    ["2026-10-24T22:00:00Z", "B43c, fault 54"],
  ])("ticks once in a night whose clocks change, from %s (%s)", async (startAt) => {
    const clock = createManualClock({ startAt: at(startAt), timeZone: BERLIN });
    const { ticks } = await ticking("30 2 * * *", { clock });

    await clock.advance(12 * HOUR_MS);

    expect(ticks).toHaveLength(1);
  });

  it("goes on when whoever is told throws, with a warning", async () => {
    const { clock, ticks, warnings } = await ticking("*/20 * * * *", {
      fire() {
        throw new Error("no");
      },
    });

    await clock.advance(40 * MINUTE_MS);

    expect(ticks).toHaveLength(2);
    expect(warnings).toEqual(["tick-failed", "tick-failed"]);
  });

  it("needs one timer for any number of schedules, and none after its stop", async () => {
    const { clock, scheduler, ticks } = await ticking("*/20 * * * *");
    await scheduler.everyTick("0 3 * * *", () => ticks.push("nightly"));
    expect(clock.pendingTimers()).toBe(1);

    scheduler.stop();
    await clock.advance(48 * HOUR_MS);

    expect(ticks).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe("a wake", () => {
  const watch = (jitter: number) => {
    const clock = createManualClock();
    return { clock, wake: createWakeWatch({ clock, jitter: () => jitter }) };
  };

  it("is seen by a wall clock that went on alone; things settle for two to four minutes, networks are fresh for ten", async () => {
    for (const [jitter, settleMs] of [
      [0, 2 * MINUTE_MS],
      [1, 4 * MINUTE_MS],
    ] as const) {
      const { clock, wake } = watch(jitter);
      sleep(clock, 8 * HOUR_MS);
      wake.look();
      expect(wake.settlesUntil()).toBe(clock.now() + settleMs);
      expect(wake.isFresh()).toBe(true);

      await clock.advance(settleMs);

      expect(wake.settlesUntil()).toBeUndefined();
      await clock.advance(10 * MINUTE_MS - settleMs - 1);
      expect(wake.isFresh()).toBe(true);
      await clock.advance(1);
      expect(wake.isFresh()).toBe(false);
    }
  });

  it("is seen by a look that comes too late: the process was stopped", async () => {
    const { clock, wake } = watch(0);
    await clock.advance(6 * MINUTE_MS);

    wake.look();

    expect(wake.settlesUntil()).toBeDefined();
  });

  it.each([
    ["a minute's correction", MINUTE_MS],
    ["a clock set back two hours", -2 * HOUR_MS],
  ])("is not seen in %s", async (_name, ms) => {
    const { clock, wake } = watch(0);
    await clock.advance(MINUTE_MS);
    sleep(clock, ms);

    wake.look();

    expect(wake.settlesUntil()).toBeUndefined();
    expect(wake.isFresh()).toBe(false);
  });

  it("settles by the time that passes, whatever the wall clock says", async () => {
    const { clock, wake } = watch(0);
    sleep(clock, HOUR_MS);
    wake.look();
    sleep(clock, -3 * HOUR_MS);
    expect(wake.settlesUntil()).toBe(clock.now() + 2 * MINUTE_MS);

    await clock.advance(2 * MINUTE_MS);

    expect(wake.settlesUntil()).toBeUndefined();
  });
});
