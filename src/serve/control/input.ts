// Reads a request's fields: bytes or a query in, a typed request out, or an error that tells the client which field
// is wrong. What it judges by is `fields.ts`.
import { AppError, EXIT } from "../../domain/errors.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import type { AnyField, FieldsOf } from "./fields.ts";
import { fits, fromQuery } from "./fields.ts";

export type Given = Readonly<Record<string, unknown>>;

/**
 * The request, without the fields that were not given. A field nobody knows is refused: one of a newer client may
 * forbid something (`dryRun`), and doing the work without it would be worse than refusing.
 */
export function readRequest<T>(fields: FieldsOf<T>, given: Given): T {
  const known: [string, AnyField][] = Object.entries(fields);
  const read = known.flatMap(([name, field]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && field.required)
      throw badRequest(`${name} is missing`, `give ${name}: ${field.allowed}`);
    if (value === undefined) return [];
    if (!fits(value, field.schema))
      throw badRequest(`${name} has to be ${field.allowed}`, "correct that field");
    return [[name, value] as const];
  });
  const extra = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (extra !== undefined) throw badRequest(`${extra} is not a field of this request`, "leave it out");
  return Object.fromEntries(read) as T;
}

/** The fields in a query, each in the type its description has. */
export function parseQuery(query: string, fields: Readonly<Record<string, AnyField>>): Given {
  const pairs = [...new URLSearchParams(query)];
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) throw badRequest("a field is given twice", "give each field once");
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return [name, field === undefined ? value : fromQuery(value, field.schema)];
    }),
  );
}

/** The object in a request body; an empty body is an empty object. */
export function parseBody(bytes: Buffer): Given {
  const text = bytes.toString("utf8");
  if (text.trim() === "") return {};
  if (depthOf(text) > SOCKET_LIMITS.jsonDepthMax)
    throw badRequest("the body is nested too deep", "send a flat object");
  const value = parseJson(text);
  if (value === undefined) throw badRequest("the body is no JSON", "send one JSON object");
  if (isFields(value)) return value;
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
