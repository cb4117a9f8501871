// Splits the index into lines that hosts keep and the person's own text. Never changes a byte: joining the lines
// gives back the text.
import { INDEX_FILE } from "./file-name.ts";

export interface IndexLine {
  /** Without the line end. */
  readonly text: string;
  /** "" on a last line without one. */
  readonly eol: string;
  /** The one memory file this list item links; undefined: the person's text. */
  readonly kept: { readonly file: string; readonly title: string; readonly hook: string } | undefined;
  /** Every .md file of this folder the line links, the person's lines included. */
  readonly links: readonly string[];
}

/** Lines longer than the whole index may be are nobody's entry. */
const ENTRY_CHARS_MAX = 25_000;
const LIST_ITEM = /^\s{0,12}(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/u;
const LINK_TARGET = /\]\([ \t]*(<[^<>]*>|(?:[^\s()]|\([^\s()]*\))*)(?:[ \t]+(?:"[^"]*"|'[^']*'))?[ \t]*\)/gu;
const FENCE = /^\s{0,3}(```|~~~)/u;

export function parseIndex(text: string): IndexLine[] {
  const rows = [...text.matchAll(/([^\n]*?)(\r?\n|$)/gu)]
    .map(([, line = "", eol = ""]) => ({ text: line, eol }))
    .filter((row) => row.text !== "" || row.eol !== "");
  const ours = entryPlaces(rows.map((row) => row.text));
  return rows.map((row, at) => {
    if (!ours[at]) return { ...row, kept: undefined, links: [] };
    const links = linkedFiles(row.text);
    const next = rows[at + 1]?.text ?? "";
    // An item that goes on over several lines is the person's prose.
    const goesOn = /^[ \t]{2,}\S/u.test(next) && !LIST_ITEM.test(next);
    return {
      ...row,
      kept: goesOn ? undefined : keptEntry(row.text, links),
      links: links.flatMap((link) => link ?? []),
    };
  });
}

/** Which lines can be entries at all: not frontmatter, not inside a block comment or a code fence. */
function entryPlaces(lines: readonly string[]): boolean[] {
  let inside: "frontmatter" | "comment" | "fence" | undefined;
  let fence = "";
  const closing = /^---[ \t]*$/u.test(lines[0] ?? "")
    ? lines.findIndex((line, at) => at > 0 && /^---[ \t]*$/u.test(line))
    : -1;
  // Found once: looking for the end from each start is quadratic.
  const lastFence = new Map(
    ["```", "~~~"].map((mark) => [mark, lines.findLastIndex((line) => line.trim().startsWith(mark))]),
  );
  const lastCommentEnd = lines.findLastIndex((line) => line.includes("-->"));
  return lines.map((line, at) => {
    if (at <= closing) return false;
    if (inside === "fence") {
      if (line.trim().startsWith(fence)) inside = undefined;
      return false;
    }
    if (inside === "comment") {
      if (line.includes("-->")) inside = undefined;
      return false;
    }
    fence = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "") {
      // A fence nobody closes would hide everything after it.
      if ((lastFence.get(fence) ?? at) > at) inside = "fence";
      return false;
    }
    const comment = line.lastIndexOf("<!--");
    if (comment === -1) return true;
    if (!line.includes("-->", comment) && lastCommentEnd > at) inside = "comment";
    return false;
  });
}

function keptEntry(line: string, links: readonly (string | undefined)[]): IndexLine["kept"] {
  const item = LIST_ITEM.exec(line);
  const [file] = links;
  if (item === null || links.length !== 1 || file === undefined) return undefined;
  const rest = line.slice(item[0].length);
  const close = rest.search(/\]\(/u);
  const open = rest.indexOf("[");
  const end = rest.indexOf(")", close);
  return {
    file,
    title: open === -1 ? "" : rest.slice(open + 1, close).trim(),
    hook: rest
      .slice(end + 1)
      .replace(/^[\s—–:-]+/u, "")
      .trim(),
  };
}

/** One entry a link; undefined for a link that leads anywhere else than to a .md file of this folder. */
function linkedFiles(line: string): (string | undefined)[] {
  if (line.length > ENTRY_CHARS_MAX) return [];
  // A link inside a code span is an example, not a link.
  const shown = line.replace(/`[^`]*`/gu, (code) => " ".repeat(code.length));
  return [...shown.matchAll(LINK_TARGET)].map(([, target = ""]) => fileOf(target));
}

function fileOf(target: string): string | undefined {
  const bare = target.replace(/^<|>$/gu, "").replace(/^\.\//u, "");
  const file = decodePercent(bare).normalize("NFC");
  if (/[/\\:?#\p{Cc}]/u.test(file) || file.startsWith(".") || !file.endsWith(".md")) return undefined;
  return file === INDEX_FILE ? undefined : file;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
