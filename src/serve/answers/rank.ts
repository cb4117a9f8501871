// How well a memory fits the words of a search: one scan, no index, any language. Pure. A word counts by where it
// stands (name, description, text), by how (whole, its start, another form, inside) and by how rare it is among the
// memories searched; the score is the share of what could be found, from 0 to 1.
import type { Memory } from "../../domain/memories.ts";
import { displayText } from "../../domain/printable.ts";

export type Field = "name" | "description" | "body";

export interface Ranked<T> {
  readonly item: T;
  /** Above 0, at most 1. */
  readonly score: number;
  /** Where any of the words was found. */
  readonly matches: readonly Field[];
}

/** One thing to look for: a word, or a run of a script that puts no blanks between words. */
interface Term {
  readonly text: string;
  readonly isRun: boolean;
}

const FIELDS: readonly { readonly field: Field; readonly weight: number }[] = [
  { field: "name", weight: 1 },
  { field: "description", weight: 0.9 },
  { field: "body", weight: 0.6 },
];

const WHOLE = 1;
/** `deploy` in `deployment`. */
const START = 0.8;
/** `deploys` in `deployed`; of a run at least half of its pairs of characters. */
const FORM = 0.6;
/** `test` in `pytest`. */
const INSIDE = 0.4;
/** Shorter words stand inside too many others. */
const INSIDE_CHARS_MIN = 3;
/** What two forms of a word share, and how long their endings are. */
const STEM_CHARS_MIN = 4;
const ENDING_CHARS_MAX = 3;
/** What scores less than this share of the best one found is left out: it shares only words that all texts have. */
const SHARE_OF_BEST_MIN = 0.2;
/** Words of one search; the rest of a long question adds nothing. */
const TERMS_MAX = 32;

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー";
const TERM = new RegExp(`(?<run>[${UNSPACED}]+)|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const ASCII = /^[\u0020-\u007e]*$/u;
/** Accents on Latin, Greek and Cyrillic letters; a voicing mark on kana makes another letter and stays. */
const ACCENTS = /[\u0300-\u036f]/gu;

/** Whether there is anything to look for in these words. */
export function hasTerms(words: string): boolean {
  return termsOf(words).length > 0;
}

/** The memories that fit, best first; newer ones before older ones of the same score when they are given so. */
export function rankMemories<T extends { readonly memory: Memory }>(
  items: readonly T[],
  words: string,
): Ranked<T>[] {
  const terms = termsOf(words);
  const found = items.map((item) => ({ item, hits: hitsIn(item.memory, terms) }));
  const rarities = terms.map((_, at) =>
    rarityOf(found.filter(({ hits }) => (hits.best[at] ?? 0) > 0).length, { all: items.length }),
  );
  const total = rarities.reduce((sum, rarity) => sum + rarity, 0);
  const ranked = found.map(({ item, hits }) => ({
    item,
    score: hits.best.reduce((sum, level, at) => sum + level * (rarities[at] ?? 0), 0) / total,
    matches: hits.matches,
  }));
  const best = ranked.reduce((most, { score }) => Math.max(most, score), 0);
  return ranked
    .filter(({ score }) => score > 0 && score >= best * SHARE_OF_BEST_MIN)
    .toSorted((a, b) => b.score - a.score);
}

/** Always above 0: a word that all have is next to nothing. The weight BM25 gives a word. */
function rarityOf(having: number, { all }: { readonly all: number }): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

function termsOf(words: string): Term[] {
  const terms = new Map<string, Term>();
  for (const match of fold(words).matchAll(TERM)) {
    const [text] = match;
    if (terms.size < TERMS_MAX) terms.set(text, { text, isRun: match.groups?.["run"] !== undefined });
  }
  return [...terms.values()];
}

/** As two spellings of one word look the same. */
function fold(text: string): string {
  const shown = displayText(text);
  if (ASCII.test(shown)) return shown.toLowerCase();
  return shown.normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

interface Hits {
  /** For each term how well it was found, from 0 to 1. */
  readonly best: readonly number[];
  readonly matches: readonly Field[];
}

function hitsIn(memory: Memory, terms: readonly Term[]): Hits {
  const { name = memory.file.replace(/\.md$/u, ""), description = "", body } = memory;
  const texts: Readonly<Record<Field, string>> = { name, description, body };
  const best = terms.map(() => 0);
  const matches: Field[] = [];
  for (const { field, weight } of FIELDS) {
    const text = fold(texts[field]);
    const levels = terms.map((term) => levelIn(text, term) * weight);
    if (levels.some((level) => level > 0)) matches.push(field);
    for (const [at, level] of levels.entries()) best[at] = Math.max(best[at] ?? 0, level);
  }
  return { best, matches };
}

function levelIn(text: string, term: Term): number {
  return term.isRun ? levelOfRun(text, term) : levelOfWord(text, term);
}

function levelOfRun(text: string, { text: run }: Term): number {
  if (text.includes(run)) return WHOLE;
  const characters = Array.from(run);
  const pairs = characters.slice(1).map((character, at) => `${characters[at] ?? ""}${character}`);
  const share = pairs.filter((pair) => text.includes(pair)).length / Math.max(1, pairs.length);
  return share >= 0.5 ? share * FORM : 0;
}

function levelOfWord(text: string, term: Term): number {
  const { text: word } = term;
  let level = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const begins = !isLetterAt(text, at - 1);
    if (begins && !isLetterAt(text, at + word.length)) return WHOLE;
    if (begins) level = START;
    else if (word.length >= INSIDE_CHARS_MIN) level = Math.max(level, INSIDE);
  }
  return level > 0 ? level : levelOfForms(text, term);
}

/** Another ending: the same stem at the start of a word that is hardly longer. */
function levelOfForms(text: string, { text: word }: Term): number {
  const shortest = Math.max(STEM_CHARS_MIN, word.length - ENDING_CHARS_MAX);
  for (let length = word.length - 1; length >= shortest; length--) {
    const stem = word.slice(0, length);
    for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1)) {
      if (!isLetterAt(text, at - 1) && endsSoon(text, at + length)) return FORM;
    }
  }
  return 0;
}

function endsSoon(text: string, from: number): boolean {
  let at = from;
  while (at - from <= ENDING_CHARS_MAX && isLetterAt(text, at)) at++;
  return at - from <= ENDING_CHARS_MAX;
}

function isLetterAt(text: string, at: number): boolean {
  return LETTER.test(text[at] ?? "");
}
