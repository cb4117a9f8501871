// Takes the wanted parts out of one line of JSON without building the rest: most bytes of a transcript are tool
// output nobody reads. It follows the structure, never a text pattern, so quoted JSON inside a string cannot fool it.
import { READ_LIMITS } from "../../domain/limits.ts";

/** Which parts of a value are built. What is not wanted is stepped over, at about 1 ns a byte. */
export interface Want {
  /** UTF-16 units kept of a string; the rest is not decoded. */
  readonly chars: number;
  /** Wanted members of an object, by name. */
  readonly members?: ReadonlyMap<string, Want>;
  /** For members not named above; absent: they are not wanted. */
  readonly others?: Want;
  /** For items of an array; absent: an array comes out empty. */
  readonly items?: Want;
  /** Gives the value as `Sized`. */
  readonly sized?: boolean;
  /** Asked about this string: a true answer gives up the whole line. */
  readonly dropsLine?: (text: string) => boolean;
}

/** A value cut to what was wanted, with the bytes it has in full. */
export interface Sized {
  readonly value: unknown;
  readonly bytes: number;
}

export type Picked =
  | { readonly kind: "value"; readonly value: unknown }
  /** A `dropsLine` said so. */
  | { readonly kind: "dropped" }
  /** Not JSON, cut off, or nested deeper than `READ_LIMITS.jsonDepthMax`. */
  | { readonly kind: "malformed" };

/** Wants exactly these members. */
export function membersOf(members: Readonly<Record<string, Want>>): Want {
  return { chars: 0, members: new Map(Object.entries(members)) };
}

/** Wants everything, with every string cut. */
export function everything(chars: number): Want {
  const want: { chars: number; others?: Want; items?: Want } = { chars };
  want.others = want;
  want.items = want;
  return want;
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
/** Longest number or word worth decoding; JSON's own are far shorter. */
const SCALAR_BYTES_MAX = 64;
/** A string is walked by hand this far, then searched: the search call pays off for long strings only. */
const HAND_BYTES = 48;
/** `\uXXXX`: the most bytes one UTF-16 unit takes. */
const UNIT_BYTES_MAX = 6;

function newWalk(line: Buffer): Walk {
  // Some editors put a byte order mark at the start of a file.
  const hasMark = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
  return { bytes: line, at: hasMark ? 3 : 0, depth: 0, dropped: false };
}

function takeValue(walk: Walk, want: Want | undefined): unknown {
  skipBlanks(walk);
  if (want === undefined) return skipValue(walk);
  if (want.sized !== true) return build(walk, want);
  const start = walk.at;
  const value = build(walk, want);
  const sized: Sized = { value, bytes: walk.at - start };
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
  // No prototype: a member named __proto__ is a member like any other.
  const object: Record<string, unknown> = Object.create(null);
  skipBlanks(walk);
  if (walk.bytes[walk.at] === CLOSE_OBJECT) {
    leave(walk);
    return object;
  }
  for (;;) {
    skipBlanks(walk);
    if (walk.bytes[walk.at] !== QUOTE) throw broken("a member name");
    const name = takeString(walk, Number.POSITIVE_INFINITY);
    skipBlanks(walk);
    if (walk.bytes[walk.at] !== COLON) throw broken("a colon");
    walk.at += 1;
    const wanted = want.members?.get(name) ?? want.others;
    const value = takeValue(walk, wanted);
    if (walk.dropped) return object;
    if (wanted !== undefined) object[name] = value;
    if (!goesOn(walk, CLOSE_OBJECT)) return object;
  }
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
  if (walk.at - start > SCALAR_BYTES_MAX) return undefined;
  return JSON.parse(walk.bytes.toString("latin1", start, walk.at));
}

function takeString(walk: Walk, chars: number): string {
  const start = walk.at + 1;
  skipString(walk);
  const end = walk.at - 1;
  const { bytes } = walk;
  // Twice the room: after cutting to `chars` no decoding accident at the end of the bytes is left.
  const enough = start + 2 * UNIT_BYTES_MAX * chars;
  const stop = end <= enough ? end : wholeEscapes(bytes, { start, stop: enough });
  const raw = bytes.toString("utf8", start, stop);
  const text: unknown = raw.includes("\\") ? JSON.parse(`"${raw}"`) : raw;
  return typeof text === "string" ? cutText(text, chars) : "";
}

/** The last place at or before `stop` that does not stand inside an escape. */
function wholeEscapes(bytes: Buffer, { start, stop }: { start: number; stop: number }): number {
  const from = Math.max(start, stop - UNIT_BYTES_MAX);
  let slash = stop - 1;
  while (slash >= from && bytes[slash] !== BACKSLASH) slash -= 1;
  if (slash < from) return stop;
  let run = slash;
  while (run > start && bytes[run - 1] === BACKSLASH) run -= 1;
  return (slash - run) % 2 === 0 ? slash : stop;
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
