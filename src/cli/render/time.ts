// Times as a person says them: how long ago, how long until. Pure.

const UNITS = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** Closer to now than this is "now". */
const NOW_MS = 2_000;

/** `3 min ago`, `in 2 h`, `now`; `at` is an ISO time or milliseconds, anything else is `unknown`. */
export function relativeTime(at: string | number, now: number): string {
  const time = typeof at === "number" ? at : Date.parse(at);
  if (!Number.isFinite(time)) return "unknown";
  const distance = Math.abs(now - time);
  if (distance < NOW_MS) return "now";
  const unit = UNITS.find(({ ms }) => distance >= ms) ?? UNITS[3];
  const amount = `${Math.floor(distance / unit.ms)} ${unit.name}`;
  return time < now ? `${amount} ago` : `in ${amount}`;
}

/** `40 s`, `2 min`, `3 h`. */
export function durationText(ms: number): string {
  const unit = UNITS.find((each) => ms >= each.ms) ?? UNITS[3];
  return `${Math.max(1, Math.round(ms / unit.ms))} ${unit.name}`;
}

/** `14:30` of this machine's clock; with its date when that is another day. */
export function clockTime(at: string, now: number): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (time.toDateString() === new Date(now).toDateString()) return clock;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z/gu;

/** A sentence of ours with its instants as a person reads them: `14:30 (in 2 h)`. Not for words that somebody wrote. */
export function withClockTimes(sentence: string, now: number): string {
  return sentence.replace(INSTANT, (at) =>
    Number.isNaN(Date.parse(at)) ? at : `${clockTime(at, now)} (${relativeTime(at, now)})`,
  );
}

/** Age of a memory in days, as a word. */
export function ageText(days: number): string {
  if (days <= 0) return "today";
  return days === 1 ? "1 day" : `${days} days`;
}
