// JSON that came from outside (a file, a socket, another program), as unknown values. Judges no document and never throws:
// what a missing or wrong field means is told by whoever parses.

/** What stands in a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Undefined for text that is no JSON: no JSON means undefined. The parser's own message may quote the text, so it is not kept. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A JSON object; no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** Own fields only: `__proto__` and `constructor` are names like any other. Undefined where there is none, or no object. */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<PropertyKey, unknown>>)[name];
}
