// What of a typed message is the person's own prose. Must never move text: what goes is blanked in place, so
// that a position in the result is a position in the message.

/** A message with more prose than this is a paste: nobody types so much, and none of it is an order to us. */
const PROSE_CHARS_MAX = 1_500;
/** Above this a message is not even filtered: every pattern below is linear, but nobody typed it. */
const MESSAGE_CHARS_MAX = 100_000;
/** A message with so many Markdown headings is a document (a plan, a spec), not speech. */
const HEADINGS_MAX = 1;

/** Whole regions, in order; each pattern matches from a clear start to its end, or to the end of the text. */
const REGIONS: readonly RegExp[] = [
  /<private>[\s\S]*?(?:<\/private>|$)/giu,
  /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gmu,
  /`{3}[\s\S]*?`{3}/gu,
  /<([a-z][\w-]*)(?:\s[^<>]*)?>[\s\S]*?<\/\1>/giu,
  /\[(?:Image #\d+|Request interrupted[^\]\n]*|Pasted text[^\]\n]*)\]/gu,
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
    String.raw`\s*[✓✔✗✘×⨯●⏺⎿├└│╭╰♻▶⚠👀]`,
    String.raw`\s*(?:import|export|const|let|var|func|def|class|return|public|private|package|#include)\s.*[;{(=:]\s*$`,
    String.raw`\s*[\w.$]+\(.*\)[;{]?\s*$`,
  ]
    .map((line) => `^(?:${line})`)
    .join("|"),
  "u",
);
const HEADING = /^#{1,6} \S/gmu;

/**
 * The message with everything that is not the person's prose turned into line breaks; same length, same
 * positions. Nothing but line breaks when the message is a paste or a document.
 */
export function humanText(message: string): string {
  if (message.length > MESSAGE_CHARS_MAX) return blank(message);
  let text = message;
  for (const region of REGIONS) text = text.replace(region, blank);
  if ((text.match(HEADING) ?? []).length > HEADINGS_MAX) return blank(message);
  text = text.replace(/[^\n]+/gu, (line) => (MACHINE_LINE.test(line) ? blank(line) : line));
  return text.replace(/\s+/gu, " ").length > PROSE_CHARS_MAX ? blank(message) : text;
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
