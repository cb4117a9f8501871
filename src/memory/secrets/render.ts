// The one rendering of a transcript record: what a model is shown is, letter for letter, what evidence is checked
// against. Normalised, tool traffic shortened, secrets masked. Never shows a control or direction character.
import { READ_LIMITS } from "../../domain/limits.ts";
import { displayText } from "../../domain/printable.ts";
import type { TranscriptRecord } from "../../domain/records.ts";
import { maskSecrets } from "./scanner.ts";

/** "" for records that carry no text of anybody. */
export function renderRecord(record: TranscriptRecord): string {
  switch (record.kind) {
    case "user-text":
    case "assistant-text":
      return renderText(shortened(record.text, READ_LIMITS.userTextCharsMax));
    case "tool-call":
      return renderText(`${record.tool} ${shortened(record.preview, READ_LIMITS.toolPreviewChars)}`);
    case "tool-result":
      return renderText(shortened(record.preview, READ_LIMITS.toolPreviewChars));
    case "injected":
    case "turn-end":
      return "";
  }
}

/** As `renderRecord` for a bare text, such as a quote that is to be found in a rendering. Renders itself to itself. */
export function renderText(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/gu, "\n").replace(/[^\n]+/gu, printableLine);
  // On the whole, not by line: a key block runs over many lines.
  return maskSecrets(lines.normalize("NFC")).text;
}

function printableLine(line: string): string {
  return displayText(line.replaceAll("\t", "  "));
}

/** Characters of a word that may have been cut; longer runs are no single value. */
const CUT_WORD = /\S{1,300}$/u;

/**
 * At most `charsMax` characters. A text that reaches the bound was cut, here or while it was read: its last word goes,
 * because half a secret has no shape to be known by.
 */
function shortened(text: string, charsMax: number): string {
  return text.length < charsMax ? text : text.slice(0, charsMax).replace(CUT_WORD, "…");
}
