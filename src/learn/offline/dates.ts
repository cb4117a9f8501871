// Relative dates made absolute, from the day something was said on (not the day it is read). The only importer
// of chrono-node, which is heavy and loaded with the first phrase that needs it.
import type { TimeZone } from "../../domain/calendar.ts";
import { localDate } from "../../domain/calendar.ts";
import type { Instant } from "../../domain/records.ts";
import { loadLate } from "../../system/late-module.ts";
import { comingDay, monthEnd, shiftedDay, weekdayOf } from "./calendar.ts";
import { languageOf, type Language } from "./language.ts";

export interface Said {
  readonly saidAt: Instant;
  /** When it is read; a day that lies between both has passed. */
  readonly now: Instant;
  readonly timeZone: TimeZone;
}

const WEEKDAYS: readonly (readonly string[])[] = [
  ["monday", "montag", "lunes", "一", "月"],
  ["tuesday", "dienstag", "martes", "二", "火"],
  ["wednesday", "mittwoch", "miércoles", "三", "水"],
  ["thursday", "donnerstag", "jueves", "四", "木"],
  ["friday", "freitag", "viernes", "五", "金"],
  ["saturday", "samstag", "sábado", "六", "土"],
  ["sunday", "sonntag", "domingo", "日", "天"],
];
const DAYS: ReadonlyMap<string, number> = new Map([
  ["today", 0],
  ["tonight", 0],
  ["tomorrow", 1],
  ["the day after tomorrow", 2],
  ["yesterday", -1],
  ["heute", 0],
  ["morgen", 1],
  ["übermorgen", 2],
  ["gestern", -1],
  ["hoy", 0],
  ["mañana", 1],
  ["pasado mañana", 2],
  ["ayer", -1],
  ["今天", 0],
  ["明天", 1],
  ["后天", 2],
  ["昨天", -1],
  ["今日", 0],
  ["明日", 1],
  ["明後日", 2],
  ["昨日", -1],
]);

const EN_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const DE_DAY = "(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)";
const ES_DAY = "(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)";
const EN_MONTH =
  "(?:january|february|march|april|june|july|august|september|october|november|december|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b\\.?|may)";
const DE_MONTH = "(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)";
const ES_MONTH =
  "(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)";
const COUNT = "(?:an?|one|two|three|four|five|six|\\d{1,2})";

