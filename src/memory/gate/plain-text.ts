// Text as a reader sees it once Markdown is drawn: no mark, escape or invisible character splits a word. Pure.

/** Characters that show nothing: zero width, soft hyphens, fillers, direction marks, tags. */
export const INVISIBLE =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180d]|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** Compatibility forms folded, invisible characters and escapes gone; code marks stay, they delimit commands. */
export function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(/[∕⁄]/gu, "/")
    .replace(/(?<=^|[\s(])[‐‑‒–—―−]{1,2}(?=[a-z])/gimu, "-")
    .replace(/\\([\\`*_{}[\]()#+.!<>~|-])/gu, "$1");
}

/** `plainText` with every mark gone, so that `fetch**User**` and `fetch[User](x)` are one word. */
export function unmarkedText(plain: string): string {
  return plain
    .replace(/\]\([^)\s]{0,2000}\)/gu, "")
    .replace(/[`*[\]]|~~/gu, "")
    .replace(/(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)/gu, "");
}
