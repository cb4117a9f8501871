// Reads source files and the imports they state. A plain scan, no compiler: it costs about a tenth of a second.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export interface Import {
  /** As written between the quotes. */
  readonly specifier: string;
  readonly line: number;
  /** Path below `src` for a relative import; undefined for a package or a Node module. */
  readonly target: string | undefined;
}

export interface SourceFile {
  /** Path below `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments and the contents of strings blanked; same length, same lines. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface SourceTree {
  readonly files: readonly SourceFile[];
  /** Every folder that holds a source file or a folder of them, "" for `src` itself. */
  readonly folders: readonly string[];
  /** Text of a README by folder. */
  readonly readmes: ReadonlyMap<string, string>;
}

/** Files by path below `src`; used for the real tree and for invented ones. */
export function createTree(texts: Readonly<Record<string, string>>): SourceTree {
  const files: SourceFile[] = [];
  const folders = new Set<string>([""]);
  const readmes = new Map<string, string>();
  for (const [path, text] of Object.entries(texts)) {
    const folder = folderOf(path);
    if (path.endsWith("README.md")) readmes.set(folder, text);
    if (!path.endsWith(".ts")) continue;
    files.push(createSource(path, text));
    for (let above = folder; above !== ""; above = folderOf(above)) folders.add(above);
  }
  return { files, folders: [...folders].sort(), readmes };
}

export function readTree(root: string): SourceTree {
  const texts: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|md)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    texts[posix.relative(root, path)] = readFileSync(path, "utf8");
  }
  return createTree(texts);
}

/** "" for a file at the top. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function createSource(path: string, text: string): SourceFile {
  const { code, strings } = blank(text);
  return { path, text, code, imports: findImports({ path, code, strings }) };
}

interface StringSpan {
  readonly start: number;
  readonly content: string;
}

const IMPORT_BEFORE_STRING = /(?:\bimport\s*\(\s*|\bimport\s+|\bfrom\s+|\brequire\s*\(\s*)$/;

function findImports(source: { path: string; code: string; strings: readonly StringSpan[] }): Import[] {
  return source.strings
    .filter(({ start }) => IMPORT_BEFORE_STRING.test(source.code.slice(Math.max(0, start - 40), start)))
    .map(({ start, content }) => ({
      specifier: content,
      line: lineAt(source.code, start),
      target: content.startsWith(".")
        ? posix.normalize(posix.join(folderOf(source.path), content))
        : undefined,
    }));
}

/** Characters after which a slash begins a regular expression, not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|do|else|yield|await))\s*$/;

/** Blanks comments, regular expressions and string contents, and lists the strings. */
function blank(text: string): { code: string; strings: StringSpan[] } {
  const out = text.split("");
  const strings: StringSpan[] = [];
  const erase = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (out[i] !== "\n") out[i] = " ";
  };
  /** Brace depth of each template literal whose `${` is open. */
  const templates: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const token = tokenAt(text, at, templates.at(-1) === depth);
    if (token.kind === "open") depth++;
    if (token.kind === "close") depth--;
    if (token.kind === "comment" || token.kind === "regex") erase(at, token.end);
    if (token.kind === "string") {
      strings.push({ start: at, content: text.slice(at + 1, token.end - 1) });
      erase(at + 1, token.end - 1);
    }
    if (token.kind === "template") {
      // A piece begins with a backtick or the brace that ends a substitution.
      if (text[at] === "}") templates.pop();
      erase(at + 1, token.end - 1);
      if (token.opensSubstitution) templates.push(depth);
    }
    at = token.end;
  }
  return { code: out.join(""), strings };
}

interface Token {
  readonly kind: "comment" | "regex" | "string" | "template" | "open" | "close" | "plain";
  readonly end: number;
  readonly opensSubstitution?: boolean;
}

function tokenAt(text: string, at: number, closesSubstitution: boolean): Token {
  const two = text.slice(at, at + 2);
  const one = text[at] ?? "";
  if (two === "//") return { kind: "comment", end: endOf(text, "\n", at) };
  if (two === "/*") return { kind: "comment", end: endOf(text, "*/", at + 2) + 2 };
  if (one === '"' || one === "'") return { kind: "string", end: quotedEnd(text, at, one) };
  if (one === "`" || (one === "}" && closesSubstitution)) return templatePiece(text, at);
  if (one === "/" && BEFORE_REGEX.test(text.slice(Math.max(0, at - 20), at))) {
    return { kind: "regex", end: regexEnd(text, at) };
  }
  if (one === "{") return { kind: "open", end: at + 1 };
  if (one === "}") return { kind: "close", end: at + 1 };
  return { kind: "plain", end: at + 1 };
}

function endOf(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found;
}

function quotedEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
  return Math.min(text.length, at + 1);
}

function templatePiece(text: string, start: number): Token {
  let at = start + 1;
  while (at < text.length) {
    if (text[at] === "`") return { kind: "template", end: at + 1, opensSubstitution: false };
    if (text.startsWith("${", at)) return { kind: "template", end: at + 2, opensSubstitution: true };
    at += text[at] === "\\" ? 2 : 1;
  }
  return { kind: "template", end: text.length, opensSubstitution: false };
}

function regexEnd(text: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") inClass = true;
    else if (text[at] === "]") inClass = false;
    else if (text[at] === "/" && !inClass) return at + 1;
  }
  return start + 1;
}
