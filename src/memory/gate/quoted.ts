// Whether one quote is an honest piece of the text it names: it stands there, says something, and drops no "not" or
// half word. Pure.
import { affirms } from "./affirmation.ts";
import { hasNegation } from "./clauses.ts";
import { normalise } from "./words.ts";

/** What masking leaves of a secret. */
const MASK = /\[secret:[^\]\n]{1,60}\]/gu;
/** Stands for a mask while texts are compared, so that no piece of a mark can be quoted. */
const MASK_SIGN = "\u{fffc}";
/** Letters and digits below which a quote could be found anywhere. */
const LETTERS_MIN = 2;

export interface QuoteAsk {
  readonly quote: string;
  /** The one rendering of the record, or the text of the memory. */
  readonly source: string;
  /** A model chooses where to cut; the offline rules quote whole sentences. */
  readonly strict: boolean;
}

/** A sentence that says how to quote better; undefined for an honest quote. */
export function quoteProblem({ quote, source, strict }: QuoteAsk): string | undefined {
  const piece = folded(quote);
  const text = folded(source);
  if (isTrivial(piece)) return "a quote must be words that say something, not a mark or a masked secret";
  const starts = startsOf(piece, text);
  if (starts.length === 0) return "a quote does not stand in the record it names; copy the words exactly";
  if (!strict) return undefined;
  const whole = starts.filter((at) => !cutsWord(text, { from: at, to: at + piece.length }));
  if (whole.length === 0) return "a quote begins or ends inside a word; copy whole words";
  const honest =
    hasNegation(piece) ||
    whole.some((at) => !hasNegation(aroundOf(text, { from: at, to: at + piece.length })));
  return honest ? undefined : "a quote leaves out a negation next to it; copy the whole sentence";
}

function folded(text: string): string {
  return normalise(text.replace(MASK, MASK_SIGN));
}

function isTrivial(piece: string): boolean {
  const letters = piece.match(/[\p{L}\p{N}]/gu) ?? [];
  return letters.length < LETTERS_MIN && !affirms(piece);
}

/** More places than this say nothing new. */
const PLACES_MAX = 50;

function startsOf(piece: string, text: string): number[] {
  const starts: number[] = [];
  for (
    let at = text.indexOf(piece);
    at !== -1 && starts.length < PLACES_MAX;
    at = text.indexOf(piece, at + 1)
  ) {
    starts.push(at);
  }
  return starts;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Scripts without spaces between words cannot tell. */
const WORD_CHARACTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]/u;

function cutsWord(text: string, { from, to }: Span): boolean {
  const cuts = (at: number) =>
    WORD_CHARACTER.test(text.charAt(at - 1)) && WORD_CHARACTER.test(text.charAt(at));
  return cuts(from) || cuts(to);
}

/** A negation further away belongs to another clause. */
const CLAUSE_END = /[.!?;:,。！？；：，、]|\s-\s/u;

/** The rest of the clause a quote was cut from, before and after it. */
function aroundOf(text: string, { from, to }: Span): string {
  const before = text.slice(0, from).split(CLAUSE_END).at(-1) ?? "";
  const after = text.slice(to).split(CLAUSE_END)[0] ?? "";
  return `${before} ${after}`;
}
