// Turns the unchecked arguments of a tool call into typed values, or into one sentence the model can mend. Bounds come
// before every other look at a text, so that a huge argument costs nothing.
import { fieldOf } from "../../../domain/json.ts";
import { RUN_LIMITS } from "../../../domain/limits.ts";
import type { Quote } from "../stage.ts";

/** A record id of any agent; the longest seen has 36 characters. */
const RECORD_ID_CHARS_MAX = 200;
/** One quote: a long sentence. Evidence is words, not pages. */
const QUOTE_CHARS_MAX = 2_000;

export interface TextBounds {
  readonly charsMax: number;
  /** Whether "" and blanks will do. Default false. */
  readonly blank?: boolean;
}

/** Reads arguments one by one; a wrong one gives an empty value and the first problem is kept. */
export interface Arguments {
  text(key: string, bounds: TextBounds): string;
  choice<T extends string>(key: string, choices: readonly [T, ...T[]]): T;
  quotes(key: string): readonly Quote[];
  /** Asked after all reading; undefined when every argument was usable. */
  problem(): string | undefined;
}

export function readArguments(input: Readonly<Record<string, unknown>>): Arguments {
  let first: string | undefined;
  // An inherited property is no argument.
  const valueOf = (key: string) => (Object.hasOwn(input, key) ? input[key] : undefined);
  const wrong = (problem: string) => {
    first ??= problem;
  };
  return {
    text(key, bounds) {
      const problem = textProblem(valueOf(key), bounds);
      if (problem !== undefined) wrong(`${key} must be ${problem}`);
      return problem === undefined ? String(valueOf(key)) : "";
    },
    choice(key, choices) {
      const value = valueOf(key);
      const found = choices.find((choice) => choice === value);
      if (found === undefined) wrong(`${key} must be one of ${choices.join(", ")}`);
      return found ?? choices[0];
    },
    quotes(key) {
      const parsed = parseQuotes(valueOf(key), key);
      if (typeof parsed !== "string") return parsed;
      wrong(parsed);
      return [];
    },
    problem: () => first,
  };
}

function textProblem(value: unknown, { charsMax, blank = false }: TextBounds): string | undefined {
  if (typeof value !== "string") return "a text";
  if (value.length > charsMax) return `a text of at most ${charsMax} characters`;
  return !blank && value.trim() === "" ? "a text that is not empty" : undefined;
}

/** The quotes, or what is wrong with them. None at all is for the gate to judge. */
function parseQuotes(value: unknown, key: string): readonly Quote[] | string {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return `${key} must be a list of { recordId, quote }`;
  if (value.length > RUN_LIMITS.quotesMax) return `${key} must have at most ${RUN_LIMITS.quotesMax} entries`;
  const quotes: Quote[] = [];
  for (const item of value) {
    const quote = parseQuote(item);
    if (quote === undefined) {
      return `each entry of ${key} must be { recordId, quote }, two texts, the quote of at most ${QUOTE_CHARS_MAX} characters`;
    }
    quotes.push(quote);
  }
  return quotes;
}

function parseQuote(item: unknown): Quote | undefined {
  const [recordId, quote] = [fieldOf(item, "recordId"), fieldOf(item, "quote")];
  if (textProblem(recordId, { charsMax: RECORD_ID_CHARS_MAX }) !== undefined) return undefined;
  if (textProblem(quote, { charsMax: QUOTE_CHARS_MAX }) !== undefined) return undefined;
  return { recordId: String(recordId), quote: String(quote) };
}
