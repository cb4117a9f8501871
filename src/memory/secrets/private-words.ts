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
