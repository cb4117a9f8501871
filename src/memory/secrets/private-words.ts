// What stands in <private>: cut before any model, rule or search, wherever the person wrote it. Pure.

/** What stands where something was cut; nobody can quote it into a memory. */
export const CUT = "[private]";
const PRIVATE = /<private>[\s\S]*?(?:<\/private>|$)/giu;

/** Without an end it goes to the end of the text. */
export function cutPrivate(text: string, mark: string = CUT): string {
  return text.replace(PRIVATE, mark);
}

export function holdsPrivate(text: string): boolean {
  return /<private>/iu.test(text);
}

const END = /<\/private>/iu;

/** An end that nothing in the text itself begins: it closes what an earlier message opened. */
export function closesPrivate(text: string): boolean {
  const end = END.exec(text);
  return end !== null && !holdsPrivate(text.slice(0, end.index));
}

/** What stands behind that end. */
export function behindEnd(text: string): string {
  const end = END.exec(text);
  return end === null ? "" : text.slice(end.index + end[0].length);
}

/** A mark without an end: the person goes on privately in the next message. In quotes somebody talks about the mark. */
export function opensPrivate(text: string): boolean {
  const start = text.toLowerCase().lastIndexOf("<private>");
  return start !== -1 && !END.test(text.slice(start)) && !/["'`“‘«「]$/u.test(text.slice(0, start));
}
