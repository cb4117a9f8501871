// Text cut into sentences the way a reader of Markdown sees them: wrapped lines are one, a list item belongs to the
// line that introduces it. Pure.

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？；;])/u;
/** A line that begins something of its own. */
const OWN_LINE =
  /^\s*(?:[-*+•] |\d{1,3}[.)] |#{1,6} |>|\||```|~~~|\[[^\]]{1,100}\]:|\*{0,2}(?:why|how to apply):)/iu;
const LIST_ITEM = /^\s*(?:[-*+•] |\d{1,3}[.)] )/u;
const HEADING = /^\s*#{1,6} /u;
const LEAD_IN = /[:：]\**\s*$/u;

export function sentencesOf(text: string): string[] {
  return blocksOf(text)
    .flatMap((block) => block.split(SENTENCE_END))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  /** "Never:" holds for each item of the list below it. */
  let leadIn = "";
  let continues = false;
  for (const line of text.split(/\r?\n/u)) {
    const isItem = LIST_ITEM.test(line);
    if (line.trim() === "") {
      continues = false;
    } else if (continues && !OWN_LINE.test(line)) {
      blocks.push(`${blocks.pop() ?? ""} ${line.trim()}`);
    } else {
      const bare = line.replace(LIST_ITEM, "").trim();
      blocks.push(isItem || leadIn !== "" ? `${leadIn} ${bare}` : bare);
      continues = !HEADING.test(line);
    }
    if (line.trim() === "") continue;
    const whole = blocks.at(-1) ?? "";
    if (LEAD_IN.test(whole)) leadIn = whole;
    else if (!isItem) leadIn = "";
  }
  return blocks;
}

const LABEL = /^\s*(?:[-*] )?\*{0,2}(?:why|how to apply):\*{0,2}\s*/iu;

/** A sentence without the `Why` or `How to apply` it begins with. */
export function withoutLabel(sentence: string): string {
  return sentence.replace(LABEL, "");
}
