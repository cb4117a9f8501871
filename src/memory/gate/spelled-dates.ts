// Dates written out with their year in the five supported languages, as the gate writes them: `YYYY-MM-DD`, and
// `YYYY-MM` of each. Pure. Words that only count from another day ("next Friday") are none of these.

/** By number, written out or cut to their first letters ("Dec."). */
const MONTHS: readonly RegExp[] = [
  /^(?:jan(?:uary?)?|jän(?:ner)?|ene(?:ro)?)$/u,
  /^(?:feb(?:ruary?|rero)?)$/u,
  /^(?:mar(?:ch|zo)?|märz?|mrz)$/u,
  /^(?:apr(?:il)?|abr(?:il)?)$/u,
  /^(?:may|mai|mayo)$/u,
  /^(?:june?|juni|junio)$/u,
  /^(?:july?|juli|julio)$/u,
  /^(?:aug(?:ust)?|ago(?:sto)?)$/u,
  /^(?:sept?(?:ember|iembre)?|set(?:iembre)?)$/u,
  /^(?:o[ck]t(?:ober|ubre)?)$/u,
  /^(?:nov(?:ember|iembre)?)$/u,
  /^(?:de[cz](?:ember)?|dic(?:iembre)?)$/u,
];
const NAME = String.raw`(?<name>\p{L}{3,10})\.?`;
const YEAR = String.raw`(?<year>(?:19|20)\d\d)(?!\d)`;
const DAY = String.raw`(?<!\d)(?<day>\d{1,2})(?:st|nd|rd|th|\.)?`;
const SPELLED: readonly RegExp[] = [
  new RegExp(String.raw`${DAY} ?(?:of |de |del )?${NAME},? ?(?:de |del )?${YEAR}`, "giu"),
  new RegExp(String.raw`${NAME} ${DAY},? ${YEAR}`, "giu"),
  new RegExp(String.raw`(?<!\p{L})${NAME},? (?:of |de |del )?${YEAR}`, "giu"),
  /(?<year>(?:19|20)\d\d) ?年 ?(?<month>\d{1,2}) ?月(?: ?(?<day>\d{1,2}) ?[日号])?/gu,
  /(?<!\d)(?<day>\d{1,2})[./](?<month>\d{1,2})[./](?<year>(?:19|20)\d\d)(?!\d)/gu,
  /(?<!\d)(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>(?:19|20)\d\d)(?!\d)/gu,
  /(?<!\d)(?<year>(?:19|20)\d\d)[./](?<month>\d{1,2})[./](?<day>\d{1,2})(?!\d)/gu,
];

/** Every date the text spells out, in all readings where day and month can be told either way. */
export function spelledDates(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pattern of SPELLED) {
    for (const { groups = {} } of text.matchAll(pattern)) {
      const { year, name, day } = groups;
      const month = name === undefined ? Number(groups["month"]) : monthOf(name);
      if (year === undefined || !(month >= 1 && month <= 12)) continue;
      const yearMonth = `${year}-${String(month).padStart(2, "0")}`;
      found.add(yearMonth);
      if (day !== undefined) found.add(`${yearMonth}-${day.padStart(2, "0")}`);
    }
  }
  return found;
}

/** 1 to 12; 0 for a word that is no month. */
function monthOf(name: string): number {
  return MONTHS.findIndex((month) => month.test(name.toLowerCase())) + 1;
}
