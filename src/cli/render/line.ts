// What a command has to say, before it becomes text: lines of spans with a tone. Texts may still be hostile here;
// they are made printable when they are measured, cut or printed, so that no caller can forget it.
import { displayText } from "../../domain/printable.ts";
import { cutText, splitText, textWidth } from "./width.ts";

/** How a span is meant; what colour that is, or none, is decided when it is printed. */
export type Tone = "plain" | "strong" | "faint" | "good" | "warn" | "bad";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

/** Where lines will be shown. */
export interface Page {
  /** Columns; `Infinity` where nothing needs to fit. */
  readonly width: number;
  readonly now: number;
}

export function span(text: string, tone: Tone = "plain"): Span {
  return { text: displayText(text), tone };
}

export function line(...spans: readonly (Span | string)[]): Line {
  return spans.map((part) => (typeof part === "string" ? span(part) : part));
}

export const EMPTY_LINE: Line = [];

export function spanWidth({ text }: Span): number {
  return textWidth(text);
}

/** The span cut to `width` columns. */
export function fitSpan({ text, tone }: Span, width: number): Span {
  return { text: cutText(text, width), tone };
}

export interface WrapOptions {
  readonly width: number;
  readonly tone?: Tone;
  /** Blanks before the first line. */
  readonly firstIndent?: number;
  /** Blanks before every other line; default as the first. */
  readonly indent?: number;
}

/** A paragraph as lines of at most `width` columns, broken between words where there are any. */
export function wrap(text: string, options: WrapOptions): Line[] {
  const { width, tone = "plain", firstIndent = 0, indent = firstIndent } = options;
  const lines: string[] = [];
  let current = "";
  const blanks = () => (lines.length === 0 ? firstIndent : indent);
  const roomOf = () => Math.max(1, width - blanks());
  const push = () => {
    lines.push(" ".repeat(blanks()) + current);
    current = "";
  };
  for (const word of displayText(text).split(/ +/u)) {
    const joined = current === "" ? word : `${current} ${word}`;
    if (textWidth(joined) <= roomOf()) {
      current = joined;
      continue;
    }
    if (current !== "") push();
    let rest = word;
    while (textWidth(rest) > roomOf()) {
      [current, rest] = splitText(rest, roomOf());
      push();
    }
    current = rest;
  }
  if (current !== "" || lines.length === 0) push();
  return lines.map((content) => [{ text: content, tone }]);
}
