// The keys this process itself was given, found by value wherever they turn up: their shape may be nobody's format.
// Held for the process as a whole, as its keys are; never listed, never printed.
import type { Range } from "./rule.ts";

/** A changed key and the one before it, for each of a few sources. */
const VALUES_MAX = 8;
/** A shorter key, or one without a digit, is a word such as a local server takes for a key. */
const CHARS_MIN = 8;

const VALUES = new Set<string>();

/** From now on this value is a secret in every text. */
export function noteOwnValue(value: string): void {
  if (value.length < CHARS_MIN || !/\d/u.test(value)) return;
  VALUES.delete(value);
  VALUES.add(value);
  const [oldest] = VALUES;
  if (VALUES.size > VALUES_MAX && oldest !== undefined) VALUES.delete(oldest);
}

/** Where they stand, as typed and as JSON spells them. */
export function findOwnValues(text: string): Range[] {
  const found: Range[] = [];
  for (const value of spellings()) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
      found.push({ start: at, end: at + value.length });
  }
  return found;
}

/** JSON without them; it stays JSON. */
export function withoutOwnValues(json: string): string {
  return spellings().reduce((text, value) => text.replaceAll(value, "[secret:own-key]"), json);
}

function spellings(): string[] {
  return [...VALUES].flatMap((value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])]);
}
