// Reads the arguments of a tool call as a model sent them. Hostile text: parsed, never evaluated, never trusted.
import { READ_LIMITS } from "../../domain/limits.ts";

/** The JSON object that `text` holds; undefined for anything else, also for one nested too deeply to be parsed. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  if (nestsTooDeeply(text)) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    // Torn or no JSON at all: the model is told so and may try again.
    return undefined;
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
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
