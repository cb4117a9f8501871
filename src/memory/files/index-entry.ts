// Makes the one line a memory has in the index: `- [Title](file.md) — hook`. Whatever a name or description holds,
// the result is one list item with one link. Pure.
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Memory } from "../../domain/memories.ts";
import { displayText } from "../../domain/printable.ts";
import { parseIndex } from "./index-lines.ts";

const TITLE_CHARS_MAX = 50;
const ELLIPSIS = "…";

/** Undefined when even the bare link is longer than a line may be. */
export function indexEntry(memory: Pick<Memory, "file" | "name" | "description">): string | undefined {
  const { file } = memory;
  const target = /^[^\s()<>%]+$/u.test(file) ? file : `<${file.replace(/[<>%]/gu, encodeURIComponent)}>`;
  const linkChars = `- [](${target})`.length;
  const room = MEMORY_LIMITS.indexLineCharsMax - linkChars;
  const title = shorten(titleOf(memory), Math.min(TITLE_CHARS_MAX, room));
  if (title === "") return undefined;
  const link = `- [${title}](${target})`;
  const hook = shorten(
    hookOf(memory.description ?? ""),
    MEMORY_LIMITS.indexLineCharsMax - link.length - " — ".length,
  );
  return [hook === "" ? link : `${link} — ${hook}`, link].find(
    (line) => parseIndex(line)[0]?.kept?.file === file,
  );
}

export interface LongEntry {
  readonly file: string;
  /** Undefined where nothing can be read of it. */
  readonly memory: Pick<Memory, "file" | "name" | "description"> | undefined;
}

/**
 * A host-kept line within its limit: cut at a word behind its link, else written anew. Undefined when neither is possible.
 */
export function shortEntry(line: string, { file, memory }: LongEntry): string | undefined {
  const room = MEMORY_LIMITS.indexLineCharsMax;
  const linkEnd = LINK_END.exec(line.replace(CODE, (code) => " ".repeat(code.length)));
  const fixed = linkEnd === null ? line.length : linkEnd.index + linkEnd[0].length;
  const cut = fixed + 2 > room ? "" : line.slice(0, fixed) + shorten(line.slice(fixed), room - fixed);
  const anew = memory === undefined ? undefined : indexEntry(memory);
  return [cut, anew].find(
    (text) => text !== undefined && text.length <= room && parseIndex(text)[0]?.kept?.file === file,
  );
}

/** A code span is no link. */
const CODE = /`[^`]*`/gu;
const LINK_END = /\]\([ \t]*(?:<[^<>]*>|(?:[^\s()]|\([^\s()]*\))*)(?:[ \t]+(?:"[^"]*"|'[^']*'))?[ \t]*\)/u;

/** The name, written as a heading; the file's name where there is none. */
function titleOf({ file, name }: Pick<Memory, "file" | "name">): string {
  const words = displayText(name ?? file.slice(0, -".md".length))
    .replace(/[[\](){}<>`\\*!|]/gu, " ")
    .replace(/[-_\s]+/gu, " ")
    .trim();
  const [first = "", ...rest] = words;
  return words === "" ? displayText(file).replace(/[[\]<>`\\]/gu, "") : first.toUpperCase() + rest.join("");
}

/** A description without anything that would be a link, a comment or code. */
function hookOf(description: string): string {
  return displayText(description)
    .replace(/`/gu, "'")
    .replaceAll("](", "] (")
    .replaceAll("<!--", "")
    .replaceAll("-->", "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** At most `charsMax` UTF-16 units, cut between words where the script has any. */
function shorten(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  let kept = "";
  for (const character of text) {
    if (kept.length + character.length + ELLIPSIS.length > charsMax) break;
    kept += character;
  }
  const space = kept.lastIndexOf(" ");
  if (space > kept.length * 0.7) kept = kept.slice(0, space);
  return kept === "" ? "" : `${kept.replace(/[\s,;:–—-]+$/u, "")}${ELLIPSIS}`;
}