/** Only phrases like these are looked at: "now", "10 seconds" and "before" are no dates (measured on real text). */
const PHRASES: readonly RegExp[] = [
  /\b(?:the day after tomorrow|today|tonight|tomorrow|yesterday)\b/giu,
  new RegExp(
    String.raw`\b(?:(?:on|by|until|from|since|starting) )?(?:(?:next|this|last|coming|past) )?${EN_DAY}(?! (?:night|morning)s?\b)(?:(?=s)|\b)(?! to )`,
    "giu",
  ),
  new RegExp(
    String.raw`\b${EN_MONTH} \d{1,2}(?:st|nd|rd|th)?\b(?!:)(?:,? \d{4}\b)?|\b\d{1,2}(?:st|nd|rd|th)?(?: of)? ${EN_MONTH}\b(?:,? \d{4}\b)?`,
    "giu",
  ),
  /\b(?:by |at |until )?(?:the )?end of (?:the |this |next )?(?:week|month)\b/giu,
  /\b(?:next|last|this) (?:week|month)\b/giu,
  new RegExp(
    String.raw`\b${COUNT} (?:day|week|month|year)s? ago\b|\bin ${COUNT} (?:day|week|month)s?\b(?! (?:of|old))`,
    "giu",
  ),
  /\d{1,2}月\d{1,2}[日号]/gu,
  /(?:下下?个?(?:周|星期)|本周|这个?(?:周|星期)|上个?(?:周|星期)|(?<!每)(?<!每个)(?:周|星期))[一二三四五六日天]/gu,
  /(?:今天|明天|后天|昨天|本?月底|下个?月底|[一二两三四五六\d]{1,2}(?:天|周|个月|年)(?:前|后))/gu,
  /(?:今日|明日|明後日|昨日|(?:来週|今週|先週)の?[月火水木金土日]曜日?|(?<!毎週)[月火水木金土日]曜日?|来?月末|[一二三四五六\d]{1,2}(?:日|週間|か月|ヶ月|年)(?:前|後))/gu,
  new RegExp(
    String.raw`(?<![\p{L}])(?:heute|übermorgen|gestern|(?<!guten )morgen|(?:(?:am|ab|bis|seit|nächsten|kommenden|letzten|diesen) ){0,2}${DE_DAY}(?!s)|(?:bis |am )?Ende (?:des Monats|der Woche|dieses Monats)|\d{1,2}\. ?${DE_MONTH}(?: \d{4})?|vor (?:einem|einer|zwei|drei|vier|fünf|sechs|\d{1,2}) (?:Tag|Woche|Monat|Jahr)(?:en|n|e)?|in (?:einem|einer|zwei|drei|vier|fünf|sechs|\d{1,2}) (?:Tag|Woche|Monat)(?:en|n)?)(?![\p{L}])`,
    "giu",
  ),
  new RegExp(
    String.raw`(?<![\p{L}])(?:hoy|pasado mañana|(?<!(?:la|por la) )mañana|ayer|(?:(?:el|este|desde el|hasta el) )?(?:(?:próximo|pasado) )?${ES_DAY}(?: que viene| próximo| pasado)?|(?:a )?(?:fin|finales) de(?: este)? mes|\d{1,2} de ${ES_MONTH}(?: de \d{4})?|hace (?:un|una|dos|tres|cuatro|cinco|seis|\d{1,2}) (?:días?|semanas?|mes(?:es)?|años?)|(?:en|dentro de) (?:un|una|dos|tres|cuatro|cinco|seis|\d{1,2}) (?:días?|semanas?|mes(?:es)?))(?![\p{L}])`,
    "giu",
  ),
];

/** "from today on" says "for good", and "every Monday" names no day. */
const NO_DATE =
  /\b(?:from|as of|starting) today(?: on(?:wards?)?)?\b|desde hoy|a partir de hoy|ab heute|今日から|从今天(?:起|开始)/iu;
