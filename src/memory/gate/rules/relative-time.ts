// Days that move: "tomorrow" in a memory is wrong the day after. Only what a model writes is asked; the offline rules
// count dates themselves. Five languages.
import type { MemoryChange } from "../../../domain/changes.ts";
import { proposedText, type ProposalFacts, type Refusal } from "../facts.ts";
import { citedMemories, memoryText } from "../quotes.ts";
import { normalise } from "../words.ts";

const EN_COUNT = String.raw`(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|some|a couple of)`;
const DE_COUNT = String.raw`(?:\d{1,3}|eine[mrn]?|zwei|drei|vier|fünf|sechs|sieben|acht|zehn|wenigen|einigen|ein paar)`;
const ES_COUNT = String.raw`(?:\d{1,3}|una?|dos|tres|cuatro|cinco|seis|siete|ocho|diez|unos|unas|pocos|pocas)`;
const EN_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const DE_DAY = "(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)";
const ES_DAY = "(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)";

const RELATIVE = new RegExp(
  [
    String.raw`\b(?:today|tonight|tomorrow|yesterday)\b`,
    String.raw`\b(?:next|last|this|coming|past) (?:week(?:end)?|month|quarter|year|sprint|spring|summer|autumn|fall|winter|night|morning|afternoon|evening|${EN_DAY})\b`,
    String.raw`\b${EN_COUNT} (?:days?|weeks?|months?|quarters?|years?) (?:ago|from now)\b`,
    String.raw`(?<!with)\bin ${EN_COUNT} (?:days|weeks?|months?|years?)\b(?! (?:old|time))`,
    String.raw`(?<!\b(?:every|each|any|a|per|other) )\b${EN_DAY}\b`,
    String.raw`\b(?:heute|gestern|vorgestern|übermorgen)\b|(?<!(?:am|jeden|guten|heute|dem|den|bis zum|pro) )\bmorgen\b`,
    String.raw`\b(?:nächste|kommende|letzte|vergangene|diese)[nrms]? (?:woche|wochenende|monat|jahr|quartal|sprint|${DE_DAY})`,
    String.raw`\b(?:vor|in) ${DE_COUNT} (?:tag|woche|monat|jahr|quartal)(?:e|en|n|s)?\b`,
    String.raw`(?<!(?:jeden|jedem|je|pro|immer) )\b${DE_DAY}\b`,
    String.raw`\b(?:hoy(?! en día)|ayer|anteayer)\b|(?<!(?:la|cada|una|esta) )\bmañana\b`,
    String.raw`\b(?:semana|mes|año|trimestre|${ES_DAY}) (?:que viene|pasad[oa]|próxim[oa])|\b(?:próxim[oa]|pasad[oa]|est[ea]) (?:semana|mes|año|trimestre|${ES_DAY})`,
    String.raw`\b(?:hace|dentro de|en) ${ES_COUNT} (?:días?|semanas?|mes(?:es)?|años?)(?!\p{L})`,
    String.raw`(?<!(?:cada|todos los|los|un) )\b${ES_DAY}(?!\p{L})`,
    String.raw`今天|明天|后天|昨天|前天|今晚|明年|去年|今年|(?:下|上|本|这)(?:个)?(?:周|星期|礼拜|月|季度)|(?<![每逢])(?:周|星期|礼拜)[一二三四五六日天](?!到|至)|(?:\d+|[一两二三四五六七八九十几])(?:天|周|个?星期|个月|年)(?:之)?(?:前|后|以后)`,
    String.raw`今日|明日|明後日|昨日|一昨日|今夜|来週|先週|今週|来月|先月|今月|来年|昨年|(?<!毎週)[月火水木金土日]曜|(?:\d+|[一二三四五六七八九十数])(?:日|週間|か月|ヶ月|年)(?:前|後)`,
  ].join("|"),
  "giu",
);
/** A date next to a weekday makes it absolute. */
const DATE = /\d{4}-\d{2}|\d{4}年/u;
const NEAR_CHARS = 16;
/** "Never deploy on a Friday": a weekday in a rule comes back every week. In Chinese and Japanese a ban is a rule. */
const RECURRING =
  /\b(?:always|never|every|each|immer|nie|niemals|jede[nrms]?|siempre|nunca|cada)\b|每|总是|从不|绝不|永远|不要|不准|不许|不得|禁止|毎|常に|必ず|絶対に|決して|しない|しません/iu;
const WEEKLY = new RegExp(
  String.raw`\b(?:${EN_DAY}|${DE_DAY})s\b|\b(?:every|each|jeden) (?:${EN_DAY}|${DE_DAY})\b|\b(?:los|cada) ${ES_DAY}(?!\p{L})|\b(?:weekly|wöchentlich|semanal)|每(?:个)?(?:周|星期|礼拜)|毎週|(?:第[一二三四五]|[一二三四五]番目の?)[月火水木金土日]曜`,
  "iu",
);
const WEEKDAY = new RegExp(
  `^(?:${EN_DAY}|${DE_DAY}|${ES_DAY}|(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜)$`,
  "iu",
);

export function relativeTimeRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const known = citedMemories(change, facts).map((memory) => normalise(memoryText(memory)));
  const found = linesOf(change).flatMap((line) => placesIn(line).map(({ phrase }) => phrase));
  if (found.every((phrase) => known.some((text) => text.includes(phrase)))) return undefined;
  return {
    reason: "excluded-kind",
    message:
      "a relative day or time is wrong tomorrow; count it from the message's date and write YYYY-MM-DD",
  };
}

/** Those of a memory that stands, line by line: not a label in quotes, a day with its date, or a day of a weekly rhythm. */
export function staleTimesIn(lines: readonly string[]): (string | undefined)[] {
  const isWeekly = lines.some(
    (line) =>
      WEEKLY.test(line) ||
      (RECURRING.test(line) && [...line.matchAll(RELATIVE)].some(([phrase]) => WEEKDAY.test(phrase))),
  );
  return lines.map(
    (line) =>
      placesIn(line).find(
        ({ phrase, index }) =>
          !(isWeekly && WEEKDAY.test(phrase)) &&
          !isSettled(line.slice(0, index), line.slice(index + phrase.length)),
      )?.phrase,
  );
}

interface Place {
  readonly phrase: string;
  readonly index: number;
}

function placesIn(line: string): Place[] {
  return [...line.matchAll(RELATIVE)]
    .map(({ 0: phrase, index }) => ({ phrase, index }))
    .filter((place) => !isAbsolute(line, place));
}

/** Between quotes it is what something is called; next to a whole date it is that day. */
function isSettled(before: string, after: string): boolean {
  const isLabel = /["'「『]$/u.test(before) && /^["'」』]/u.test(after);
  const hasDate = /\d{4}-\d{2}-\d{2}[\s,:]*\(?$/u.test(before) || /^[\s,:]*\(?\d{4}-\d{2}-\d{2}/u.test(after);
  return isLabel || hasDate;
}

function linesOf(change: MemoryChange): string[] {
  return proposedText(change).split("\n").map(normalise);
}

function isAbsolute(line: string, { phrase, index }: Place): boolean {
  if (!WEEKDAY.test(phrase)) return false;
  const near = line.slice(Math.max(0, index - NEAR_CHARS), index + phrase.length + NEAR_CHARS);
  return DATE.test(near) || RECURRING.test(line);
}
