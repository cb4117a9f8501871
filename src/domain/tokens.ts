// How many tokens a text is likely to have, counted without a tokenizer. Pure.

/** Scripts where one character is about one token: CJK ideographs, kana, hangul and their punctuation. */
const DENSE =
  /[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\u{20000}-\u{3ffff}]/gu;
/** Characters of other scripts in one token, on average. */
const CHARS_A_TOKEN = 4;

/** CJK and kana one token a character, everything else four characters a token (product.md 4). */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  return dense + Math.ceil((text.length - dense) / CHARS_A_TOKEN);
}