const RECURS = /(?:\b(?:every|each|on|mon-|jede[nrms]?|todos los|cada|los|al?) |每个?|毎)$/iu;
const BEFORE_DAY =
  /(?:\b(?:is|are|'s|was|due|starts?|begins?|ends?|ships?|launch(?:es)?|freeze|demo|release|deadline|meeting|on|by|before|after|until|till|from|since|not|or|and|this|next|it|them)|[,:–—(-]) $/iu;
const PLURAL_AFTER = /^s\b/iu;
/** "Never deploy on Friday" means every one. What begins, ends or names its week means one day. */
const HABIT = /(?:^|[^\p{L}])(?:always|never|immer|niemals|nie|siempre|nunca|jamás)(?!\p{L})/iu;
/** Neither language has a plural to say "Fridays", so that a bare day in a ban is every one as well. */
const EASTERN_HABIT =
  /总是|总会|从不|从来不|绝不|永远|永不|一律|不要|不准|不许|不得|不能|不可|禁止|(?<![特分区级类性个])别(?![的人])|常に|必ず|いつも|絶対に|決して|(?:し|行わ|やら)ない|しません|禁止/u;
const BARE_DAY = new RegExp(
  `^(?:(?:on|am|el) )?(?:${EN_DAY}|${DE_DAY}|${ES_DAY})$|^(?:(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜日?)$`,
  "iu",
);
const BOUND_BEFORE =
  /(?:^|[^\p{L}])(?:by|until|till|before|after|from|since|this|next|vor|nach|bis|ab|seit|diesen|antes d?el|después d?el|desde el|hasta el)(?: dem| zum)? $/iu;
const BOUND_AFTER = /^(?:下午|上午|晚上|の?[夕朝]方?|の?夜)?(?:之?[前后]|以[前后後降]|まで|から|起)/u;
const APPROXIMATE =
  /\bago\b|\b(?:next|last|this) (?:week|month)\b|\bin \w+ (?:week|month)s?\b|^(?:vor|hace) |^in \w+ (?:Woche|Monat)|(?:semana|mes)|(?:周|个月|年|週間|か月|ヶ月)(?:前|后|後)/iu;
/** A start that has passed is still in force. */
const STARTS = /^(?:from|since|starting|ab|seit|desde)\b/iu;
const STARTS_AFTER = /^\s*(?:on(?:wards?)?\b|起|开始|之后|以后|から|以降)/iu;
const PAST =
  /\b(?:last|past|ago|since|yesterday|gestern|letzten|seit|vor|ayer|hace|pasado)\b|昨|上|先週|前$/iu;
/** The day a month's name and number mean is the last one, not the coming one. */
const SINCE_BEFORE = /(?:^|[^\p{L}])(?:since|seit(?: dem)?|desde(?: el)?) $/iu;
/** "Was frozen on March 3" tells of the last one, "was planned for" of the coming one; who can say of the rest? */
const HAPPENED_BEFORE =
  /(?:^|[^\p{L}])(?:was|were|happened|wurden?|waren?|fue|fueron)(?= )[^.;:!?]* (?:on|am|el) $/iu;
const ABOUT: Readonly<Record<Language, (date: string) => string>> = {
  en: (date) => `about ${date}`,
  zh: (date) => `约 ${date} `,
  ja: (date) => `${date} 頃`,
  de: (date) => `etwa ${date}`,
  es: (date) => `alrededor del ${date}`,
};

/** The text with absolute dates; undefined when it speaks of a day that cannot be told or has passed since. */
export async function absoluteDates(text: string, said: Said): Promise<string | undefined> {
  if (NO_DATE.test(text)) return text;
  const language = languageOf(text);
  let result = text;
  for (const pattern of PHRASES) {
    let rebuilt = "";
    let from = 0;
    for (const match of result.matchAll(pattern)) {
      const [phrase] = match;
      const around = {
        before: result.slice(0, match.index),
        after: result.slice(match.index + phrase.length),
      };
      if (namesNoDay(phrase, around) || isHabit(phrase, around)) continue;
      const date = await dayOf(phrase, { said, language, before: around.before });
      if (date === undefined || hasPassed(date, { phrase, after: around.after, said })) return undefined;
      rebuilt += result.slice(from, match.index) + replacement(phrase, { date, language });
      from = match.index + phrase.length;
    }
    result = rebuilt + result.slice(from);
  }
  return result;
}

interface Around {
  readonly before: string;
  readonly after: string;
}

function namesNoDay(phrase: string, { before, after }: Around): boolean {
  if (PLURAL_AFTER.test(after)) return true;
  // "Use Monday as the board": a name.
  if (/^\p{Lu}\p{Ll}+day$/u.test(phrase) && !BEFORE_DAY.test(before)) return true;
  if (!WEEKDAYS.some((names) => names.some((name) => phrase.toLowerCase().endsWith(name)))) return false;
  return RECURS.test(before) && !/ (?:on|al?) $/iu.test(before);
}

/** Only the sentence it stands in can say so. */
function isHabit(phrase: string, { before, after }: Around): boolean {
  if (!BARE_DAY.test(phrase) || BOUND_BEFORE.test(before) || BOUND_AFTER.test(after)) return false;
  const isEastern = /\p{Script=Han}$/u.test(phrase);
  const end = isEastern ? CLAUSE_END : SENTENCE_END;
  const said = `${before.split(end).at(-1) ?? ""}${phrase}${after.split(end)[0] ?? ""}`;
  return (isEastern ? EASTERN_HABIT : HABIT).test(said);
}

const SENTENCE_END = /[.!?;](?=\s)|\n/u;
/** "The meeting is on Friday, don't be late": the ban is about something else. */
const CLAUSE_END = /[，、,。！？；\n]/u;

/** Said of a coming day that is over by now. */
function hasPassed(
  date: string,
  { phrase, after, said }: { readonly phrase: string; readonly after: string; readonly said: Said },
): boolean {
  if (STARTS.test(phrase) || STARTS_AFTER.test(after)) return false;
  const saidOn = localDate(said.saidAt, said.timeZone);
  return date >= saidOn && date < localDate(said.now, said.timeZone);
}

const PREPOSITION =
  /^(?:(?:on|by|at|until|from|since|starting|am|ab|bis|seit|el|este|desde el|hasta el|vor|hace|a|en|dentro de|in) )+/iu;
/** Words that belong to the counting, not to the sentence. */
const COUNTING = /^(?:vor|hace|in|en|dentro de|a|am|at|el|este|on)(?= )/iu;

function replacement(
  phrase: string,
  { date, language }: { readonly date: string; readonly language: Language },
): string {
  const about = APPROXIMATE.test(phrase) ? ABOUT[language](date) : date;
  const preposition = PREPOSITION.exec(phrase)?.[0] ?? "";
  if (!COUNTING.test(preposition)) return `${preposition}${about}`;
  const word = { en: "on ", de: "am ", es: "el ", zh: "", ja: "" }[language];
  // "etwa am", "alrededor del el" would be no sentence.
  return about === date ? `${word}${about}` : about;
}

async function dayOf(
  phrase: string,
  { said, language, before }: { readonly said: Said; readonly language: Language; readonly before: string },
): Promise<string | undefined> {
  const today = localDate(said.saidAt, said.timeZone);
  const plain = phrase.toLowerCase().replace(PREPOSITION, "").trim();
  const days = DAYS.get(plain);
  if (days !== undefined) return shiftedDay(today, days);
  const numeric = /^(\d{1,2})月(\d{1,2})[日号]$/u.exec(plain);
  if (numeric !== null) return comingDay(today, { month: Number(numeric[1]), day: Number(numeric[2]) });
  if (
    /end of (?:the |this )?month|^(?:ende (?:des|dieses) monats)|(?:fin|finales) de(?: este)? mes|^本?月底|^月末/iu.test(
      plain,
    )
  )
    return monthEnd(today, 0);
  if (/end of next month|^下个?月底|^来月末/iu.test(plain)) return monthEnd(today, 1);
  if (/end of (?:the |this )?week|ende der woche/iu.test(plain))
    return shiftedDay(today, 4 - weekdayOf(today));
  const counted = countedDay(phrase.toLowerCase(), today);
  if (counted !== undefined) return counted;
  const past = PAST.test(phrase) || SINCE_BEFORE.test(before);
  const named = weekday(plain, { today, past });
  if (named !== undefined) return named;
  const found = await byChrono(phrase, { said, language, past });
  return found?.isWhole === false && HAPPENED_BEFORE.test(before) ? undefined : found?.date;
}

/** Small numbers as words; the place in the list is the number. */
const NUMBERS: readonly (readonly string[])[] = [
  [],
  ["a", "an", "one", "ein", "einem", "einer", "un", "una", "一"],
  ["two", "zwei", "dos", "二", "两"],
  ["three", "drei", "tres", "三"],
  ["four", "vier", "cuatro", "四"],
  ["five", "fünf", "cinco", "五"],
  ["six", "sechs", "seis", "六"],
];
const UNITS: readonly { readonly days: number; readonly pattern: RegExp }[] = [
  { days: 1, pattern: /^(?:days?|tage?n?|días?|天|日)$/u },
  { days: 7, pattern: /^(?:weeks?|wochen?|semanas?|周|週間)$/u },
  { days: 30, pattern: /^(?:months?|monat(?:e|en)?|mes(?:es)?|个月|か月|ヶ月)$/u },
  { days: 365, pattern: /^(?:years?|jahr(?:e|en)?|años?|年)$/u },
];

/** "Two weeks ago", "in drei Tagen", "hace un mes", "两周前". */
function countedDay(phrase: string, today: string): string | undefined {
  const western = /^(?:(vor|hace|in|en|dentro de) )?(\p{L}+|\d{1,2}) (\p{L}+?)(?: (ago))?$/u.exec(phrase);
  const eastern = /^([一二两三四五六]|\d{1,2})(天|日|周|週間|个月|か月|ヶ月|年)(前|后|後)$/u.exec(phrase);
  const [digits = "", word = ""] = western?.slice(2, 4) ?? eastern?.slice(1, 3) ?? [];
  const count = /^\d+$/u.test(digits) ? Number(digits) : NUMBERS.findIndex((names) => names.includes(digits));
  const unit = UNITS.find(({ pattern }) => pattern.test(word));
  if (count < 1 || unit === undefined) return undefined;
  const back = /^(?:vor|hace) | ago$|前$/u.test(phrase);
  return shiftedDay(today, (back ? -1 : 1) * count * unit.days);
}

/** Weeks begin on Monday. "Next Friday" is the Friday of next week; a bare "Friday" the coming one. */
function weekday(
  phrase: string,
  { today, past }: { readonly today: string; readonly past: boolean },
): string | undefined {
  const wanted = WEEKDAYS.findIndex((names) =>
    names.some((name) => new RegExp(`${name}(?:曜日?)?(?: que viene| próximo| pasado)?$`, "u").test(phrase)),
  );
  if (wanted < 0) return undefined;
  const offset = wanted - weekdayOf(today);
  if (phrase.startsWith("下下")) return shiftedDay(today, offset + 14);
  if (/^(?:next |nächsten |下|来週)/u.test(phrase)) return shiftedDay(today, offset + 7);
  if (/^(?:上|先週)/u.test(phrase)) return shiftedDay(today, offset - 7);
  if (/^(?:本|这|今週)/u.test(phrase)) return shiftedDay(today, offset);
  if (past) return shiftedDay(today, offset < 0 ? offset : offset - 7);
  return shiftedDay(today, offset > 0 ? offset : offset + 7);
}

async function byChrono(
  phrase: string,
  { said, language, past }: { readonly said: Said; readonly language: Language; readonly past: boolean },
): Promise<{ readonly date: string; readonly isWhole: boolean } | undefined> {
  const chrono = await loadLate(() => import("chrono-node"));
  const reference = { instant: new Date(said.saidAt), timezone: offsetMinutes(said) };
  const own = language === "de" || language === "es" ? [chrono[language].casual] : [];
  for (const parser of [...own, chrono.en.casual, chrono.de.casual, chrono.es.casual]) {
    const [found] = parser.parse(phrase, reference, { forwardDate: !past });
    if (found === undefined) continue;
    const { start } = found;
    const [year, month, day] = [start.get("year"), start.get("month"), start.get("day")];
    if (year === null || month === null || day === null) continue;
    const isWhole = start.isCertain("year");
    const iso = (of: number) => `${of}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
    // Without a year chrono takes the nearest day, which may be a coming one.
    const isAhead = past && !isWhole && iso(year) > localDate(said.saidAt, said.timeZone);
    return { date: iso(isAhead ? year - 1 : year), isWhole };
  }
  return undefined;
}

/** Minutes the zone was ahead of UTC when it was said. */
function offsetMinutes({ saidAt, timeZone }: Said): number {
  return Math.round(timeZone.offsetMs(saidAt) / 60_000);
}
