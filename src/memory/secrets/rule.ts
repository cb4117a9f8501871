// What a secret rule is, and the builders the tables are written with. Formats are public facts about tokens; a rule
// is tried only where one of its keywords stands, so its cost follows the hits and not the text.

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SecretRule {
  readonly id: string;
  /** Lower case; compared in any case. */
  readonly keywords: readonly string[];
  /** Secrets at (or around) a keyword that starts at `at`. Bounded work, whatever the text holds. */
  find(text: string, at: number): readonly Range[];
}

/** Character classes of values; the number of characters follows in braces. */
export const AN = "[A-Za-z0-9]";
export const LOWER_AN = "[a-z0-9]";
/** With underscore and hyphen. */
export const W = "[A-Za-z0-9_-]";
/** With underscore, hyphen and equals. */
export const E = "[A-Za-z0-9_=-]";
export const HEX = "[0-9a-fA-F]";
export const LOWER_HEX = "[0-9a-f]";
export const UUID = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}";
export const BASE64 = "[A-Za-z0-9+/]";

/**
 * No word before it. An escape (`\n`, `\u003c`, `%3D`) or a colour of a terminal ends in a letter that belongs to no
 * word.
 */
export const WORD_START =
  "(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf]|\\\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|\\[[0-9;]{0,12}[mK]))";
/** What may follow a value taken from an assignment. */
const VALUE_END = "(?=[`'\"\\s;,)\\]}<>&|*\\\\!?\\x80-\\uffff]|\\.(?:\\s|$)|$)";
/** The rest of the name; taken whole (read ahead, then referred to), so that a run of blanks is not tried at each length. */
const GAP = "(?=(?<gap>[ \\t\\w.-]{0,20}))\\k<gap>[\\s'\"\\\\]{0,4}";
/** A type may stand before the sign: `val key: String = ...`. */
const SEPARATOR =
  "(?::[ \\t]{0,2}[A-Za-z][\\w<>?.[\\]]{0,24}[ \\t]{1,2}=(?!=)|=>|\\|\\||\\?=|:{1,3}=|[=:>,]|：|＝)";

export interface Shape {
  readonly id: string;
  readonly keywords: readonly string[];
  /** Source of the pattern; the group `secret`, if there is one, is the secret. Starts at the keyword. */
  readonly pattern: string;
  /** Characters before the keyword where the pattern starts. */
  readonly back?: number;
  /** Shannon entropy in bits a character that the value must pass. */
  readonly entropy?: number;
  readonly accept?: (value: string, place: { readonly text: string; readonly start: number }) => boolean;
}

/** Places of groups cost more than the match itself, so they are asked for only where a group names the secret. */
const SECRET_GROUP = "(?<secret>";

export function shaped({ id, keywords, pattern, back = 0, entropy = 0, accept }: Shape): SecretRule {
  // Most formats never occur: a pattern is made when its keyword does.
  let sticky: RegExp | undefined;
  return {
    id,
    keywords,
    find(text, at) {
      if (at < back) return [];
      sticky ??= new RegExp(pattern, pattern.includes(SECRET_GROUP) ? "dy" : "y");
      sticky.lastIndex = at - back;
      const match = sticky.exec(text);
      if (match === null) return [];
      const whole: [number, number] = [match.index, sticky.lastIndex];
      const [start, end] = match.indices?.groups?.["secret"] ?? whole;
      const value = text.slice(start, end);
      if ((entropy > 0 && entropyOf(value) <= entropy) || isPlaceholder(value)) return [];
      return accept === undefined || accept(value, { text, start }) ? [{ start, end }] : [];
    },
  };
}

export interface Prefixed {
  readonly id: string;
  readonly prefix: string;
  /** Source of what follows the prefix. */
  readonly rest: string;
  readonly entropy?: number;
  /** Accepted inside longer words too. */
  readonly anywhere?: boolean;
  /** Neither base64 nor a file name may go on after the value. */
  readonly strictEnd?: boolean;
}

/** A token known by its prefix. */
export function prefixed({ id, prefix, rest, entropy = 0, anywhere, strictEnd }: Prefixed): SecretRule {
  const start = anywhere === true ? "" : WORD_START;
  const end = strictEnd === true ? "(?![A-Za-z0-9_+/=-]|\\.[A-Za-z0-9])" : wordEnd(rest);
  const pattern = `${start}${escaped(prefix)}${rest}${end}`;
  return shaped({ id, keywords: [prefix.toLowerCase()], pattern, entropy });
}

