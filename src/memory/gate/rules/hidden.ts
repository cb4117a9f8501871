// Text that shows a person something else than an agent reads: invisible characters, comments, borrowed letters. A
// model has no reason to write any of it; what a file or the quoted words already hold may stay.
import type { MemoryChange } from "../../../domain/changes.ts";
import { proposedText, type ProposalFacts, type Refusal } from "../facts.ts";
import { INVISIBLE } from "../plain-text.ts";
import { citedMemories, memoryText, textOf } from "../quotes.ts";

interface Hidden {
  readonly pattern: RegExp;
  readonly message: string;
}

const HIDDEN: readonly Hidden[] = [
  { pattern: INVISIBLE, message: "the text holds invisible characters; write it again in plain characters" },
  {
    pattern: /<!--[\s\S]{0,2000}?(?:-->|$(?![\s\S]))|<[!?][^\n>]{0,200}>?/gu,
    message: "comments are not seen by people; leave them out",
  },
  {
    pattern:
      /<\/?(?:a|base|button|details|div|embed|form|iframe|img|input|link|meta|object|script|span|style|svg|template|video)\b[^\n>]{0,500}>?/giu,
    message: "write plain Markdown without HTML",
  },
  {
    pattern: /&(?:#x?[0-9a-f]{1,7}|[a-z]{2,12});/giu,
    message: "write characters themselves, not HTML entities",
  },
];
/** Letters of a script the quoted words do not use look like letters they do use. Latin goes with everything. */
const BORROWED: readonly RegExp[] = [
  "Cyrillic",
  "Greek",
  "Armenian",
  "Cherokee",
  "Coptic",
  "Georgian",
  "Lisu",
  "Arabic",
  "Hebrew",
  "Thai",
  "Devanagari",
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
].map((script) => new RegExp(String.raw`\p{Script=${script}}`, "u"));
/** Phonetic and other rare Latin letters, digits of other scripts, marks set over or under ASCII. */
const ODD = /[\u0180-\u02af\u1d00-\u1dbf\u2c60-\u2c7f\ua720-\ua7ff]|(?![0-9])\p{Nd}|[\x21-\x7e]\p{M}/u;
/** One word out of letters that look alike. */
const MIXED =
  /(?:\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin})/u;

export function hiddenRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const text = `${change.memory.name}\n${proposedText(change)}`.normalize("NFC");
  const known = [textOf(change.evidence), ...citedMemories(change, facts).map(memoryText)]
    .join("\n")
    .normalize("NFC");
  const hidden = HIDDEN.find(({ pattern }) =>
    (text.match(pattern) ?? []).some((piece) => !known.includes(piece)),
  );
  if (hidden !== undefined) return refuse(hidden.message);
  return isBorrowed(text.normalize("NFKC"), known.normalize("NFKC"))
    ? refuse(
        "some letters belong to a script the quoted words do not use; write in the language of the quotes",
      )
    : undefined;
}

function isBorrowed(text: string, known: string): boolean {
  if (BORROWED.some((script) => script.test(text) && !script.test(known))) return true;
  return text.split(/\s+/u).some((word) => (ODD.test(word) || MIXED.test(word)) && !known.includes(word));
}

function refuse(message: string): Refusal {
  return { reason: "unsupported", message };
}
