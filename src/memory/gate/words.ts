// Text compared the way a reader would: spelling variants folded, words counted in every script. Pure.

/** Words that carry no content, of the five supported languages; a quote made of them proves nothing. */
const EMPTY_WORDS = new Set(
  (
    "a an the and or of to in on at is are be it its this that i me my we our you your he she they for with as by so " +
    "der die das ein eine und oder von zu im in auf ist sind es ich wir du sie mit für als so dem den des " +
    "el la los las un una y o de del en es son yo tu se que con para por lo al " +
    "的 了 是 在 和 我 你 他 她 们 我们 你们 也 就 都 吧 吗 呢 啊 " +
    "は が を に の で と も へ や から です ます だ た て し ください 私 する"
  ).split(" "),
);
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const LATIN_WORD = /[\p{L}\p{N}_][\p{L}\p{N}_'’-]*/gu;

/** NFKC, lower case, plain quotes and dashes, no markup marks, single spaces. */
export function normalise(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[‘’´]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/[‐‑–—]/g, "-")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Words with a meaning, folded. CJK text is cut by the dictionary of the runtime. */
export function contentWords(text: string): string[] {
  const folded = normalise(text);
  const words: string[] = folded.replace(CJK_RUN, " ").match(LATIN_WORD) ?? [];
  for (const run of folded.match(CJK_RUN) ?? []) words.push(...cjkWords(run));
  return words.filter((word) => !EMPTY_WORDS.has(word));
}

/** As `contentWords`, without those of CJK text: no dictionary is asked. */
export function latinWords(text: string): string[] {
  const words: string[] = normalise(text).replace(CJK_RUN, " ").match(LATIN_WORD) ?? [];
  return words.filter((word) => !EMPTY_WORDS.has(word));
}

function cjkWords(run: string): string[] {
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" });
  return [...segmenter.segment(run)].filter((part) => part.isWordLike === true).map((part) => part.segment);
}

/** Two-character pieces of every CJK run: comparison without a dictionary. */
export function cjkPairs(text: string): string[] {
  const pairs: string[] = [];
  for (const run of normalise(text).match(CJK_RUN) ?? []) {
    const characters = Array.from(run);
    for (let at = 0; at + 1 < characters.length; at++) pairs.push(`${characters[at]}${characters[at + 1]}`);
  }
  return pairs;
}

export function hasCjk(text: string): boolean {
  return CJK.test(text);
}

/** Whether two Latin words are forms of one word: a shared start and short endings. */
export function sameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const shared = sharedStart(a, b);
  const endingMax = shared >= 6 ? 5 : 3;
  return shared >= 4 && a.length - shared <= endingMax && b.length - shared <= endingMax;
}

function sharedStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
