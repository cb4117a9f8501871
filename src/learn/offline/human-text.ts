// What of a typed message is the person's own prose. Must never move text: what goes is blanked in place, so
// that a position in the result is a position in the message.
import { foreignStretches } from "./foreign-text.ts";
import { normalise } from "../../memory/gate/words.ts";

/** A message with more prose than this is a paste: nobody types so much, and none of it is an order to us. */
const PROSE_CHARS_MAX = 1_500;
/** A message a model read whole may be longer and still be one person's words: ten minutes of dictation. */
const OWN_CHARS_MAX = 6_000;
/** Above this a message is not even filtered: every pattern below is linear, but nobody typed it. */
const MESSAGE_CHARS_MAX = 100_000;
/** A message with so many Markdown headings is a document (a plan, a spec), not speech. */
const HEADINGS_MAX = 1;

/** Whole regions, in order; each pattern matches from a clear start to its end, or to the end of the text. */
const REGIONS: readonly RegExp[] = [
  /<private>[\s\S]*?(?:<\/private>|$)/giu,
  /`{3}[\s\S]*?`{3}/gu,
  /<!--[\s\S]*?(?:-->|$)/gu,
  /\[(?:Image #\d+|Request interrupted[^\]\n]{0,100}|Pasted text[^\]\n]{0,100})\]/gu,
];

/** Single lines nobody says: quotes, shell prompts, log output, diffs, code, tables, headings. */
const MACHINE_LINE = new RegExp(
  [
    String.raw`\s*>`,
    String.raw`\s*\[?\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[T ]`,
    String.raw`\s*\[?\d{1,2}:\d{2}(?::\d{2})`,
    String.raw`\s*\[(?:\d|info|warn|error|debug|trace)`,
    String.raw`\s*(?:\S+ )?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|ERR!)(?::|\s)`,
    String.raw`\s*(?:[A-Z]\w*)?(?:Error|Exception|Traceback|panic|fatal|error|warning)(?:\[\w+\])?:`,
    String.raw`\s*at \S+ ?\(.*\)`,
    String.raw`\s*File ".*", line`,
    String.raw`\s*\S+\.\w{1,5}:\d+(?::\d+)?\b`,
    String.raw`\s*(?:\$|%|#|❯|➜|PS [A-Z]:) ?\S`,
    String.raw`(?:diff --git|@@ |\+\+\+ |--- |index [0-9a-f]{7})`,
    String.raw`\s*[{}[\]|]`,
    String.raw`\s*<[/!a-z]`,
    String.raw`\s*(?://|/\*|\*/)`,
    String.raw`(?: {4,}|\t)\s*(?![-*•\d])\S`,
    String.raw`\s*[-*] \[[^\]]{1,100}\]\([^)\s]{1,200}\.md\)`,
    String.raw`\s*\*\*(?:Why|How to apply):\*\*`,
    String.raw`\s*(?:node_type|originSessionId|evidence|confirmed|description|metadata): ?(?:\S|$)`,
    String.raw`\s*\S[^\n]{0,80}\S {2,}\S[^\n]{0,80}\S {2,}\S`,
    String.raw`\s*[✓✔✗✘×⨯●⏺⎿├└│╭╰♻▶⚠👀]`,
    String.raw`\s*(?:import|export|const|let|var|func|def|class|return|public|private|package|#include)\s.*[;{(=:]\s*$`,
    String.raw`\s*[\w.$]+\(.*\)[;{]?\s*$`,
  ]
    .map((line) => `^(?:${line})`)
    .join("|"),
  "u",
);
const LINE_START_CHARS = 300;
const HEADING = /^#{1,6} \S/gmu;

/**
 * The message with everything that is not the person's prose turned into line breaks; same length, same
 * positions. Nothing but line breaks when the message is a paste or a document.
 */
export function humanText(message: string): string {
  return proseOf(message, PROSE_CHARS_MAX);
}

/** The same where somebody chose the words with care: people dictate longer messages than they teach in. */
export function ownProse(message: string): string {
  return proseOf(message, OWN_CHARS_MAX);
}

/** Whether the person typed these words of a message themselves; what they pasted is somebody else's text. */
export function isTypedIn(text: string, quote: string): boolean {
  return normalise(ownProse(text)).includes(normalise(quote));
}

function proseOf(message: string, charsMax: number): string {
  if (message.length > MESSAGE_CHARS_MAX) return blank(message);
  let text = message;
  text = withoutFences(text);
  for (const region of REGIONS) text = text.replace(region, blank);
  if ((text.match(HEADING) ?? []).length > HEADINGS_MAX) return blank(message);
  let foreignChars = 0;
  for (const { from, to } of foreignStretches(text)) {
    // What stands between the person's words still tells that the message is a paste; what follows them does not.
    if (to < message.length) foreignChars += to - from;
    text = `${text.slice(0, from)}${blank(text.slice(from, to))}${text.slice(to)}`;
  }
  text = withoutTags(text);
  text = text.replace(/[^\n]+/gu, (line) =>
    // What a line is shows at its start; patterns with two open ends must not meet a line of 100 KB.
    MACHINE_LINE.test(line.slice(0, LINE_START_CHARS)) ? blank(line) : line,
  );
  return text.replace(/\s+/gu, " ").length + foreignChars > charsMax ? blank(message) : text;
}

const FENCE = /^[ \t]{0,20}(`{3,}|~{3,})/u;

/** Fenced blocks, to their end or to the end of the text. Line by line: one pattern for it is quadratic on backticks. */
function withoutFences(text: string): string {
  let marker: string | undefined;
  return text.replace(/[^\n]+/gu, (line) => {
    const found = FENCE.exec(line.slice(0, LINE_START_CHARS))?.[1]?.slice(0, 3);
    if (marker === undefined) {
      // "```code```" on one line opens nothing.
      if (found === undefined || line.trim().slice(3).includes(found)) return line;
      marker = found;
      return blank(line);
    }
    if (found === marker) marker = undefined;
    return blank(line);
  });
}

const OPENING_TAG = /<([a-z][\w-]{0,60})(?:\s[^<>]*)?>/giu;
const CLOSING_TAG = /<\/([a-z][\w-]{0,60})>/giu;

/** `<name ...> ... </name>` regions, outermost first. One pass: a pattern for this is quadratic on `<a><a><a>`. */
function withoutTags(text: string): string {
  const closings = new Map<string, number[]>();
  for (const match of text.matchAll(CLOSING_TAG)) {
    const name = (match[1] ?? "").toLowerCase();
    const ends = closings.get(name) ?? [];
    closings.set(name, ends);
    ends.push(match.index + match[0].length);
  }
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(OPENING_TAG)) {
    if (match.index < from) continue;
    const ends = closings.get((match[1] ?? "").toLowerCase()) ?? [];
    // Tags come in order, so a closing one before this place is of no use to any later tag.
    while (ends[0] !== undefined && ends[0] <= match.index) ends.shift();
    const end = ends[0];
    if (end === undefined) continue;
    parts.push(text.slice(from, match.index), blank(text.slice(match.index, end)));
    from = end;
  }
  return parts.join("") + text.slice(from);
}

function blank(text: string): string {
  return "\n".repeat(text.length);
}

/** Quoted speech of five words or more, or eight CJK letters: somebody else's words inside a sentence. */
const QUOTED =
  /"[^"\n]{20,}"|“[^”\n]{20,}”|„[^“”\n]{20,}[“”]|«[^»\n]{20,}»|「[^」\n]{8,}」|『[^』\n]{8,}』/gu;

/** A sentence with longer quotations blanked, same length: what the cues look at. */
export function withoutQuotations(sentence: string): string {
  return sentence.replace(QUOTED, (quote) => "·".repeat(quote.length));
}
