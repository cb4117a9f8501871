// Lines of ours in a text made of other people's words: they carry a code that occurs in nobody's words, so that nothing
// can pass for one of them. Pure.
import { shortHash } from "../../system/ids.ts";

/** Hex characters of the code; a text cannot hold a noteworthy share of four billion. */
export const CODE_CHARS = 8;
const CODES = 16 ** CODE_CHARS;

export function hostLine(code: string, words: string): string {
  return `[[${code} ${words}]]`;
}

/** A code that does not occur in the words. */
export function codeFor(words: string): string {
  return freeCode(words, shortHash(words, CODE_CHARS));
}

/**
 * The first code from `code` on that does not occur in the words, in whatever case. A text of n characters holds fewer
 * than n different codes, so one of the first n is free.
 */
export function freeCode(words: string, code: string): string {
  const folded = words.toLowerCase();
  let free = code;
  for (let tries = 0; tries < folded.length && folded.includes(free); tries += 1) {
    free = ((Number.parseInt(free, 16) + 1) % CODES).toString(16).padStart(CODE_CHARS, "0");
  }
  return free;
}
