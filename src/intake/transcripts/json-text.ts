// Text out of the bytes of a JSON string, decoded only as far as it is wanted. Knows no structure.

/** Tried first for a unit of a long string: most text has little over one byte a unit, some three. */
const FIRST_BYTES_A_UNIT = 1.25;
const MORE_BYTES = 4;
/** Replacement characters that a cut in the middle of a character can leave at the end. */
const CUT_UNITS_MAX = 4;
/** Ids and names hold no escapes: looking for one is cheaper than parsing. In long text there nearly always is one. */
const SHORT_BYTES = 64;
/** `\uXXXX` */
const ESCAPE_BYTES_MAX = 6;
const BACKSLASH = 0x5c;

/** First `max` UTF-16 units, never half of a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

export interface Some {
  readonly start: number;
  readonly end: number;
  readonly chars: number;
  readonly decode: (bytes: Buffer, span: Span) => string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Decoding costs more than finding the end, so a long text is decoded only as far as it is wanted. */
export function decodeSome(bytes: Buffer, { start, end, chars, decode }: Some): string {
  for (
    let size = Math.ceil(FIRST_BYTES_A_UNIT * chars) + CUT_UNITS_MAX;
    size < end - start;
    size *= MORE_BYTES
  ) {
    const text = decode(bytes, { start, end: wholeEscapes(bytes, { start, end: start + size }) });
    if (text.length >= chars + CUT_UNITS_MAX) return cutText(text, chars);
  }
  return cutText(decode(bytes, { start, end }), chars);
}

export function plainText(bytes: Buffer, { start, end }: Span): string {
  return bytes.toString("utf8", start, end);
}

/** The text between two quotes, which stand just outside the span. */
export function quotedText(bytes: Buffer, { start, end }: Span): string {
  if (end - start > SHORT_BYTES) return parseText(bytes.toString("utf8", start - 1, end + 1));
  return unescaped(bytes, { start, end });
}

/** Text of a part of a string; where it has escapes it must not begin or end inside one. */
export function unescaped(bytes: Buffer, span: Span): string {
  const raw = plainText(bytes, span);
  return raw.includes("\\") ? parseText(`"${raw}"`) : raw;
}

function parseText(json: string): string {
  const text: unknown = JSON.parse(json);
  return typeof text === "string" ? text : "";
}

/** The last place at or before `end` that does not stand inside an escape. */
function wholeEscapes(bytes: Buffer, { start, end }: Span): number {
  const from = Math.max(start, end - ESCAPE_BYTES_MAX);
  let slash = end - 1;
  while (slash >= from && bytes[slash] !== BACKSLASH) slash -= 1;
  if (slash < from) return end;
  let run = slash;
  while (run > start && bytes[run - 1] === BACKSLASH) run -= 1;
  return (slash - run) % 2 === 0 ? slash : end;
}
