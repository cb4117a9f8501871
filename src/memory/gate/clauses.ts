// Always/never clauses: the sentences of a memory that order something for ever. Pure.
import { plainText, unmarkedText } from "./plain-text.ts";
import { sentencesOf } from "./sentences.ts";
import { cjkPairs, latinWords, normalise, sameWord } from "./words.ts";

export type Polarity = "always" | "never";

export interface StandingClause {
  readonly text: string;
  readonly polarities: readonly Polarity[];
}

const ALWAYS = new RegExp(
  [
    String.raw`\b(?:always|must(?! ?n[o']t)|every time|each time|at all times|without exception|in all cases|mandatory|(?:has|have) to|required to|shall(?! (?:i|we|not)\b))\b`,
    String.raw`\b(?:immer|stets|muss|musst|müssen|müsst|jedes mal|ausnahmslos|grundsätzlich|zwingend)\b`,
    String.raw`\b(?:siempre|debe[sn]?|hay que|tienes? que|en todo momento|sin excepción|obligatori[oa])(?!\p{L})`,
    "总是|始终|一律|必须|务必|一定要|永远(?!不)|每次|无论如何|必ず|常に|いつも|毎回|絶対に|なければならない|なければなりません|べき",
  ].join("|"),
  "iu",
);
const NEVER = new RegExp(
  [
    String.raw`\b(?:never|must ?n[o']t|must not|do ?n[o']t|do not|should ?n[o']t|should not|shall not|may not|under no circumstances|on no account|at no time|forbidden|prohibited|not (?:allowed|permitted)|avoid|refrain from)\b`,
    String.raw`\b(?:nie|niemals|nicht|kein(?:e[nrms]?)?|keinesfalls|auf keinen fall|verboten|untersagt|vermeide[nt]?)\b`,
    String.raw`\b(?:nunca|jamás|prohibid[oa]s?|evita[r]?|en ningún caso|bajo ninguna circunstancia)(?!\p{L})|\bno(?= \p{L}+(?:es|as|ar|er|ir|en|an)\b)`,
    "不要|别|禁止|不得|不准|绝不|绝对不|从不|永远不|切勿|切忌|严禁|请勿|避免|不能|不许|ないで|決して|しないこと|てはいけ|てはなら|厳禁|避け",
  ].join("|"),
  "iu",
);

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
/** A `Why` or `How to apply` label; what it labels ends with its paragraph. */
const LABEL_LINE = /^\s*(?:[-*] )?\*{0,2}(?:why|how to apply):/iu;

/** The always/never sentences of a body, `Why` and `How to apply` paragraphs left out. */
export function standingClauses(body: string): StandingClause[] {
  return clausesOf(withoutReasons(body));
}

/** The always/never sentences of any text. */
export function clausesOf(text: string): StandingClause[] {
  return sentencesOf(unmarkedText(plainText(text))).flatMap((sentence) => {
    const polarities = polaritiesOf(sentence, { always: ALWAYS, never: NEVER });
    return polarities.length > 0 ? [{ text: sentence, polarities }] : [];
  });
}

