import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate } from "../../../../../src/domain/calendar.ts";
import { distillDue } from "../../../../../src/learn/jobs/distill/due.ts";
import { createLastDone } from "../../../../../src/learn/jobs/distill/last-done.ts";
import { readCron } from "../../../../../src/system/cron-pattern.ts";
import { createFiles } from "../../../../../src/system/files.ts";
import { scheduleOf } from "../../../../../src/system/schedule.ts";
import { createTempFolder } from "../../../../helpers/temp-folder.ts";
import { BERLIN, zoneNamed } from "../../../../helpers/time-zone.ts";

const NEW_YORK = zoneNamed("America/New_York");
const NIGHT = scheduleOf(readCron("30 2 * * *"));
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Asks at each of these moments, runs when due; answers the moments it ran at. */
function runsAt(moments: readonly number[], { zone = BERLIN, schedule = NIGHT, last = "" } = {}): number[] {
  let done = last === "" ? undefined : last;
  return moments.filter((now) => {
    const { due, date } = distillDue({ now, timeZone: zone, schedule, last: done });
    if (due) done = date;
    return due;
  });
}

const at = (text: string) => Date.parse(text);
const everyMinute = (from: string, to: string) =>
  Array.from({ length: (at(to) - at(from)) / MINUTE_MS }, (_, minute) => at(from) + minute * MINUTE_MS);

describe("the nightly distillation is due once a local day, after its hour", () => {
  it.each([
    ["the night without a 02:30", BERLIN, "2026-03-28T12:00Z", "2026-03-29T20:00Z", ["2026-03-29T01:30Z"]],
    ["the night with two of them", BERLIN, "2026-10-24T12:00Z", "2026-10-25T20:00Z", ["2026-10-25T00:30Z"]],
    ["that night in New York", NEW_YORK, "2026-03-07T20:00Z", "2026-03-09T02:00Z", ["2026-03-08T07:30Z"]],
    ["and the long one", NEW_YORK, "2026-10-31T20:00Z", "2026-11-02T02:00Z", ["2026-11-01T07:30Z"]],
  ])("in %s", (_, zone, from, to, wanted) => {
    const last = localDate(at(from), zone);

    expect(runsAt(everyMinute(from, to), { zone, last }).map((one) => new Date(one).toISOString())).toEqual(
      wanted.map((one) => new Date(at(one)).toISOString()),
    );
  });

  it("once on waking from 22:00 to 09:00, and from a lid closed at 19:00", () => {
    const evening = everyMinute("2026-05-04T15:00Z", "2026-05-04T20:00Z");
    const morning = everyMinute("2026-05-05T07:00Z", "2026-05-05T20:00Z");

    expect(runsAt([...evening, ...morning], { last: "2026-05-04" })).toEqual([at("2026-05-05T07:00Z")]);
  });

  it("once after six days off", () => {
    const back = everyMinute("2026-05-10T10:00Z", "2026-05-10T21:00Z");

    expect(runsAt(back, { last: "2026-05-04" })).toEqual([at("2026-05-10T10:00Z")]);
  });

  it("once when the clock goes back two hours, before or after it ran", () => {
    const night = everyMinute("2026-05-05T00:00Z", "2026-05-05T01:00Z");
    const again = everyMinute("2026-05-04T22:45Z", "2026-05-05T06:00Z");

    expect(runsAt([...night, ...again], { last: "2026-05-04" })).toEqual([at("2026-05-05T00:30Z")]);
  });

  it("at the hour again after a night was made up for before it", () => {
    const moments = [
      ...everyMinute("2026-05-05T23:00Z", "2026-05-06T22:00Z"),
      ...everyMinute("2026-05-06T22:00Z", "2026-05-07T12:00Z"),
    ];

    expect(runsAt(moments, { last: "2026-05-04" }).map((one) => new Date(one).toISOString())).toEqual([
      "2026-05-05T23:00:00.000Z",
      "2026-05-07T00:30:00.000Z",
    ]);
  });

  it("whatever a wrong clock has noted for a far day", () => {
    expect(runsAt([at("2026-05-05T08:00Z")], { last: "2027-06-01" })).toHaveLength(1);
  });

  it("never without a slot, and says when to ask again", () => {
    const never = { nextAfter: () => undefined, lastUntil: () => undefined };
    const facts = { now: at("2026-05-05T08:00Z"), timeZone: BERLIN };

    expect(distillDue({ ...facts, schedule: never, last: undefined })).toEqual({
      due: false,
      date: "2026-05-05",
      dueAt: undefined,
    });
    expect(distillDue({ ...facts, schedule: NIGHT, last: "2026-05-05" }).dueAt).toBe(at("2026-05-06T00:30Z"));
    // Made up for at one in the night: the slot of that day is not another one.
    const early = { now: at("2026-05-04T23:00Z"), timeZone: BERLIN };
    expect(distillDue({ ...early, schedule: NIGHT, last: "2026-05-05" }).dueAt).toBe(at("2026-05-06T00:30Z"));
  });
});

