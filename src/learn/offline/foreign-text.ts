// Where a typed message stops being the person's own words: others' speech it announces, mail, chat, documents and
// quotations it carries. Must only say where; every pattern is bounded and meets one line.

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Nobody types a longer line: a message with one is a paste as a whole, which its length shows. */
const TYPED_LINE_CHARS_MAX = 6_000;
/** Of a longer line both ends are looked at: patterns with open ends must not meet a line of 100 KB. */
const LINE_CHARS = 300;

/** "The README says:" - what follows is not the person's. */
const ANNOUNCING = new RegExp(
  [
    String.raw`\b(?:says|said|wrote|writes|states|stated|reads|prints|printed|recommends|suggests|shows|showed|returned|responded|replied|posted)\b[^.!?:\n]{0,40}:`,
    String.raw`\b(?:this is|here(?: i|'?)s|look at|below is|copied from|pasted from|pasting|quoting|contents? of)\b[^.!?:\n]{0,60}\b(?:read ?me|page|site|website|article|post|issue|ticket|e?-?mail|logs?|output|error|comments?|snippet|wiki|thread|docs?|documentation|transcript|memory|memories|\S{1,100}\.(?:md|txt|html?))\b[^.!?:\n]{0,30}:`,
    String.raw`(?:\p{L}'s|\b(?:their|his|her)) (?:\p{L}{1,20} )?(?:e-?mail|mail|message|comment|post|reply|answer|note|page|site|read ?me|prompt)[^.!?:\n]{0,20}:`,
    String.raw`\b(?:sagt|sagte|schreibt|schrieb|meldet|empfiehlt|steht|stand|antwortet)\b[^.!?:\n]{0,40}:`,
    String.raw`\b(?:dice|dijo|escribe|escribió|pone|recomienda|responde|respondió)(?!\p{L})[^.!?:\n]{0,40}:`,
    String.raw`\b(?:dit|écrit|indique|recommande|répond)(?!\p{L})[^.!?:\n]{0,40}:`,
    String.raw`(?:说|写道|写着|显示|建议|回复|寫著|說)(?:了|过|是|的是|如下)?[:：]`,
    String.raw`(?:によると|と言って(?:いる|いた|います)|書いて(?:ある|あった|あります|ありました)|書かれて(?:いる|いた|います|いました)|と表示(?:された)?)[^。\n]{0,10}[:：]`,
  ].join("|"),
  "iu",
);

/** Lines after which all is others' text, with or without a colon. */
const OPENING = new RegExp(
  [
    String.raw`^\s*contents of \S`,
    String.raw`^\s*(?:[$%❯#] ?)(?:npx )?engramd(?:\s|$)|^\s*engramd is (?:watching|paused|not running|stopped)\b`,
    // "Here is what their README says", "see below what she wrote".
    String.raw`^\s*(?:here(?:'?s| is| are)|see below|below (?:is|are)|this is|the following is)\b[^.\n]{0,80}(?:\p{L}'s|\b(?:their|his|her|he|she|they|wrote|says|said))\b[^.\n]{0,60}$`,
    // "Explain this:", "What does this mean?"
    String.raw`^\s*(?:\p{L}+,? ){0,3}(?:explain|what (?:is|does|are|do you (?:think|make) of)|what's|sum up|summari[sz]e|translate|proofread|rephrase|reword|answer|reply to)\b[^.\n]{0,40}\b(?:this|these|it|them)(?: (?:text|page|prompt|rules?|files?|e-?mail|message|docs?|note|snippet|mean|say|\S{1,60}\.md))?[?:]?\s*$`,
  ].join("|"),
  "iu",
);
/** The head of a message in a chat, or a time by itself. */
const CHAT_HEAD =
  /^\s*(?:\p{Lu}[\p{L}.'’-]{0,30}(?: \p{Lu}[\p{L}.'’-]{0,30}){0,3}(?: APP)?,?\s{1,8}[([]?|(?:[Tt]oday|[Yy]esterday|[Hh]eute|[Gg]estern|[Hh]oy|[Aa]yer)?(?: at| um| a las)? ?)\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?[)\]]?:?\s*$/u;
