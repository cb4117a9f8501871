// Changes single keys of a frontmatter block by line. Knows two levels: the top and `metadata`. What it does not
// understand it leaves alone; the caller reads the result back before trusting it.
import { MEMORY_LIMITS } from "../../domain/limits.ts";

export interface HeaderEdit {
  has(key: string): boolean;
  /** Replaces the value of a top-level key, or adds the key at the top. `value` is finished YAML. */
  set(key: string, value: string): void;
  hasMetadata(key: string): boolean;
  /** Replaces or adds a key under `metadata`, adding `metadata` itself at the end when it is missing. */
  setMetadata(key: string, value: string): void;
  /** Whether one more line keeps the block within 20 lines and 2 KiB, fences included. */
  hasRoomFor(line: string): boolean;
  text(): string;
}

/** Two fences and, possibly, a `metadata:` line that has to be added. */
const FENCE_LINES = 2;
const FENCE_BYTES = 8;
const DEFAULT_INDENT = "  ";

/** `content`: the text between the fences. */
export function createHeaderEdit(content: string, eol: "\n" | "\r\n"): HeaderEdit {
  const lines = content.split(/(?<=\n)/u);
  const find = (key: string, range = { from: 0, to: lines.length, indent: "" }) => {
    for (let at = range.from; at < range.to; at += 1) {
      if (keyPattern(key, range.indent).test(lines[at] ?? "")) return at;
    }
    return -1;
  };
  const metadata = () => {
    const at = find("metadata");
    if (at === -1) return undefined;
    const to = endOfValue(lines, at, "");
    const child = lines.slice(at + 1, to).find((line) => /^[ \t]+[^\s#]/u.test(line));
    return { at, from: at + 1, to, indent: /^[ \t]+/u.exec(child ?? "")?.[0] ?? DEFAULT_INDENT };
  };
  const replaceAt = (at: number, { indent, value }: { indent: string; value: string }) => {
    const to = endOfValue(lines, at, indent);
    const [, start = "", old = ""] = /^([^:]*:)(.*?)\r?\n?$/su.exec(lines[at] ?? "") ?? [];
    const comment = to === at + 1 ? trailingComment(old) : "";
    lines.splice(at, to - at, `${start} ${value}${comment}${eol}`);
  };
  return {
    has: (key) => find(key) !== -1,
    set(key, value) {
      const at = find(key);
      if (at !== -1) return replaceAt(at, { indent: "", value });
      const name = find("name");
      const place = key === "name" || name === -1 ? 0 : endOfValue(lines, name, "");
      lines.splice(place, 0, `${key}: ${value}${eol}`);
    },
    hasMetadata(key) {
      const range = metadata();
      return range !== undefined && find(key, range) !== -1;
    },
    setMetadata(key, value) {
      const range = metadata();
      if (range === undefined) {
        const last = lines.findLastIndex((line) => line.trim() !== "");
        lines.splice(last + 1, 0, `metadata:${eol}`, `${DEFAULT_INDENT}${key}: ${value}${eol}`);
        return;
      }
      const at = find(key, range);
      if (at !== -1) return replaceAt(at, { indent: range.indent, value });
      const flow = /^(metadata[ \t]*:[ \t]*\{.*?),?[ \t]*\}([ \t]*(?:#.*)?)(\r?\n?)$/su.exec(
        lines[range.at] ?? "",
      );
      if (flow === null) {
        lines.splice(range.to, 0, `${range.indent}${key}: ${value}${eol}`);
        return;
      }
      const [, open = "", rest = "", end = ""] = flow;
      const before = new RegExp(
        `([{,][ \\t]*)${key}[ \\t]*:[ \\t]*[^,{}\\[\\]"']*$|([{,][ \\t]*)${key}[ \\t]*:[^,]*,`,
        "u",
      );
      const kept = open.replace(before, (found) =>
        found.startsWith("{") ? "{" : found.endsWith(",") ? "," : "",
      );
      lines[range.at] = `${kept}${kept.endsWith("{") ? "" : ","} ${key}: ${value} }${rest}${end}`;
    },
    hasRoomFor(line) {
      const added = metadata() === undefined ? 2 : 1;
      const bytes = Buffer.byteLength(lines.join("")) + Buffer.byteLength(line) + FENCE_BYTES + added * 12;
      const count = lines.filter((item) => item !== "").length + FENCE_LINES + added;
      return count <= MEMORY_LIMITS.frontmatterLinesMax && bytes <= MEMORY_LIMITS.frontmatterBytesMax;
    },
    text: () => lines.join(""),
  };
}

function keyPattern(key: string, indent: string): RegExp {
  return new RegExp(`^${indent}(?:${key}|"${key}"|'${key}')[ \\t]*:(?:[ \\t\\r\\n]|$)`, "u");
}

/** Index after the last line of the value that starts on line `at`: deeper lines, and blank ones between them. */
function endOfValue(lines: readonly string[], at: number, indent: string): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (line.trim() === "") continue;
    const rest = line.startsWith(indent) ? line.slice(indent.length) : "";
    // A list may stand at the same depth as its key.
    if (!/^[ \t]/u.test(rest) && !/^-[ \t\r\n]/u.test(rest)) break;
    end = next + 1;
  }
  return end;
}

/** ` # note` behind a plain or quoted one-line value. */
function trailingComment(old: string): string {
  const value = /^[ \t]*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'#\s](?:[^#]|(?<=\S)#)*?)?([ \t]+#.*)$/u.exec(
    old,
  );
  return value?.[1] ?? "";
}
