import { describe, expect, it } from "vitest";
import { localDate } from "../../../../src/domain/calendar.ts";
import { ageDays, lastStated } from "../../../../src/memory/files/freshness.ts";
import { zoneNamed } from "../../../helpers/time-zone.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 4, 10, 12);
const here = { now: NOW, timeZone: zoneNamed("Europe/Berlin") };
const since = (ms: number) => ({ confirmed: undefined, modified: undefined, mtimeMs: NOW - ms });

describe("the age of a memory", () => {
  it.each([
    [24 * HOUR - 60_000, 0],
    [24 * HOUR, 1],
    [48 * HOUR, 2],
    [-5 * HOUR, 0],
  ])("%d ms after its file time is %d days", (ms, days) => {
    expect(ageDays(since(ms), here)).toBe(days);
  });

  it("counts local calendar days from the day it was confirmed", () => {
    const signs = { ...since(0), confirmed: "2026-05-09" };
    const justAfterMidnight = Date.UTC(2026, 4, 9, 22, 5);

    expect(ageDays(signs, { now: justAfterMidnight, timeZone: zoneNamed("Europe/Berlin") })).toBe(1);
    expect(ageDays(signs, { now: justAfterMidnight, timeZone: zoneNamed("UTC") })).toBe(0);
  });

  it("counts days across the change to summer time", () => {
    const now = Date.UTC(2026, 2, 30, 10);

    expect(
      ageDays({ ...since(0), confirmed: "2026-03-28" }, { now, timeZone: zoneNamed("Europe/Berlin") }),
    ).toBe(2);
  });

  it("prefers confirmed, then modified, then the file's time", () => {
    const modified = new Date(NOW - 72 * HOUR).toISOString();

    expect(ageDays({ confirmed: "2026-05-05", modified, mtimeMs: NOW }, here)).toBe(5);
    expect(ageDays({ confirmed: undefined, modified, mtimeMs: NOW }, here)).toBe(3);
  });

  it("passes over signs that are no date or lie in the future", () => {
    const old = { mtimeMs: NOW - 96 * HOUR };

    expect(ageDays({ ...old, confirmed: "2026-13-45", modified: "soon" }, here)).toBe(4);
    expect(ageDays({ ...old, confirmed: "2027-01-01", modified: "2027-01-01T00:00:00Z" }, here)).toBe(4);
    expect(ageDays({ ...old, confirmed: "2026-02-30", modified: undefined }, here)).toBe(4);
  });
});

describe("dates", () => {
  it("are those of the time zone", () => {
    expect(localDate(Date.UTC(2026, 0, 1, 3), zoneNamed("America/New_York"))).toBe("2025-12-31");
    expect(
      lastStated(
        { confirmed: undefined, modified: "2026-01-01T03:00:00Z", mtimeMs: 0 },
        zoneNamed("America/New_York"),
      ),
    ).toBe("2025-12-31");
    expect(lastStated({ confirmed: "2026-02-02", modified: undefined, mtimeMs: 0 }, zoneNamed("UTC"))).toBe(
      "2026-02-02",
    );
  });
});
