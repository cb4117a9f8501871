// Always/never clauses: the sentences of a memory that order something for ever. Pure.
import { cjkPairs, contentWords, hasCjk, normalise, sameWord } from "./words.ts";

export type Polarity = "always" | "never";

export interface StandingClause {
  readonly text: string;
  readonly polarities: readonly Polarity[];
}

const ALWAYS =
  /\b(?:always|must(?! ?n[o']t)|every time|each time)\b|\b(?:immer|stets|muss|musst|müssen|müsst)\b|\b(?:siempre|debe[sn]?|hay que|tienes? que)\b|总是|始终|一律|必须|务必|一定要|永远(?!不)|必ず|常に|いつも|なければならない|べき/iu;
const NEVER =
  /\b(?:never|must ?n[o']t|must not|do ?n[o']t|do not)\b|\b(?:nie|niemals|nicht|kein(?:e[nrms]?)?)\b|\b(?:nunca|jamás)(?!\p{L})|\bno(?= \p{L}+(?:es|as|ar|er|ir|en|an)\b)|不要|别|禁止|不得|不准|绝不|从不|永远不|切勿|不能|不许|ないで|決して|しないこと|てはいけ|てはなら/iu;

/** How a person may say the same without the word itself. */
const ALWAYS_SAID = new RegExp(
  `${ALWAYS.source}|from now on|whenever|\\b(?:every|each|all)\\b|ab jetzt|ab sofort|künftig|jede[nrms]?|\\balle[nrms]?\\b|a partir de ahora|cada|tod[oa]s?|以后|今后|从现在起|每|都|今後|これから|毎`,
  "iu",
);
const NEVER_SAID = new RegExp(
  `${NEVER.source}|\\b(?:no|not|stop|avoid|without|instead of|no more|refuse|forbidden)\\b|n't\\b|statt|ohne|\\bsin\\b|en vez de|而不是|没|不|ではなく|やめて|ない|ません`,
  "iu",
);

/** `Why` and `How to apply` lines say where a rule comes from and reaches; they may use the writer's words. */
const WHERE_TEXT = /^\s*(?:[-*] )?\*{0,2}(?:why|how to apply)\b/imu;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？；;])|\n+/u;

/** The always/never sentences of a memory, `Why` and `How` text left out. */
export function standingClauses(text: string): StandingClause[] {
  const clauses: StandingClause[] = [];
  for (const sentence of ruleText(text).split(SENTENCE_END)) {
    const polarities = polaritiesOf(sentence, { always: ALWAYS, never: NEVER });
    if (polarities.length > 0) clauses.push({ text: sentence.trim(), polarities });
  }
  return clauses;
}

/** Everything before the first `Why` or `How` line. */
export function ruleText(body: string): string {
  const where = WHERE_TEXT.exec(body);
  return where === null ? body : body.slice(0, where.index);
}

function polaritiesOf(text: string, patterns: { always: RegExp; never: RegExp }): Polarity[] {
  const folded = normalise(text);
  const found: Polarity[] = [];
  if (patterns.always.test(folded)) found.push("always");
  if (patterns.never.test(folded)) found.push("never");
  return found;
}

/** Share of a clause's character pairs that must occur; particles and endings differ between forms. */
const CJK_SHARE_MIN = 0.8;

/** Whether the words and the force of `clause` are in what was said. */
export function isSaid(clause: StandingClause, said: string): boolean {
  const forces = polaritiesOf(said, { always: ALWAYS_SAID, never: NEVER_SAID });
  if (!clause.polarities.every((polarity) => forces.includes(polarity))) return false;
  const saidWords = contentWords(said);
  const latin = contentWords(withoutForce(clause.text)).filter((word) => !hasCjk(word));
  if (!latin.every((word) => saidWords.some((candidate) => sameWord(word, candidate)))) return false;
  const pairs = cjkPairs(withoutForce(clause.text));
  const saidPairs = new Set(cjkPairs(said));
  const found = pairs.filter((pair) => saidPairs.has(pair)).length;
  return pairs.length === 0 || found / pairs.length >= CJK_SHARE_MIN;
}

function withoutForce(text: string): string {
  return normalise(text)
    .replace(new RegExp(ALWAYS.source, "giu"), " ")
    .replace(new RegExp(NEVER.source, "giu"), " ");
}