const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Asia/Beirut"];

/** A machine that is awake now and then, sleeps, and whose clock somebody sets. */
const days = fc.record({
  zone: fc.constantFrom(...ZONES).map(zoneNamed),
  schedule: fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => scheduleOf(readCron(`${minute} ${hour} * * *`))),
  start: fc.integer({ min: at("2026-01-01T00:00Z"), max: at("2026-12-01T00:00Z") }),
  steps: fc.array(fc.integer({ min: 1, max: 40 * 60 }), { minLength: 1, maxLength: 60 }),
});

describe("for whatever clock", () => {
  it("runs never twice in one local day, and on each day it is asked after its hour", () => {
    fc.assert(
      fc.property(days, ({ zone, schedule, start, steps }) => {
        let now = start;
        const moments = steps.map((minutes) => (now += minutes * MINUTE_MS));
        const ran = runsAt(moments, { zone, schedule }).map((moment) => localDate(moment, zone));

        expect(new Set(ran).size).toBe(ran.length);
        for (const moment of moments) {
          const slot = schedule.lastUntil(moment, zone);
          const date = localDate(moment, zone);
          if (slot !== undefined && localDate(slot, zone) === date) expect(ran).toContain(date);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("runs never twice in one local day when the clock is set back by hours", () => {
    const jumps = fc.array(fc.integer({ min: -3 * 60, max: 20 * 60 }), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(days, jumps, ({ zone, schedule, start }, minutes) => {
        let now = start;
        const moments = minutes.map((each) => (now += each * MINUTE_MS));
        const ran = runsAt(moments, { zone, schedule }).map((moment) => localDate(moment, zone));

        expect(new Set(ran).size).toBe(ran.length);
      }),
      { numRuns: 300 },
    );
  });

  it("is due at the moment it named, and not before", () => {
    fc.assert(
      fc.property(days, ({ zone, schedule, start }) => {
        const last = localDate(start, zone);
        const { due, dueAt = 0 } = distillDue({ now: start, timeZone: zone, schedule, last });
        const ask = (now: number) => distillDue({ now, timeZone: zone, schedule, last }).due;

        expect(due).toBe(false);
        expect(ask(dueAt)).toBe(true);
        expect(ask(dueAt - MINUTE_MS)).toBe(false);
        expect(dueAt - start).toBeLessThan(51 * HOUR_MS);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the day of the last run", () => {
  it("is kept, and is unknown where the file is missing or damaged", () => {
    const folder = createTempFolder();
    const kept = createLastDone({ files: createFiles(), stateDir: folder.path });
    expect(kept.load()).toBeUndefined();
    kept.save("2026-05-04");
    expect(kept.load()).toBe("2026-05-04");

    for (const text of ["", "{", "[]", '{"date":"soon"}']) {
      folder.write("stamps/distilled.json", text);
      expect(kept.load()).toBeUndefined();
    }
  });
});
