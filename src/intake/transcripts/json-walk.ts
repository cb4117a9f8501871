// Steps over JSON in bytes without building anything. Never looks at what a string says.
import { READ_LIMITS } from "../../domain/limits.ts";

/** A place in one line of JSON. */
export interface Walk {
  readonly bytes: Buffer;
  at: number;
  /** Objects and arrays that are open around `at`. */
  depth: number;
  /** The line turned out not to be wanted; see `Want.dropsLine`. */
  dropped: boolean;
}

// Single constants, not members of one object: the loops below compare with them for every byte.
const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** A string is walked by hand this far, then searched: a search call costs as much as 8 bytes by hand (measured). */
const HAND_BYTES = 8;

export function newWalk(line: Buffer): Walk {
  // Some editors put a byte order mark at the start of a file.
  const hasMark = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
  return { bytes: line, at: hasMark ? 3 : 0, depth: 0, dropped: false };
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

export function skipValue(walk: Walk): undefined {
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
export function skipString(walk: Walk): void {
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

export function skipScalar(walk: Walk): void {
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

export function skipBlanks(walk: Walk): void {
  const { bytes } = walk;
  let byte = bytes[walk.at];
  while (byte === SPACE || byte === 0x09 || byte === 0x0d || byte === 0x0a) {
    walk.at += 1;
    byte = bytes[walk.at];
  }
}

export function enter(walk: Walk): void {
  walk.at += 1;
  walk.depth += 1;
  // Recursion is bounded by this too.
  if (walk.depth > READ_LIMITS.jsonDepthMax) throw broken("less nesting");
}

export function leave(walk: Walk): void {
  walk.at += 1;
  walk.depth -= 1;
}

export function broken(expected: string): SyntaxError {
  return new SyntaxError(`expected ${expected}`);
}
