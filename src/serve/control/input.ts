// Reads a request's fields: unknown in, typed out, or an error that tells the client which field is wrong.
import { AppError, EXIT } from "../../domain/errors.ts";
import { SOCKET_LIMITS } from "../../domain/limits.ts";

/** Fields of one request. Each read is remembered, so that what nobody asked for can be refused. */
export interface Input {
  text(name: string, options: { readonly charsMax: number }): string | undefined;
  requiredText(name: string, options: { readonly charsMax: number }): string;
  /** An absolute path. */
  path(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  whole(name: string, options: { readonly min: number; readonly max: number }): number | undefined;
  /** A whole number, or the word `or`. */
  wholeOr<const W extends string>(
    name: string,
    options: { readonly max: number; readonly or: W },
  ): number | W | undefined;
  choice<const T extends readonly string[]>(name: string, choices: T): T[number] | undefined;
  /**
   * Refuses fields that were not read. A field of a newer client may forbid something (`dryRun`); doing the work
   * without it would be worse than refusing.
   */
  nothingElse(): void;
}

/** Longest path Linux and macOS accept. */
const PATH_CHARS_MAX = 4_096;

export function createInput(fields: Readonly<Record<string, unknown>>): Input {
  const read = new Set<string>();

  function take<T>(name: string, accept: (value: unknown) => T | undefined, allowed: string): T | undefined {
    read.add(name);
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined) return undefined;
    const accepted = accept(value);
    if (accepted === undefined) throw badRequest(`${name} has to be ${allowed}`, "correct that field");
    return accepted;
  }

  const input: Input = {
    text: (name, { charsMax }) =>
      take(
        name,
        (value) => (typeof value === "string" && value.length <= charsMax ? value : undefined),
        `text of at most ${charsMax} characters`,
      ),
    requiredText(name, options) {
      const value = input.text(name, options);
      if (value === undefined || value.trim() === "")
        throw badRequest(`${name} is missing`, "give that field");
      return value;
    },
    path: (name) => take(name, absolutePath, "an absolute path"),
    flag: (name) =>
      take(
        name,
        // A query has only text.
        (value) =>
          value === true || value === "true"
            ? true
            : value === false || value === "false"
              ? false
              : undefined,
        "true or false",
      ),
    whole: (name, { min, max }) =>
      take(
        name,
        (value) => (isWhole(value) && value >= min && value <= max ? value : undefined),
        `a whole number from ${min} to ${max}`,
      ),
    wholeOr: (name, { max, or }) =>
      take(
        name,
        (value) => (value === or ? or : isWhole(value) && value <= max ? value : undefined),
        `a whole number from 0 to ${max} or ${JSON.stringify(or)}`,
      ),
    choice: (name, choices) =>
      take(name, (value) => choices.find((choice) => choice === value), `one of ${choices.join(", ")}`),
    nothingElse() {
      const extra = Object.keys(fields).find((name) => !read.has(name));
      if (extra !== undefined) throw badRequest(`${extra} is not a field of this request`, "leave it out");
    },
  };
  return input;
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function absolutePath(value: unknown): string | undefined {
  const fits =
    typeof value === "string" &&
    value.startsWith("/") &&
    value.length <= PATH_CHARS_MAX &&
    !value.includes("\0");
  return fits ? value : undefined;
}

/** The object in a request body; an empty body is an empty object. */
export function parseBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  const text = bytes.toString("utf8");
  if (text.trim() === "") return {};
  if (depthOf(text) > SOCKET_LIMITS.jsonDepthMax)
    throw badRequest("the body is nested too deep", "send a flat object");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("the body is no JSON", "send one JSON object");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw badRequest("the body is no JSON object", "send one JSON object");
}

/** Deepest nesting outside strings, found without parsing: a deep document blocks the parser for seconds. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}

export function badRequest(message: string, fix: string): AppError {
  return new AppError({ code: "bad-request", message, fix, exitCode: EXIT.usage });
}
