// Places by name for tests and benches. The product asks the system's own zone, see `createClock`.
import type { TimeZone } from "../../src/domain/calendar.ts";

const known = new Map<string, TimeZone>();

/** By its IANA name; the same object for the same name. */
export function zoneNamed(name: string): TimeZone {
  const zone = known.get(name) ?? makeZone(name);
  known.set(name, zone);
  return zone;
}

export const UTC = zoneNamed("UTC");
const AHEAD_H = 12 - new Date().getUTCHours();
/** Where it is noon now: whatever is kept by the day does not change its day under a test. */
export const NOON = `Etc/GMT${AHEAD_H < 0 ? "+" : "-"}${Math.abs(AHEAD_H)}`;
export const BERLIN = zoneNamed("Europe/Berlin");

function makeZone(timeZone: string): TimeZone {
  const options = { timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" } as const;
  const clock = { hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-US", { ...options, ...clock });
  return {
    offsetMs(at) {
      const parts = format.formatToParts(at);
      const get = (type: string) => Number(parts.find((part) => part.type === type)?.value);
      const day = [get("year"), get("month") - 1, get("day")] as const;
      const shown = Date.UTC(...day, get("hour"), get("minute"), get("second"));
      return shown - Math.floor(at / 1_000) * 1_000;
    },
  };
}
