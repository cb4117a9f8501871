// Makes foreign text safe to show: a terminal must never obey a transcript, a memory or a file name.

/**
 * Characters that move the cursor, start an escape sequence, reorder a line or hide text: C0, DEL, C1, line and
 * paragraph separators, direction controls, invisible fillers, annotations, tags and lone surrogates.
 * Joiners (U+200C, U+200D) stay: Persian and emoji need them.
 */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- naming them is what this file is for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}]/gu;

/** Blanks that separate words and would otherwise glue them together. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

/** One line of text without any control character; line breaks and tabs become one space. */
export function displayText(text: string): string {
  return text.replace(BREAKS, " ").replace(UNPRINTABLE, "");
}

/** As `displayText`, keeping the lines. */
export function displayLines(text: string): string[] {
  return text.split(/\r\n|[\n\r]/u).map((line) => displayText(line.replaceAll("\t", "    ")));
}

/** A JSON document whose strings hold unprintable characters only as `\uXXXX`. `space` as in JSON.stringify. */
export function displayJson(value: unknown, space?: number): string {
  return displayJsonText(JSON.stringify(value, undefined, space));
}

/** As `displayJson`, for a document that is text already. */
export function displayJsonText(text: string): string {
  // Line breaks of the layout are the only control characters JSON.stringify leaves outside strings.
  return text.replace(UNPRINTABLE, (found) => (found === "\n" ? found : escaped(found)));
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
