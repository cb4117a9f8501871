// Picks the known keys out of a frontmatter block: from parsed YAML, or line by line where it is no valid YAML.
// Never returns an unknown key, and never anything but strings.
import { MEMORY_TYPES, type MemoryType } from "../../domain/memories.ts";

/** What the known keys of one block say; absent or not a string: undefined. */
export interface TopicFields {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly type: MemoryType | undefined;
  readonly confirmed: string | undefined;
  readonly modified: string | undefined;
  readonly originSessionId: string | undefined;
  readonly evidence: readonly string[];
  readonly origin: string | undefined;
  /** One of name, description, type or metadata is there: the block is about a memory. */
  readonly known: boolean;
}

/** Ids kept of a list somebody else may have written. */
const EVIDENCE_READ_MAX = 50;

/** Lookup by own keys only: a key named `__proto__` or `constructor` is just unknown. */
type Lookup = (key: string) => unknown;

export function fieldsOf(data: unknown): TopicFields {
  const top = lookupIn(data);
  const metadata = lookupIn(top("metadata"));
  const either = (key: string) => stringOf(metadata(key)) ?? stringOf(top(key));
  return {
    name: stringOf(top("name")),
    description: stringOf(top("description")),
    type: typeOf(top("type")) ?? typeOf(metadata("type")),
    confirmed: dateOf(either("confirmed")),
    modified: either("modified"),
    originSessionId: either("originSessionId"),
    evidence: listOf(metadata("evidence") ?? top("evidence")),
    origin: either("origin"),
    known:
      ["name", "description", "type"].some((key) => top(key) !== undefined) || isMapping(top("metadata")),
  };
}

/** `key: value` as models write it, colon and all, with nothing in front that YAML would treat specially. */
const TOP_LINE = /^(name|description|type|metadata|confirmed|modified|originSessionId|origin)[ \t]*:(.*)$/u;
const METADATA_LINE = /^[ \t]+(type|confirmed|modified|originSessionId|evidence|origin)[ \t]*:(.*)$/u;

/** The same fields from a block the YAML library refuses, such as `name: fix: the thing`. First line wins. */
export function fieldsByLine(content: string): TopicFields {
  const top = new Map<string, unknown>();
  const metadata = new Map<string, string>();
  for (const line of content.split(/\r?\n/u)) {
    const found = TOP_LINE.exec(line);
    if (found !== null) addOnce(top, found);
    else if (top.has("metadata")) addOnce(metadata, METADATA_LINE.exec(line));
  }
  if (top.has("metadata")) top.set("metadata", Object.fromEntries(metadata));
  // A key whose value cannot be told still shows what the block is.
  return {
    ...fieldsOf(Object.fromEntries(top)),
    known: /^(?:name|description|type|metadata)[ \t]*:/mu.test(content),
  };
}

function addOnce(target: Map<string, unknown>, found: RegExpExecArray | null): void {
  const [, key, raw] = found ?? [];
  if (key === undefined || raw === undefined || target.has(key)) return;
  target.set(key, looseValue(raw.trim()));
}

/** Undefined for anchors, aliases, tags, collections and block scalars: their text is not their value. */
function looseValue(raw: string): string | undefined {
  const quoted = /^(["'])(.*)\1$/u.exec(raw);
  if (quoted !== null) return quoted[2];
  return /^[&*!|>{["'`@%]/u.test(raw) || raw === "" ? undefined : raw;
}

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lookupIn(value: unknown): Lookup {
  if (!isMapping(value)) return () => undefined;
  const entries = new Map<string, unknown>(Object.entries(value));
  return (key) => entries.get(key);
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function typeOf(value: unknown): MemoryType | undefined {
  return MEMORY_TYPES.find((type) => type === value);
}

/** A host that read the date as a time stamp writes it back as UTC midnight. */
function dateOf(value: string | undefined): string | undefined {
  const found = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?Z)?$/u.exec(value?.trim() ?? "");
  return found?.[1];
}

/** A list, or ids in one string. */
function listOf(value: unknown): readonly string[] {
  const items: unknown[] =
    typeof value === "string"
      ? value.replace(/^\[|\]$/gu, "").split(/[\s,]+/u)
      : Array.isArray(value)
        ? value
        : [];
  return items
    .flatMap((item) => stringOf(item) ?? [])
    .map((item) => item.trim())
    .slice(0, EVIDENCE_READ_MAX);
}