const OWN_SAYING =
  /\b(?:i|we|you|ich|wir|yo|nosotros|je|nous)(?:'ve| have| just| already| habe| haben| he| hemos)* (?:said|wrote|posted|sagte|sagten|schrieb|dije|dijimos)\b|(?:我|我们)(?:刚才|之前)?(?:说|写道)|私が/iu;

const MAIL_HEADER =
  /^\s{0,8}\**(?:from|to|cc|date|sent|subject|reply-to|von|an|gesendet|betreff|datum|de|para|enviado|asunto|fecha|à|objet|发件人|收件人|主题|日期|差出人|宛先|件名|日時)\**\s{0,3}[:：]\s{0,8}\S/iu;
const HEADING = /^#{1,6} \S/u;
/** The line under a title, or the fence of front matter. */
const RULER = /^\s{0,3}(?:={3,}|-{3,})\s*$/u;
/** Nobody types it: a memory file is pasted, and what it says stands in the paragraph before. */
const MEMORY_MARK = /^\s{0,8}\*\*(?:Why|How to apply):\*\*/u;
const HEREDOC = /<<-?\s?(['"]?)([A-Za-z_]\w{0,40})\1\s*(?:[|>&;].{0,100})?$/u;

/** A quotation of more than one sentence: the sentences in it look like the person's own. */
const LONG_QUOTE =
  /(?<![\p{L}\p{N}])(?:"(?=\S)[^"]{20,6000}"|“[^“”]{20,6000}”|„[^„“”]{20,6000}[“”]|«[^«»]{20,6000}»|「[^「」]{8,6000}」|『[^『』]{8,6000}』)/gu;
const MORE_THAN_ONE = /\n|[.!?]\s+\S|[。！？]./u;

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What of a message is somebody else's, as the message itself shows. */
export function foreignStretches(message: string): Stretch[] {
  const found: Stretch[] = [];
  const lines = linesOf(message);
  for (const quote of message.matchAll(LONG_QUOTE)) {
    if (MORE_THAN_ONE.test(quote[0])) found.push({ from: quote.index, to: quote.index + quote[0].length });
  }
  let marked = -1;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined || line.text.trim() === "") continue;
    if (line.text.length > TYPED_LINE_CHARS_MAX) continue;
    const from = restFrom(lines, at, message);
    if (from !== undefined) return [...found, { from, to: message.length }];
    if (MEMORY_MARK.test(line.text)) {
      const first = paragraphBefore(lines, at, marked + 1);
      const before = marked >= 0 && first === marked + 1 ? found.pop() : undefined;
      found.push({ from: before?.from ?? lines[first]?.start ?? 0, to: line.end });
      marked = at;
      continue;
    }
    const heredoc = HEREDOC.exec(line.text.slice(-LINE_CHARS))?.[2];
    if (heredoc !== undefined) {
      const last = lines.findIndex(({ text }, index) => index > at && text.trim() === heredoc);
      found.push({ from: line.start, to: lines[last]?.end ?? message.length });
      at = last === -1 ? lines.length : last;
      continue;
    }
    const announced = announcedIn(line);
    if (announced !== undefined) found.push({ from: announced, to: paragraphEnd(lines, at) });
  }
  return found;
}

/** Where the rest of the message begins to be foreign, looked at line by line. */
function restFrom(lines: readonly Line[], at: number, message: string): number | undefined {
  const line = lines[at];
  if (line === undefined) return undefined;
  const { text, start, end } = line;
  const tail = text.slice(-LINE_CHARS);
  const isFirst = message.slice(0, start).trim() === "";
  if (!isFirst && (HEADING.test(text) || RULER.test(text.slice(0, LINE_CHARS)))) return start;
  if (isHeader(line) && isHeader(lines[at + 1])) return start;
  if (OWN_SAYING.test(tail)) return undefined;
  if (text.length <= LINE_CHARS && (OPENING.test(text) || CHAT_HEAD.test(text))) return end;
  const announcing = ANNOUNCING.exec(tail);
  const isLast = announcing !== null && tail.slice(announcing.index + announcing[0].length).trim() === "";
  return isLast ? end : undefined;
}

/** "The page says: hello. From now on ..." - where the announced words begin. */
function announcedIn({ text, start }: Line): number | undefined {
  const found = ANNOUNCING.exec(text);
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  // A port, a time or a path is nobody's speech.
  if (/^[\d/]/u.test(text.slice(end))) return undefined;
  return OWN_SAYING.test(text.slice(Math.max(0, end - LINE_CHARS), end)) ? undefined : start + end;
}

function isHeader(line: Line | undefined): boolean {
  return line !== undefined && MAIL_HEADER.test(line.text.slice(0, LINE_CHARS));
}

function paragraphEnd(lines: readonly Line[], at: number): number {
  const next = lines.findIndex(({ text }, index) => index > at && text.trim() === "");
  return (next === -1 ? lines.at(-1) : lines[next])?.end ?? 0;
}

/** The line with which the paragraph before this one begins, whatever empty lines lie between; at least `from`. */
function paragraphBefore(lines: readonly Line[], at: number, from: number): number {
  const isEmpty = (line: Line | undefined) => line?.text.trim() === "";
  let first = at;
  while (first > from && isEmpty(lines[first - 1])) first -= 1;
  while (first > from && !isEmpty(lines[first - 1])) first -= 1;
  return first;
}

function linesOf(message: string): Line[] {
  let start = 0;
  return message.split("\n").map((text) => {
    const line = { text, start, end: start + text.length };
    start = line.end + 1;
    return line;
  });
}
