// When something was said, in the person's own day: relative words are counted from it. Pure.
import { keepLast } from "../../../domain/keep-last.ts";
import type { Instant } from "../../../domain/records.ts";

export interface LocalTime {
  /** `Tuesday 2026-05-05` */
  day(at: Instant): string;
  /** `Tue 2026-05-05 00:30` */
  moment(at: Instant): string;
  /** `00:30` */
  clock(at: Instant): string;
}

/** Two machines' clocks differ by less. */
const CLOCK_SKEW_MS = 86_400_000;

/** A time ahead of ours was stamped under a wrong clock: better unknown than "newest". */
export function trustedAt(at: Instant | undefined, now: Instant): Instant | undefined {
  return at !== undefined && at > now + CLOCK_SKEW_MS ? undefined : at;
}

/** `timeZone` is an IANA name. */
export const localTimeIn: (timeZone: string) => LocalTime = keepLast(createLocalTime);

function createLocalTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const partsOf = (at: Instant) => {
    const parts = format.formatToParts(at);
    const part = (type: string) => parts.find((item) => item.type === type)?.value ?? "";
    return {
      weekday: part("weekday"),
      date: `${part("year")}-${part("month")}-${part("day")}`,
      time: `${part("hour")}:${part("minute")}`,
    };
  };
  return {
    day(at) {
      const { weekday, date } = partsOf(at);
      return `${weekday} ${date}`;
    },
    moment(at) {
      const { weekday, date, time } = partsOf(at);
      return `${weekday.slice(0, WEEKDAY_CHARS)} ${date} ${time}`;
    },
    clock: (at) => partsOf(at).time,
  };
}

/** `Tue`; English weekdays differ in three letters. */
const WEEKDAY_CHARS = 3;
