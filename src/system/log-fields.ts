// What of a log line's fields is written: plain, bounded copies with every text scrubbed. Never throws, never calls
// into what it is given beyond reading it, and never lets a quoted piece of foreign JSON through.

/** Removes secrets from one text. May throw; the text is withheld then. */
export type Scrub = (text: string) => string;

export type PlainFields = Readonly<Record<string, unknown>>;

/** An error text or a path; what is longer is cut. */
const TEXT_CHARS_MAX = 2_000;
const ENTRIES_MAX = 50;
const DEPTH_MAX = 4;
/** Node quotes the text it could not parse in its error, and that may be what somebody typed. */
const NOT_JSON = " is not valid JSON";

export function plainFields(fields: PlainFields, scrub: Scrub): PlainFields {
  return entriesOf(fields, { scrub, depth: 0 });
}

interface Walk {
  readonly scrub: Scrub;
  readonly depth: number;
}

function plain(value: unknown, walk: Walk): unknown {
  if (typeof value === "string") return plainText(value, walk.scrub);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean" || value === null || value === undefined) return value;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return `[${typeof value}]`;
  if (value instanceof Error) return plainText(value.message, walk.scrub);
  if (walk.depth >= DEPTH_MAX) return "[deep]";
  const inner = { ...walk, depth: walk.depth + 1 };
  if (!Array.isArray(value)) return entriesOf(value, inner);
  const kept = value.slice(0, ENTRIES_MAX).map((each) => plain(each, inner));
  return value.length > ENTRIES_MAX ? [...kept, `[${value.length - ENTRIES_MAX} more]`] : kept;
}

function entriesOf(value: object, walk: Walk): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  try {
    const entries = Object.entries(value);
    for (const [name, each] of entries.slice(0, ENTRIES_MAX)) {
      // A key of this name would set the copy's prototype.
      if (name !== "__proto__") copy[plainText(name, walk.scrub)] = plain(each, walk);
    }
    if (entries.length > ENTRIES_MAX) copy["more"] = entries.length - ENTRIES_MAX;
  } catch {
    // A getter of somebody else threw; what was read until then is kept.
    copy["unreadable"] = true;
  }
  return copy;
}

function plainText(text: string, scrub: Scrub): string {
  try {
    const scrubbed = withoutQuotedJson(scrub(text));
    if (scrubbed.length <= TEXT_CHARS_MAX) return scrubbed;
    return `${scrubbed.slice(0, TEXT_CHARS_MAX)} [${scrubbed.length - TEXT_CHARS_MAX} more characters]`;
  } catch {
    // It may hold a secret; that there was a text must still be seen.
    return "[withheld: it could not be scrubbed]";
  }
}

function withoutQuotedJson(text: string): string {
  const end = text.lastIndexOf(NOT_JSON);
  const start = text.indexOf('"');
  return start < 0 || end < start ? text : `${text.slice(0, start)}[text]${text.slice(end)}`;
}
