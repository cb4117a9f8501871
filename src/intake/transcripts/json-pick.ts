// Takes the wanted parts out of one line of JSON without building the rest: most bytes of a transcript are tool
// output nobody reads. It follows the structure, never a text pattern, so quoted JSON inside a string cannot fool it.
import { READ_LIMITS } from "../../domain/limits.ts";

/** Which parts of a value are built. What is not wanted is stepped over, at about 1 ns a byte. */
export interface Want {
  /** UTF-16 units kept of a string; the rest is not decoded. */
  readonly chars: number;
  /** Wanted members of an object. */
  readonly members?: Members;
  /** For items of an array; absent: an array comes out empty. */
  readonly items?: Want;
  /** Gives the value as `Sized`, with this many UTF-16 units of its JSON text. */
  readonly sized?: number;
  /** Asked about this string: a true answer gives up the whole line. */
  readonly dropsLine?: (text: string) => boolean;
}

/** A value cut to what was wanted, with the bytes it has in full and the start of its JSON text. */
export interface Sized {
  readonly value: unknown;
  readonly head: string;
  readonly bytes: number;
}

export type Picked =
  | { readonly kind: "value"; readonly value: unknown }
  /** A `dropsLine` said so. */
  | { readonly kind: "dropped" }
  /** Not JSON, cut off, or nested deeper than `READ_LIMITS.jsonDepthMax`. */
  | { readonly kind: "malformed" };

/** Members by the hash of their name's bytes, so that the many unwanted names are never decoded. */
export type Members = ReadonlyMap<number, Member>;

interface Member {
  readonly name: string;
  readonly bytes: Buffer;
  readonly want: Want;
}

export function namedMembers(members: Readonly<Record<string, Want>>): Members {
  return new Map(
    Object.entries(members).map(([name, want]) => {
      const bytes = Buffer.from(name);
      return [bytes.reduce(hashByte, 0), { name, bytes, want }];
    }),
  );
}

/** Wants exactly these members. */
export function membersOf(members: Readonly<Record<string, Want>>): Want {
  return { chars: 0, members: namedMembers(members) };
}

