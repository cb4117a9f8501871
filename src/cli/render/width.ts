// How many terminal columns a text takes, and cutting it to fit. Expects printable text.

/** Scripts and signs drawn two columns wide (Unicode East Asian Width W and F), and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** Marks drawn upon the character before them, joiners, and Hangul vowels and finals of a syllable. */
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;
const ASCII = /^[\u0020-\u007e]*$/u;

/** Cut texts end with this. */
const CUT_MARK = "…";

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of charactersOf(text)) width += characterWidth(character);
  return width;
}

/** The text, or its start and a mark, in at most `width` columns. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return "";
  let kept = "";
  let used = 1;
  for (const character of charactersOf(text)) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return kept + CUT_MARK;
}

/** The longest start that fits into `width` columns, at least one character, and the rest. */
export function splitText(text: string, width: number): readonly [start: string, rest: string] {
  let start = "";
  let used = 0;
  for (const character of charactersOf(text)) {
    used += characterWidth(character);
    if (used > width && start !== "") break;
    start += character;
  }
  return [start, text.slice(start.length)];
}

/** What a reader sees as one character: a letter with its marks, an emoji with its parts. */
function* charactersOf(text: string): Generator<string> {
  if (ASCII.test(text)) return yield* text;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text))
    yield segment;
}

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
