// Changes one value in the text of a settings file and leaves every other byte as it is: order, blanks, line ends.
// For text JSON.parse takes as an object; never writes a file.

export interface JsonEdit {
  /** Names from the top; objects on the way are made where they are missing. */
  readonly path: readonly [string, ...string[]];
  readonly value: string | number | boolean | null;
}

/** The text with the value set; the last of several members of one name is the one that counts. */
export function setInJson(text: string, { path, value }: JsonEdit): string {
  let object = objectAt(text, text.indexOf("{"));
  for (const [at, name] of path.entries()) {
    const member = object.members.findLast((one) => one.name === name);
    const rest = path.slice(at + 1);
    if (member === undefined) return inserted(text, object, { name, value: nested(rest, value) });
    const isObject = text[member.from] === "{";
    if (rest.length === 0 || !isObject) {
      const written = JSON.stringify(nested(rest, value));
      return text.slice(0, member.from) + written + text.slice(member.end);
    }
    object = objectAt(text, member.from);
  }
  return text;
}

interface Member {
  readonly name: string;
  /** Where what stands before its name begins: after the brace or the comma. */
  readonly after: number;
  readonly nameFrom: number;
  readonly from: number;
  readonly end: number;
}

interface ObjectText {
  readonly open: number;
  /** Where its closing brace stands. */
  readonly close: number;
  readonly members: readonly Member[];
}

function objectAt(text: string, open: number): ObjectText {
  const members: Member[] = [];
  let after = open + 1;
  for (let at = skipBlanks(text, after); text[at] === '"'; at = skipBlanks(text, after)) {
    const nameEnd = endOfString(text, at);
    const from = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, from);
    const name: unknown = JSON.parse(text.slice(at, nameEnd));
    members.push({ name: String(name), after, nameFrom: at, from, end });
    const next = skipBlanks(text, end);
    if (text[next] !== ",") return { open, close: next, members };
    after = next + 1;
  }
  return { open, close: skipBlanks(text, after), members };
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

/** Just after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") {
    let at = from;
    while (at < text.length && !",}] \t\r\n".includes(text.charAt(at))) at++;
    return at;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') at = endOfString(text, at) - 1;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}

interface NewMember {
  readonly name: string;
  readonly value: unknown;
}

const DEFAULT_INDENT = "  ";

/** At the end of the object, laid out as the member before it. */
function inserted(text: string, { open, close, members }: ObjectText, { name, value }: NewMember): string {
  const key = JSON.stringify(name);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const last = members.at(-1);
  if (last !== undefined) {
    const before = text.slice(last.after, last.nameFrom);
    const indent = /[\r\n]([ \t]*)$/u.exec(before)?.[1];
    const member = `${key}: ${valueText(value, { indent, lineEnd })}`;
    return `${text.slice(0, last.end)},${before}${member}${text.slice(last.end)}`;
  }
  const outer = /(?:^|[\r\n])([ \t]*)[^\r\n]*$/u.exec(text.slice(0, open))?.[1] ?? "";
  const indent = outer + DEFAULT_INDENT;
  const member = `${key}: ${valueText(value, { indent, lineEnd })}`;
  return `${text.slice(0, open + 1)}${lineEnd}${indent}${member}${lineEnd}${outer}${text.slice(close)}`;
}

/** On one line where its object is. */
function valueText(
  value: unknown,
  { indent, lineEnd }: { readonly indent: string | undefined; readonly lineEnd: string },
): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, DEFAULT_INDENT).replaceAll("\n", lineEnd + indent);
}

function nested(path: readonly string[], value: JsonEdit["value"]): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}