/** First `max` UTF-16 units, never half of a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

export function pickJson(line: Buffer, want: Want): Picked {
  const walk: Walk = newWalk(line);
  try {
    const value = takeValue(walk, want);
    if (walk.dropped) return DROPPED;
    skipBlanks(walk);
    return walk.at === line.length ? { kind: "value", value } : MALFORMED;
  } catch (error) {
    if (error instanceof SyntaxError) return MALFORMED;
    throw error;
  }
}

/** Whether the bytes are one whole JSON object: a half-written one never is. */
export function isWholeObject(line: Buffer): boolean {
  // A long half-written line is met again and again while it grows; its last byte tells at once.
  let last = line.length - 1;
  while (last >= 0 && (line[last] ?? 0) <= SPACE) last -= 1;
  if (line[last] !== CLOSE_OBJECT) return false;
  const walk: Walk = newWalk(line);
  skipBlanks(walk);
  if (line[walk.at] !== OPEN_OBJECT) return false;
  try {
    skipValue(walk);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
  skipBlanks(walk);
  return walk.at === line.length;
}

interface Walk {
  readonly bytes: Buffer;
  at: number;
  /** Objects and arrays that are open around `at`. */
  depth: number;
  dropped: boolean;
}

const DROPPED: Picked = { kind: "dropped" };
const MALFORMED: Picked = { kind: "malformed" };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
/** No wanted name is longer. */
const NAME_CHARS_MAX = 64;
/** Longer numbers are nobody's. */
const NUMBER_BYTES_MAX = 64;
/** A string is walked by hand this far, then searched: a search call costs as much as 8 bytes by hand (measured). */
const HAND_BYTES = 8;
/** Tried first for a unit of a long string: most text has little over one byte a unit, some three. */
const FIRST_BYTES_A_UNIT = 1.25;
const MORE_BYTES = 4;
/** Replacement characters that a cut in the middle of a character can leave at the end. */
const CUT_UNITS_MAX = 4;
/** `\uXXXX` */
const ESCAPE_BYTES_MAX = 6;

function newWalk(line: Buffer): Walk {
  // Some editors put a byte order mark at the start of a file.
  const hasMark = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
  return { bytes: line, at: hasMark ? 3 : 0, depth: 0, dropped: false };
}

function takeValue(walk: Walk, want: Want | undefined): unknown {
  skipBlanks(walk);
  if (want === undefined) return skipValue(walk);
  if (want.sized === undefined) return build(walk, want);
  const start = walk.at;
  const value = build(walk, want);
  const span = { start, end: walk.at, chars: want.sized };
  const head = want.sized === 0 ? "" : decodeSome(walk.bytes, { ...span, decode: plainText });
  const sized: Sized = { value, head, bytes: walk.at - start };
  return sized;
}

function build(walk: Walk, want: Want): unknown {
  switch (walk.bytes[walk.at]) {
    case QUOTE: {
      const text = takeString(walk, want.chars);
      if (want.dropsLine?.(text) === true) walk.dropped = true;
      return text;
    }
    case OPEN_OBJECT:
      return takeObject(walk, want);
    case OPEN_ARRAY:
      return takeArray(walk, want);
    default:
      return takeScalar(walk);
  }
}

function takeObject(walk: Walk, want: Want): unknown {
  enter(walk);
  // Only names out of the plan become members, so `__proto__` in a transcript cannot reach the object.
  const object: Record<string, unknown> = {};
  skipBlanks(walk);
  if (walk.bytes[walk.at] === CLOSE_OBJECT) {
    leave(walk);
    return object;
  }
  for (;;) {
    skipBlanks(walk);
    if (walk.bytes[walk.at] !== QUOTE) throw broken("a member name");
    const member = takeName(walk, want);
    skipBlanks(walk);
    if (walk.bytes[walk.at] !== COLON) throw broken("a colon");
    walk.at += 1;
    const value = takeValue(walk, member?.want);
    if (walk.dropped) return object;
    if (member !== undefined) object[member.name] = value;
    if (!goesOn(walk, CLOSE_OBJECT)) return object;
  }
}

/** The member whose name begins at `walk.at`; undefined when it is not wanted. */
function takeName(walk: Walk, want: Want): Member | undefined {
  const { bytes } = walk;
  const start = walk.at + 1;
  let at = start;
  let hash = 0;
  let byte = bytes[at];
  while (byte !== undefined && byte !== QUOTE && byte !== BACKSLASH) {
    hash = hashByte(hash, byte);
    at += 1;
    byte = bytes[at];
  }
  if (byte === QUOTE) {
    const known = want.members?.get(hash);
    walk.at = at + 1;
    return known !== undefined && at - start === known.bytes.length && startsWith(known.bytes, walk, start)
      ? known
      : undefined;
  }
  // A name spelt with escapes is the same name.
  const name = takeString(walk, NAME_CHARS_MAX);
  const named = want.members?.get(Buffer.from(name).reduce(hashByte, 0));
  return named?.name === name ? named : undefined;
}

function startsWith(name: Buffer, { bytes }: Walk, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[start + at]) return false;
  return true;
}

