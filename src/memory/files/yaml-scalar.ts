// Writes one value of frontmatter so that every YAML reader gives back exactly the same string. Pure.

/** A first letter, then letters, digits and marks no reader takes for syntax, a number or a date. */
const PLAIN = /^[\p{L}][\p{L}\p{M}\p{N} _./+()-]*$/u;
/** Words that some reader turns into a boolean, null or number. */
const TYPED_WORD = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/iu;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/u;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z)?$/u;

/** Plain where that is safe, else in double quotes with escapes. */
export function yamlScalar(value: string): string {
  const plain = PLAIN.test(value) && value.trim() === value && !TYPED_WORD.test(value);
  return plain || UUID.test(value) ? value : quoted(value);
}

/** A date or time stamp in the reference's plain form; anything else as `yamlScalar`. */
export function yamlDate(value: string): string {
  return DATE.test(value) ? value : yamlScalar(value);
}

/** A list on one line. */
export function yamlList(values: readonly string[]): string {
  return `[${values.map((value) => (/[()+]/u.test(value) ? quoted(value) : yamlScalar(value))).join(", ")}]`;
}

/** Everything that is not plainly printable leaves as an escape; one line whatever the value holds. */
function quoted(value: string): string {
  const escaped = value.replace(/["\\]|[^\P{C}]|[\u00a0\u2028\u2029]/gu, (found) => {
    if (found === '"' || found === "\\") return `\\${found}`;
    if (found === "\n") return "\\n";
    if (found === "\t") return "\\t";
    const code = found.codePointAt(0) ?? 0;
    if (code > 0xff_ff) return `\\U${code.toString(16).padStart(8, "0")}`;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `"${escaped}"`;
}
