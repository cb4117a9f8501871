import { expect, it } from "vitest";
import { localDate } from "../../../src/domain/calendar.ts";

it("gives each place its own date, whichever was asked about before", () => {
  const at = Date.UTC(2026, 4, 4, 23, 30);

  const dates = ["UTC", "Asia/Tokyo", "America/Lima", "UTC"].map((zone) => localDate(at, zone));

  expect(dates).toEqual(["2026-05-04", "2026-05-05", "2026-05-04", "2026-05-04"]);
});