function hashByte(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

function takeArray(walk: Walk, want: Want): unknown {
  enter(walk);
  const array: unknown[] = [];
  skipBlanks(walk);
  if (walk.bytes[walk.at] === CLOSE_ARRAY) {
    leave(walk);
    return array;
  }
  for (;;) {
    const value = takeValue(walk, want.items);
    if (walk.dropped) return array;
    if (want.items !== undefined) array.push(value);
    if (!goesOn(walk, CLOSE_ARRAY)) return array;
  }
}

/** Steps over a comma (true) or the closing byte (false). */
function goesOn(walk: Walk, close: number): boolean {
  skipBlanks(walk);
  const byte = walk.bytes[walk.at];
  if (byte === close) {
    leave(walk);
    return false;
  }
  if (byte !== COMMA) throw broken("a comma");
  walk.at += 1;
  return true;
}

function takeScalar(walk: Walk): unknown {
  const start = walk.at;
  skipScalar(walk);
  const length = walk.at - start;
  const first = walk.bytes[start];
  if (first === LETTER_T && length === 4) return true;
  if (first === LETTER_F && length === 5) return false;
  if (first === LETTER_N && length === 4) return null;
  if (length > NUMBER_BYTES_MAX) return undefined;
  return JSON.parse(walk.bytes.toString("latin1", start, walk.at));
}

function takeString(walk: Walk, chars: number): string {
  const start = walk.at;
  skipString(walk);
  const end = walk.at - 1;
  // Text never has more units than bytes, so what is short enough needs no cut.
  if (end - start <= chars) return unescaped(walk.bytes, { start: start + 1, end });
  return decodeSome(walk.bytes, { start: start + 1, end, chars, decode: unescaped });
}

interface Some {
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
function decodeSome(bytes: Buffer, { start, end, chars, decode }: Some): string {
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

function plainText(bytes: Buffer, { start, end }: Span): string {
  return bytes.toString("utf8", start, end);
}

function unescaped(bytes: Buffer, span: Span): string {
  const raw = plainText(bytes, span);
  if (!raw.includes("\\")) return raw;
  const text: unknown = JSON.parse(`"${raw}"`);
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

function skipValue(walk: Walk): undefined {
  const { bytes } = walk;
  const around = walk.depth;
  do {
    const byte = bytes[walk.at];
    if (byte === QUOTE) skipString(walk);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) enter(walk);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (walk.depth === around) throw broken("a value");
      leave(walk);
    } else if (byte === undefined) throw broken("the rest");
    else if (walk.depth > around) walk.at += 1;
    else skipScalar(walk);
  } while (walk.depth > around);
  return undefined;
}

/** From the opening quote to just behind the closing one. */
function skipString(walk: Walk): void {
  const { bytes } = walk;
  let at = walk.at + 1;
  const handEnd = Math.min(at + HAND_BYTES, bytes.length);
  while (at < handEnd) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      walk.at = at + 1;
      return;
    }
    at += byte === BACKSLASH ? 2 : 1;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) throw broken("a closing quote");
    let run = quote;
    while (run > at && bytes[run - 1] === BACKSLASH) run -= 1;
    at = quote + 1;
    if ((quote - run) % 2 === 0) break;
  }
  walk.at = at;
}

function skipScalar(walk: Walk): void {
  const { bytes } = walk;
  const start = walk.at;
  let byte = bytes[walk.at];
  while (
    byte !== undefined &&
    byte > SPACE &&
    byte !== COMMA &&
    byte !== CLOSE_OBJECT &&
    byte !== CLOSE_ARRAY
  ) {
    walk.at += 1;
    byte = bytes[walk.at];
  }
  if (walk.at === start) throw broken("a value");
}

function skipBlanks(walk: Walk): void {
  const { bytes } = walk;
  let byte = bytes[walk.at];
  while (byte === SPACE || byte === 0x09 || byte === 0x0d || byte === 0x0a) {
    walk.at += 1;
    byte = bytes[walk.at];
  }
}

function enter(walk: Walk): void {
  walk.at += 1;
  walk.depth += 1;
  // Recursion is bounded by this too.
  if (walk.depth > READ_LIMITS.jsonDepthMax) throw broken("less nesting");
}

function leave(walk: Walk): void {
  walk.at += 1;
  walk.depth -= 1;
}

function broken(expected: string): SyntaxError {
  return new SyntaxError(`expected ${expected}`);
}
