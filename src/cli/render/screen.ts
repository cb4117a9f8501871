// A picture that stays in place: the terminal's other screen, of which only lines that changed are written. What it
// takes from the terminal it gives back in `close`, which may be called twice and at any moment.
import type { Line } from "./line.ts";
import { fitSpan, spanWidth } from "./line.ts";
import type { Outlet } from "./output.ts";
import { lineText } from "./output.ts";

export interface Screen {
  /** Cut to the terminal's size; the last line of a longer picture says that there is more. */
  draw(lines: readonly Line[]): void;
  /** The terminal changed: nothing that stands on it can be relied on. */
  forget(): void;
  close(): void;
}

/** The other screen, without a cursor: what was on the terminal before comes back with the end. */
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
/** Terminals that know these show a frame at once; the others ignore them. */
const FRAME_BEGINS = "\u001b[?2026h";
const FRAME_ENDS = "\u001b[?2026l";
const CLEAR_LINE_END = "\u001b[K";
const CLEAR_ALL = "\u001b[2J";
/** Where the terminal does not tell its size. */
const ROWS_DEFAULT = 24;
const COLUMNS_DEFAULT = 80;

export function createScreen(outlet: Outlet, options: { readonly colour: boolean }): Screen {
  let shown: readonly string[] | undefined;
  let isOpen = true;
  outlet.write(ENTER);
  return {
    draw(lines) {
      if (!isOpen) return;
      const columns = known(outlet.columns, COLUMNS_DEFAULT);
      const rows = known(outlet.rows, ROWS_DEFAULT);
      const texts = cutTo(lines, rows).map((line) => lineText(cutLine(line, columns), options));
      const before = shown;
      const height = Math.max(texts.length, before?.length ?? 0);
      let changes = before === undefined ? CLEAR_ALL : "";
      for (let at = 0; at < height; at++) {
        const text = texts[at] ?? "";
        if (before !== undefined && before[at] === text) continue;
        // Cleared behind the text: a line is never empty for a moment.
        changes += `\u001b[${at + 1};1H${text}${CLEAR_LINE_END}`;
      }
      shown = texts;
      if (changes !== "") outlet.write(`${FRAME_BEGINS}${changes}${FRAME_ENDS}`);
    },
    forget: () => void (shown = undefined),
    close() {
      if (!isOpen) return;
      isOpen = false;
      outlet.write(LEAVE);
    },
  };
}

/** Some terminals say 0 for what they do not know. */
function known(size: number | undefined, otherwise: number): number {
  return size === undefined || size < 1 ? otherwise : size;
}

function cutTo(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines;
  const left = lines.length - rows + 1;
  return [...lines.slice(0, rows - 1), [{ text: `... ${left} more lines: engramd status`, tone: "faint" }]];
}

function cutLine(line: Line, columns: number): Line {
  let room = columns;
  return line.flatMap((span) => {
    const cut = fitSpan(span, room);
    room = Math.max(0, room - spanWidth(cut));
    return cut.text === "" ? [] : [cut];
  });
}
