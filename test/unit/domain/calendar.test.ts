import { describe, expect, it } from "vitest";
import { localDate, localMoment, offsetText } from "../../../src/domain/calendar.ts";
import { zoneNamed } from "../../helpers/time-zone.ts";

describe("the local date", () => {
  it("is each place's own, whichever was asked about before", () => {
    const at = Date.UTC(2026, 4, 4, 23, 30);

    const dates = ["UTC", "Asia/Tokyo", "America/Lima", "UTC"].map((zone) => localDate(at, zoneNamed(zone)));

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
    // Before clocks kept to minutes.
    ["Africa/Monrovia", Date.UTC(1971, 0, 1), "1970-12-31", "23:15"],
  ])("of %s at %d is %s, %s", (zone, at, date, time) => {
    expect(localMoment(at, zoneNamed(zone))).toEqual({ date, time });
  });

  it.each([
    [8.64e15, "9999-12-31"],
    [-8.64e15, "0000-01-01"],
  ])("keeps its shape for a stamp far from any day: %d is %s", (at, date) => {
    expect(localDate(at, { offsetMs: () => 0 })).toBe(date);
    expect(localDate(at, { offsetMs: () => Math.sign(at) * 3_600_000 })).toBe(date);
  });
});

it.each([
  ["UTC", "UTC+00:00"],
  ["Asia/Kathmandu", "UTC+05:45"],
  ["America/St_Johns", "UTC-03:30"],
])("%s in winter is told as %s", (zone, told) => {
  expect(offsetText(Date.UTC(2026, 0, 1), zoneNamed(zone))).toBe(told);
});
