// Takes the wanted parts out of one line of JSON without building the rest: most bytes of a transcript are tool
// output nobody reads. It follows the structure, never a text pattern, so quoted JSON inside a string cannot fool it.
import { decodeSome, plainText, quotedText, unescaped } from "./json-text.ts";
import type { Walk } from "./json-walk.ts";
import {
  broken,
  QUOTE,
  COMMA,
  COLON,
  OPEN_ARRAY,
  BACKSLASH,
  CLOSE_ARRAY,
  OPEN_OBJECT,
  CLOSE_OBJECT,
  enter,
  leave,
  newWalk,
  skipBlanks,
  skipScalar,
  skipString,
  skipValue,
} from "./json-walk.ts";

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

const DROPPED: Picked = { kind: "dropped" };
const MALFORMED: Picked = { kind: "malformed" };

const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
/** No wanted name is longer. */
const NAME_CHARS_MAX = 64;
/** Longer numbers are nobody's. */
const NUMBER_BYTES_MAX = 64;

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
  if (end - start <= chars) return quotedText(walk.bytes, { start: start + 1, end });
  return decodeSome(walk.bytes, { start: start + 1, end, chars, decode: unescaped });
}
