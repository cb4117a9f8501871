// A message cut into sentences that know where they stand. Pure; understands no meaning.
import { humanText, withoutQuotations } from "./human-text.ts";

/** One sentence of the person. `[start, end)` are positions in the record's text. */
export interface Statement {
  readonly text: string;
  /** `text` with longer quotations blanked, same length: cues look only here. */
  readonly plain: string;
  readonly start: number;
  readonly end: number;
  /** Counts the lines that hold prose; neighbours on one line belong together. */
  readonly line: number;
  readonly isQuestion: boolean;
}

/** A longer "sentence" is no sentence; this also bounds what every pattern has to look at. */
const SENTENCE_CHARS_MAX = 600;
/** A typed message has fewer; the rest of a longer one is not looked at. */
const STATEMENTS_MAX = 100;

const ABBREVIATION =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|mr|mrs|dr|st|no|bzw|z\. ?b|u\. ?a|d\. ?h|ca|evtl|p\. ?ej|sr|sra)|(?<!\w)\w)\.$/iu;
/** `15. April`: a day of the month, not the end of a sentence. */
const ORDINAL = /(?:^|\s)\d{1,2}\.$/u;
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)]|\([a-z\d]\))\s+/u;
/** Looked for at every character of a message: a pattern would cost ten times as much. */
const MARKS: ReadonlySet<string> = new Set([".", "!", "?", "。", "！", "？"]);
const CLOSING = /["'”’»」』）)\]*_`]/u;
const QUESTION_END = /[?？]["'”’»」』）)\]*_\s]*$/u;
/** Questions people end with a full stop or nothing. */
const QUESTION_START =
  /^(?:(?:so|and|but|ok(?:ay)?|hmm+|wait|also|then|well)[,.…]* )*(?:why|how|what(?:'s|s)?|where|when(?= (?:do|does|did|is|are|will|can|should)\b)|who|which|is it|are (?:we|you|there)|do (?:we|you|i)|does|did|can (?:you|we|i)|could (?:you|we|i)|would (?:you|it)|will (?:it|you)|should (?:we|i|it))\b|^(?:warum|wieso|weshalb|wie|wo|wann|kannst du|könntest du|sollen wir|weißt du|hast du)\b|^(?:por qué|cómo|cuándo|dónde|qué|puedes|podrías)\b|^¿/iu;
const QUESTION_CJK =
  /(?:吗|呢|么|嗎)[。.!！]?$|^(?:为什么|为何|怎么|如何|哪|是不是|能不能|可不可以|要不要)|(?:ですか|ますか|でしょうか|かな|のかな|だっけ)[。.]?$|^(?:なぜ|どうして|なんで)/u;

/** The sentences of the person's own prose, in order. */
export function statementsOf(message: string): Statement[] {
  const prose = humanText(message);
  const statements: Statement[] = [];
  let at = 0;
  let line = 0;
  for (const row of prose.split("\n")) {
    if (row.trim() !== "") {
      for (const sentence of sentencesOf(row)) {
        const statement = toStatement(sentence, { offset: at, line });
        if (statement !== undefined) statements.push(statement);
        if (statements.length >= STATEMENTS_MAX) return statements;
      }
      line++;
    }
    at += row.length + 1;
  }
  return statements;
}

interface Span {
  readonly text: string;
  readonly start: number;
}

function sentencesOf(row: string): Span[] {
  const spans: Span[] = [];
  let start = BULLET.exec(row)?.[0].length ?? 0;
  for (let at = start; at < row.length; at++) {
    if (!MARKS.has(row.charAt(at)) || !endsSentence(row, { start, at })) continue;
    while (at + 1 < row.length && (CLOSING.test(row.charAt(at + 1)) || MARKS.has(row.charAt(at + 1)))) at++;
    spans.push({ text: row.slice(start, at + 1), start });
    start = at + 1;
  }
  spans.push({ text: row.slice(start), start });
  return spans;
}

/** For a place where one of the marks stands. */
function endsSentence(row: string, range: { start: number; at: number }): boolean {
  const mark = row.charAt(range.at);
  if (/[。！？]/u.test(mark)) return true;
  const rest = row.slice(range.at + 1, range.at + 4);
  if (rest !== "" && !/^["'”’»)\]*_`.!?]{0,2}(?:\s|$)/u.test(rest) && !/^[^\p{ASCII}]/u.test(rest))
    return false;
  if (mark !== ".") return true;
  const before = row.slice(Math.max(range.start, range.at - 12), range.at + 1);
  return !ABBREVIATION.test(before) && !(ORDINAL.test(before) && rest.trim() !== "");
}

function toStatement(span: Span, place: { offset: number; line: number }): Statement | undefined {
  const text = span.text.trim();
  if (text === "" || text.length > SENTENCE_CHARS_MAX) return undefined;
  const start = place.offset + span.start + span.text.indexOf(text);
  return {
    text,
    plain: withoutQuotations(text),
    start,
    end: start + text.length,
    line: place.line,
    isQuestion: QUESTION_END.test(text) || QUESTION_START.test(text) || QUESTION_CJK.test(text),
  };
}