/** A body without its `Why` and `How to apply` paragraphs: a rule hidden behind them is still a rule. */
export function withoutReasons(body: string): string {
  let inReason = false;
  const kept = body.split(/\r?\n/u).filter((line) => {
    if (LABEL_LINE.test(line)) inReason = true;
    else if (line.trim() === "" || /^\s*#{1,6} /u.test(line)) inReason = false;
    return !inReason;
  });
  return kept.join("\n");
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

/** Whether a word of negation stands in a text, in any of its forms. */
export function hasNegation(text: string): boolean {
  return NEVER_SAID.test(normalise(text));
}

/** What was said, cut and counted once, for many clauses. */
export interface Said {
  readonly units: readonly (readonly SaidSentence[])[];
  /** A short sentence says "always" about the others. */
  readonly lendsAlways: boolean;
}

interface SaidSentence {
  readonly text: string;
  readonly words: readonly string[];
  readonly pairs: ReadonlySet<string>;
  readonly forces: readonly Polarity[];
}

/** `units`: texts that belong together, such as one message or one memory. */
export function saidIn(units: readonly string[]): Said {
  const cut = units.map((unit) => sentencesOf(unmarkedText(plainText(unit))).map(saidSentence));
  return { units: cut, lendsAlways: cut.flat().some(lendsForce) };
}

function saidSentence(text: string): SaidSentence {
  return {
    text,
    words: [...new Set(latinWords(text).flatMap((word) => [word, ...word.split("-")]))],
    pairs: new Set(cjkPairs(text)),
    forces: polaritiesOf(text, { always: ALWAYS_SAID, never: NEVER_SAID }),
  };
}

/** Share of a clause's character pairs that must occur; particles and endings differ between forms. */
const CJK_SHARE_MIN = 0.8;
/** "Use tabs. It reads better. From now on." is one wish. */
const WISH_SENTENCES = 3;
/** "Yes, from now on, please.": with nothing but these beside its force, a sentence says "always" about others. */
const LENDER_WORDS = new Set(
  (
    "yes yeah ok okay sure please thanks exactly do so same keep doing going forward now from " +
    "ja genau bitte danke so machen mach sí vale gracias por favor hazlo así"
  ).split(" "),
);
const LENDER_CHARS_MAX = 60;
/** CJK letters of a yes and a please. */
const LENDER_PAIRS_MAX = 4;

/**
 * Whether the words and the force of `clause` were said together. A sentence that has all its words decides by its own
 * force, so that "always lint, never push" gives no "never lint".
 */
export function isSaid(clause: StandingClause, said: Said): boolean {
  const wanted = wantedOf(clause.text);
  let isWhole = false;
  for (const sentence of said.units.flat()) {
    if (!holds(wanted, [sentence])) continue;
    isWhole = true;
    if (hasForces(clause, said.lendsAlways ? [...sentence.forces, "always"] : sentence.forces)) return true;
  }
  if (isWhole) return false;
  return said.units.some((unit) =>
    unit.some((_sentence, at) => {
      const wish = unit.slice(at, at + WISH_SENTENCES);
      return (
        hasForces(
          clause,
          wish.flatMap(({ forces }) => forces),
        ) && holds(wanted, wish)
      );
    }),
  );
}

interface Wanted {
  readonly latin: readonly string[];
  readonly pairs: readonly string[];
}

function wantedOf(text: string): Wanted {
  const plain = withoutForce(text);
  return { latin: [...new Set(latinWords(plain))], pairs: cjkPairs(plain) };
}

function holds({ latin, pairs }: Wanted, sentences: readonly SaidSentence[]): boolean {
  const saysWord = (word: string) =>
    sentences.some(({ words }) => words.some((candidate) => sameWord(word, candidate)));
  if (!latin.every(saysWord)) return false;
  const found = pairs.filter((pair) => sentences.some((sentence) => sentence.pairs.has(pair))).length;
  return pairs.length === 0 || found / pairs.length >= CJK_SHARE_MIN;
}

function hasForces({ polarities }: StandingClause, forces: readonly Polarity[]): boolean {
  return polarities.every((polarity) => forces.includes(polarity));
}

function lendsForce({ text, forces }: SaidSentence): boolean {
  if (text.length > LENDER_CHARS_MAX || !forces.includes("always") || forces.includes("never")) return false;
  const rest = normalise(text).replace(new RegExp(ALWAYS_SAID.source, "giu"), " ");
  return (
    latinWords(rest).every((word) => LENDER_WORDS.has(word)) && cjkPairs(rest).length <= LENDER_PAIRS_MAX
  );
}

const EVERY_FORCE = new RegExp(`${ALWAYS.source}|${NEVER.source}`, "giu");

function withoutForce(text: string): string {
  return normalise(text).replace(EVERY_FORCE, " ");
}