/** A hyphen or an underscore ends what cannot hold one: a token may be part of a file name. */
function wordEnd(rest: string): string {
  return rest.endsWith("}") && !rest.includes("_-") ? "(?![A-Za-z0-9])" : "(?![A-Za-z0-9_-])";
}

export interface Assigned {
  readonly id: string;
  /** Lower-case words a name holds; with `exactCase` only lower, Capitalised and UPPER count, else any case. */
  readonly names: readonly string[];
  readonly value: string;
  readonly entropy?: number;
  readonly exactCase?: boolean;
  readonly accept?: Shape["accept"];
}

/** Between the sign and the value: a list, a call around it, a quote with its letters and escapes. */
const OPENING = "[\\s=[]{0,5}(?:[\\w.]{1,30}\\((?=[\"'`]))?[bfruBFRU@$]{0,2}[`'\"\\s\\\\]{0,6}";

/** A value without a telling prefix, known by the name it is assigned to. */
export function assigned({ id, names, value, entropy = 0, exactCase, accept }: Assigned): SecretRule {
  const cases = (name: string) =>
    exactCase === true
      ? [name, name[0]?.toUpperCase() + name.slice(1), name.toUpperCase()].join("|")
      : anyCase(name);
  const word = `(?:${names.map(cases).join("|")})`;
  const pattern = `${word}${GAP}${SEPARATOR}${OPENING}(?<secret>${value})${VALUE_END}`;
  return shaped({ id, keywords: names, pattern, entropy, ...(accept === undefined ? {} : { accept }) });
}

/** A source that takes the word in any case; JavaScript has no inline flag for it. */
export function anyCase(word: string): string {
  return escaped(word).replace(/[a-z]/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/gu, "\\$&");
}

/** Shannon entropy in bits a character. */
export function entropyOf(value: string): number {
  // Counted in place, in counters kept at zero: this runs for every candidate, and our formats are ASCII.
  for (let at = 0; at < value.length; at += 1) {
    const code = Math.min(value.charCodeAt(at), ASCII_CODES);
    COUNTS[code] = (COUNTS[code] ?? 0) + 1;
  }
  let bits = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = Math.min(value.charCodeAt(at), ASCII_CODES);
    const share = (COUNTS[code] ?? 0) / value.length;
    if (share > 0) bits -= share * Math.log2(share);
    COUNTS[code] = 0;
  }
  return bits;
}

const ASCII_CODES = 128;
const COUNTS = new Uint32Array(ASCII_CODES + 1);

/** Share of neighbours that differ in case above which letters are no words in camel case; random ones have a half. */
const CASE_CHANGES_MIN = 0.4;
const SOUP_CHARS_MIN = 12;

/** Letters without order, such as no name and no prose has. */
export function isLetterSoup(value: string): boolean {
  if (/^[a-z]*(?:[A-Z][a-z]+)+$/u.test(value)) return false;
  const changes = value.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/gu)?.length ?? 0;
  return value.length >= SOUP_CHARS_MIN && changes > value.length * CASE_CHANGES_MIN;
}

/** Values nobody keeps secret: variables, templates, paths, documentation. */
export function isPlaceholder(value: string): boolean {
  if (/^true|false|null$/iu.test(value)) return true;
  if (/^([A-Za-z.*])\1*$/u.test(value)) return true;
  if (/^\$|^%\w+%?$|\{\{|\$\{|\$\(|^<|^@\w+@$|^%[+#-]*[sdv]|^\.\.\./u.test(value)) return true;
  if (/^\/(?:bin|dev|etc|home|opt|tmp|usr|var|Users|Library|Applications)\//u.test(value)) return true;
  // A name of code, such as `toStringMethod`.
  if (/^[a-z]{2,}(?:[A-Z][a-z]{2,})+$/u.test(value)) return true;
  if (/(?:x{6}|X{6}|\*{4}|_here|_HERE|EXAMPLE$)/u.test(value)) return true;
  return /abcdefghijklmnopqrstuvwxyz/iu.test(value);
}
