// Changes single keys of a frontmatter block by line. Knows two levels: the top and `metadata`. What it does not
// understand it leaves alone; the caller reads the result back before trusting it.
import { MEMORY_LIMITS } from "../../domain/limits.ts";

/** The lines between the fences, each with its end; edited in place. */
export interface HeaderLines {
  readonly lines: string[];
  readonly eol: "\n" | "\r\n";
}

/** A key and its finished YAML value. */
export interface HeaderEntry {
  readonly key: string;
  readonly value: string;
}

/** A run of lines in which keys stand at one indentation. */
interface Level {
  readonly from: number;
  readonly to: number;
  readonly indent: string;
}

const FENCE_LINES = 2;
const FENCE_BYTES = 8;
const DEFAULT_INDENT = "  ";

/** `content`: the text between the fences. */
export function headerLines(content: string, eol: "\n" | "\r\n"): HeaderLines {
  return { lines: content.split(/(?<=\n)/u).filter((line) => line !== ""), eol };
}

export function hasTopKey({ lines }: HeaderLines, key: string): boolean {
  return find(lines, topLevel(lines), key) !== -1;
}

/** Replaces the value of a top-level key; a new key goes below `name`, a new `name` to the top. */
export function setTopKey(header: HeaderLines, entry: HeaderEntry): void {
  const { lines, eol } = header;
  const level = topLevel(lines);
  const at = find(lines, level, entry.key);
  if (at !== -1) return replaceValue(header, { ...entry, at, indent: "" });
  const name = find(lines, level, "name");
  const place = entry.key === "name" || name === -1 ? 0 : endOfValue(lines, name, "");
  lines.splice(place, 0, `${entry.key}: ${entry.value}${eol}`);
}

export function hasMetadataKey({ lines }: HeaderLines, key: string): boolean {
  const level = metadataLevel(lines);
  return level !== undefined && find(lines, level, key) !== -1;
}

/** Replaces or adds a key under `metadata`; without `metadata` it comes at the end. */
export function setMetadataKey(header: HeaderLines, { key, value }: HeaderEntry): void {
  const { lines, eol } = header;
  const level = metadataLevel(lines);
  if (level === undefined) {
    const last = lines.findLastIndex((line) => line.trim() !== "");
    lines.splice(last + 1, 0, `metadata:${eol}`, `${DEFAULT_INDENT}${key}: ${value}${eol}`);
    return;
  }
  const at = find(lines, level, key);
  if (at !== -1) return replaceValue(header, { key, value, at, indent: level.indent });
  const inline = withInlineKey(lines[level.from - 1] ?? "", { key, value });
  if (inline !== undefined) lines[level.from - 1] = inline;
  else lines.splice(level.to, 0, `${level.indent}${key}: ${value}${eol}`);
}

/** Whether one more metadata line keeps the block within 20 lines and 2 KiB, fences included. */
export function hasRoomFor({ lines }: HeaderLines, { key, value }: HeaderEntry): boolean {
  const added =
    metadataLevel(lines) === undefined
      ? ["metadata:", `${DEFAULT_INDENT}${key}: ${value}`]
      : [`  ${key}: ${value}`];
  const bytes = Buffer.byteLength([...lines, ...added].join("")) + FENCE_BYTES + 2 * added.length;
  return (
    lines.length + added.length + FENCE_LINES <= MEMORY_LIMITS.frontmatterLinesMax &&
    bytes <= MEMORY_LIMITS.frontmatterBytesMax
  );
}

function topLevel(lines: readonly string[]): Level {
  return { from: 0, to: lines.length, indent: "" };
}

function metadataLevel(lines: readonly string[]): Level | undefined {
  const at = find(lines, topLevel(lines), "metadata");
  if (at === -1) return undefined;
  const to = endOfValue(lines, at, "");
  const child = lines.slice(at + 1, to).find((line) => /^[ \t]+[^\s#]/u.test(line));
  return { from: at + 1, to, indent: /^[ \t]+/u.exec(child ?? "")?.[0] ?? DEFAULT_INDENT };
}

function find(lines: readonly string[], { from, to, indent }: Level, key: string): number {
  const pattern = new RegExp(`^${indent}(?:${key}|"${key}"|'${key}')[ \\t]*:(?:[ \\t\\r\\n]|$)`, "u");
  const at = lines.slice(from, to).findIndex((line) => pattern.test(line));
  return at === -1 ? -1 : from + at;
}

interface Place extends HeaderEntry {
  readonly at: number;
  readonly indent: string;
}

function replaceValue({ lines, eol }: HeaderLines, { value, at, indent }: Place): void {
  const to = endOfValue(lines, at, indent);
  const [, start = "", old = ""] = /^([^:]*:)(.*?)\r?\n?$/su.exec(lines[at] ?? "") ?? [];
  const comment = to === at + 1 ? trailingComment(old) : "";
  lines.splice(at, to - at, `${start} ${value}${comment}${eol}`);
}

/** Index after the last line of the value that starts on line `at`: deeper lines, and blank ones between them. */
function endOfValue(lines: readonly string[], at: number, indent: string): number {
  let end = at + 1;
  for (const [next, line] of lines.entries()) {
    if (next <= at || line.trim() === "") continue;
    const rest = line.startsWith(indent) ? line.slice(indent.length) : "";
    // A list may stand at the same depth as its key.
    if (!/^[ \t]|^-[ \t\r\n]/u.test(rest)) break;
    end = next + 1;
  }
  return end;
}

/** ` # note` behind a one-line value. */
function trailingComment(old: string): string {
  const quoted = /^[ \t]*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')([ \t]+#.*)$/u.exec(old);
  if (quoted !== null) return quoted[1] ?? "";
  return /^[ \t]*["']/u.test(old) ? "" : (/[ \t]+#.*$/u.exec(old)?.[0] ?? "");
}

/** `metadata: { type: user }` with the key added or replaced; undefined when the mapping is not on one line. */
function withInlineKey(line: string, { key, value }: HeaderEntry): string | undefined {
  const found = /^(metadata[ \t]*:[ \t]*\{)([^{}"']*)(\}[^{}]*)$/su.exec(line);
  if (found === null) return undefined;
  const [, open = "", inside = "", close = ""] = found;
  // Lists inside would need more than commas to split; the caller's check then refuses the edit.
  const kept = inside
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "" && !item.startsWith(`${key}:`));
  return `${open} ${[...kept, `${key}: ${value}`].join(", ")} ${close}`;
}
