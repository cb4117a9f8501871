// Makes a rendered text fit a number of tokens. Takes whole words out, so that nobody can quote half an address or
// half a number; secrets were masked before. Pure.
import { estimateTokens } from "../../domain/tokens.ts";

export interface Shortened {
  readonly text: string;
  /** Characters that are not shown. */
  readonly left: number;
}

/** What stands for the missing part. */
const GAP = "…";
/** An address, a number or a name that a cut would tear; longer runs are no single value. */
const TORN_END = /[!-~]{1,300}$/u;
const TORN_START = /^[!-~]{1,300}/u;
/** People say what a paste is for before or after it. */
const HEAD_SHARE = 2 / 3;

/** The beginning of a text. */
export function keepStart(text: string, tokensMax: number): Shortened {
  if (estimateTokens(text) <= tokensMax) return { text, left: 0 };
  const head = headOf(text, tokensMax - estimateTokens(GAP));
  return { text: head + GAP, left: text.length - head.length };
}

/** The beginning and the end of a text, on lines of their own. */
export function keepEnds(text: string, tokensMax: number, headShare = HEAD_SHARE): Shortened {
  if (estimateTokens(text) <= tokensMax) return { text, left: 0 };
  const gap = `\n${GAP}\n`;
  const room = Math.max(0, tokensMax - estimateTokens(gap));
  const head = headOf(text, Math.floor(room * headShare));
  const tail = tailOf(text, room - estimateTokens(head));
  return { text: `${head}${gap}${tail}`.trim(), left: text.length - head.length - tail.length };
}

function headOf(text: string, tokensMax: number): string {
  const length = longest(text.length, (count) => estimateTokens(text.slice(0, count)) <= tokensMax);
  return wholeCharacters(text.slice(0, length)).replace(TORN_END, "").trimEnd();
}

function tailOf(text: string, tokensMax: number): string {
  const length = longest(
    text.length,
    (count) => estimateTokens(text.slice(text.length - count)) <= tokensMax,
  );
  return wholeCharacters(text.slice(text.length - length))
    .replace(TORN_START, "")
    .trimStart();
}

/** Half of a surrogate pair is no character. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, "");
}

/** Largest count that fits; what fits a count fits every smaller one. */
function longest(length: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
