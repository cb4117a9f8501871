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

export const BYTE = {
  blank: 0x20,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

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
  while (last >= 0 && (line[last] ?? 0) <= BYTE.blank) last -= 1;
  if (line[last] !== BYTE.closeObject) return false;
  const walk: Walk = newWalk(line);
  skipBlanks(walk);
  if (line[walk.at] !== BYTE.openObject) return false;
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
    if (byte === BYTE.quote) skipString(walk);
    else if (byte === BYTE.openObject || byte === BYTE.openArray) enter(walk);
    else if (byte === BYTE.closeObject || byte === BYTE.closeArray) {
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
    if (byte === BYTE.quote) {
      walk.at = at + 1;
      return;
    }
    at += byte === BYTE.backslash ? 2 : 1;
  }
  for (;;) {
    const quote = bytes.indexOf(BYTE.quote, at);
    if (quote === -1) throw broken("a closing quote");
    let run = quote;
    while (run > at && bytes[run - 1] === BYTE.backslash) run -= 1;
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
    byte > BYTE.blank &&
    byte !== BYTE.comma &&
    byte !== BYTE.closeObject &&
    byte !== BYTE.closeArray
  ) {
    walk.at += 1;
    byte = bytes[walk.at];
  }
  if (walk.at === start) throw broken("a value");
}

export function skipBlanks(walk: Walk): void {
  const { bytes } = walk;
  let byte = bytes[walk.at];
  while (byte === BYTE.blank || byte === 0x09 || byte === 0x0d || byte === 0x0a) {
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
