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
      return renderText(record.text.slice(0, READ_LIMITS.userTextCharsMax));
    case "assistant-text":
      return renderText(record.text.slice(0, READ_LIMITS.userTextCharsMax));
    case "tool-call":
      return `${renderText(record.tool)} ${renderText(record.preview.slice(0, READ_LIMITS.toolPreviewChars))}`;
    case "tool-result":
      return renderText(record.preview.slice(0, READ_LIMITS.toolPreviewChars));
    case "injected":
    case "turn-end":
      return "";
  }
}

/** As `renderRecord` for a bare text, such as a quote that is to be found in a rendering. */
export function renderText(text: string): string {
  const normal = text.normalize("NFC").replaceAll(/\r\n?|[\u0085\u2028\u2029]/gu, "\n");
  // Masked on the whole: a key block runs over many lines.
  return maskSecrets(normal.replace(/[^\n]+/gu, (line) => displayText(line.replaceAll("\t", "  ")))).text;
}
