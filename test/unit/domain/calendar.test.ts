import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate, localMoment } from "../../../src/domain/calendar.ts";

describe("the local date", () => {
  it("is each place's own, whichever was asked about before", () => {
    const at = Date.UTC(2026, 4, 4, 23, 30);

    const dates = ["UTC", "Asia/Tokyo", "America/Lima", "UTC"].map((zone) => localDate(at, zone));

    expect(dates).toEqual(["2026-05-04", "2026-05-05", "2026-05-04", "2026-05-04"]);
  });

  it.each([
    // The night the clocks go forward, and the one they go back.
    ["Europe/Berlin", Date.UTC(2026, 2, 29, 0, 59), "2026-03-29", "01:59"],
    ["Europe/Berlin", Date.UTC(2026, 2, 29, 1, 0), "2026-03-29", "03:00"],
    ["Europe/Berlin", Date.UTC(2026, 9, 25, 0, 59), "2026-10-25", "02:59"],
    ["Europe/Berlin", Date.UTC(2026, 9, 25, 1, 0), "2026-10-25", "02:00"],
    // Half an hour of summer time; three quarters of an hour.
    ["Australia/Lord_Howe", Date.UTC(2026, 3, 4, 14, 59), "2026-04-05", "01:59"],
    ["Australia/Lord_Howe", Date.UTC(2026, 3, 4, 15, 0), "2026-04-05", "01:30"],
    ["Pacific/Chatham", Date.UTC(2026, 3, 4, 14, 0), "2026-04-05", "02:45"],
    ["Asia/Kathmandu", Date.UTC(2026, 0, 1, 18, 14), "2026-01-01", "23:59"],
    // Before clocks kept to quarters, and before they kept to minutes.
    ["America/St_Johns", Date.UTC(2010, 2, 14, 3, 31), "2010-03-14", "01:01"],
    ["Africa/Monrovia", Date.UTC(1971, 0, 1), "1970-12-31", "23:15"],
  ])("of %s at %d is %s, %s", (zone, at, date, time) => {
    expect(localMoment(at, zone)).toEqual({ date, time });
  });

  it("is the one the system's own calendar shows", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    const zone = fc.constantFrom(...zones);
    const at = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2040, 0) });

    fc.assert(
      fc.property(zone, at, (timeZone, instant) => {
        const options = { timeZone, dateStyle: "short", timeStyle: "short" } as const;
        const shown = new Intl.DateTimeFormat("sv-SE", options).format(instant);

        const { date, time } = localMoment(instant, timeZone);

        expect(`${date} ${time}`).toBe(shown);
      }),
    );
  });
});
