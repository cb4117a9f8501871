// Relative dates made absolute, from the day something was said on (not the day it is read). The only importer
// of chrono-node, which is heavy and loaded with the first sentence that seems to name a date.
import type { Instant } from "../../domain/records.ts";

export interface Said {
  readonly saidAt: Instant;
  readonly now: Instant;
  readonly timeZone: string;
}

/** Only phrases like these are looked at: "now", "10 seconds" and "before" are no dates (measured on real text). */
const RELATIVE: readonly RegExp[] = [
  /\b(?:today|tomorrow|yesterday|the day after tomorrow)\b/giu,
  /\b(?:next|this|last|coming|on|by|until|from|since) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?: on(?:wards?)?)?/giu,
  /\b(?:next|last|this) (?:week|month)\b/giu,
  /\b(?:(?:an?|one|two|three|four|five|six|\d{1,2}) (?:day|week|month|year)s? ago|in (?:an?|one|two|three|four|five|six|\d{1,2}) (?:day|week|month)s?)\b/giu,
  /(?:今天|明天|后天|昨天|下周[一二三四五六日天]|本周[一二三四五六日天]|这周[一二三四五六日天]|上周[一二三四五六日天])/gu,
  /(?:今日|明日|明後日|昨日|来週の?[月火水木金土日]曜日?|今週の?[月火水木金土日]曜日?)/gu,
  /\b(?:heute|morgen|übermorgen|gestern|(?:am |nächsten |kommenden )(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag))\b/giu,
  /\b(?:hoy|mañana|pasado mañana|ayer|(?:el )?(?:próximo |próxima )?(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?: que viene)?)\b/giu,
];

/** "today" inside "from today on" and the like says "for good", not a day. */
const NO_DATE =
  /\b(?:from|as of|starting) today(?: on(?:wards?)?)?\b|desde hoy|a partir de hoy|ab heute|今日から/iu;

const APPROXIMATE = /\bago\b|\b(?:week|month)s?\b/iu;

/** The text with absolute dates; undefined when it speaks of a day that cannot be told. */
export async function absoluteDates(text: string, said: Said): Promise<string | undefined> {
  if (NO_DATE.test(text)) return text;
  let result = text;
  for (const pattern of RELATIVE) {
    for (const [phrase] of result.matchAll(pattern)) {
      const date = await dayOf(phrase, said);
      if (date === undefined) return undefined;
      result = result.replace(phrase, replacement(phrase, date));
    }
  }
  return result;
}

function replacement(phrase: string, date: string): string {
  const about = APPROXIMATE.test(phrase) ? `about ${date}` : date;
  const preposition = /^(?:on|by|until|from|since|in|el) /iu.exec(phrase)?.[0] ?? "";
  if (preposition.toLowerCase() === "in ") return `on ${about}`;
  return `${preposition}${about}`;
}

async function dayOf(phrase: string, said: Said): Promise<string | undefined> {
  const plain = cjkOffset(phrase);
  if (plain !== undefined) return shifted(said, plain);
  const weekday = cjkWeekday(phrase, said);
  if (weekday !== undefined) return weekday;
  const chrono = await import("chrono-node");
  const reference = { instant: new Date(said.saidAt), timezone: offsetMinutes(said) };
  for (const parser of [chrono.en.casual, chrono.de.casual, chrono.es.casual]) {
    const [found] = parser.parse(phrase, reference, {
      forwardDate: !/\b(?:last|ago|since|yesterday|gestern|ayer)\b/iu.test(phrase),
    });
    if (found === undefined) continue;
    const { start } = found;
    const [year, month, day] = [start.get("year"), start.get("month"), start.get("day")];
    if (year !== null && month !== null && day !== null) return isoDay({ year, month, day });
  }
  return undefined;
}

const CJK_DAYS: ReadonlyMap<string, number> = new Map([
  ["今天", 0],
  ["明天", 1],
  ["后天", 2],
  ["昨天", -1],
  ["今日", 0],
  ["明日", 1],
  ["明後日", 2],
  ["昨日", -1],
]);

function cjkOffset(phrase: string): number | undefined {
  return CJK_DAYS.get(phrase);
}

/** Weeks begin on Monday, in Chinese and Japanese speech alike. */
function cjkWeekday(phrase: string, said: Said): string | undefined {
  const match = /^(下周|本周|这周|上周|来週の?|今週の?)([一二三四五六日天月火水木金土])/u.exec(phrase);
  const [, week = "", letter = ""] = match ?? [];
  if (match === null) return undefined;
  const chinese = "一二三四五六日".indexOf(letter === "天" ? "日" : letter);
  const day = /来週|今週/u.test(week) ? "月火水木金土日".indexOf(letter) : chinese;
  if (day < 0) return undefined;
  const today = new Date(`${localDay(said.saidAt, said.timeZone)}T00:00:00Z`);
  const weeks = /下周|来週/u.test(week) ? 7 : week === "上周" ? -7 : 0;
  return shifted(said, day - ((today.getUTCDay() + 6) % 7) + weeks);
}

const DAY_MS = 86_400_000;

function shifted({ saidAt, timeZone }: Said, days: number): string {
  const midnight = Date.parse(`${localDay(saidAt, timeZone)}T00:00:00Z`);
  return new Date(midnight + days * DAY_MS).toISOString().slice(0, 10);
}

/** Local calendar date of an instant, `YYYY-MM-DD`. */
export function localDay(at: Instant, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(new Date(at));
}

/** Minutes the zone was ahead of UTC when it was said. */
function offsetMinutes({ saidAt, timeZone }: Said): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(new Date(saidAt));
  const get = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"));
  return Math.round((local - Math.floor(saidAt / 60_000) * 60_000) / 60_000);
}

function isoDay({
  year,
  month,
  day,
}: {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}): string {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
