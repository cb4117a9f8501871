// Reads the arguments of a tool call as a model sent them. Hostile text: parsed, never evaluated, never trusted.
import { fieldsOf, parseJson } from "../../domain/json.ts";
import { READ_LIMITS } from "../../domain/limits.ts";

/** The JSON object that `text` holds; undefined for anything else, also for one nested too deeply to be parsed. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  return nestsTooDeeply(text) ? undefined : fieldsOf(parseJson(text));
}

/** A whole string, or one that is torn at the end; or one bracket. */
const STRING_OR_BRACKET = /"(?:[^"\\]+|\\.)*(?:"|$)|[[\]{}]/gs;

function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(STRING_OR_BRACKET)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > READ_LIMITS.jsonDepthMax) return true;
  }
  return false;
}
