// One word of a command that a person is told to type. Must never let a path or a file name be more than a word.
import { displayText } from "./printable.ts";

/** Characters no shell gives a meaning. */
const PLAIN = /^[\w@%+=:,./-]+$/u;

/** Quoted where a shell would read something into it; without characters that cannot be typed. */
export function shellWord(text: string): string {
  const word = displayText(text);
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
