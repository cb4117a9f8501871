// Aligned tables that fit the page: first columns that may go are left out, then flexible ones are cut.
import type { Line, Span } from "./line.ts";
import { fitSpan, span, spanWidth } from "./line.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** May be cut to fit. */
  readonly flexible?: boolean;
  /** Leaves a narrow page, lowest number first; without it the column always stays. */
  readonly leaves?: number;
}

export interface TableOptions {
  readonly columns: readonly Column[];
  /** One cell per column. */
  readonly rows: readonly (readonly (Span | string)[])[];
  readonly width: number;
}

const GAP = 2;
/** A flexible column narrower than this says nothing. */
const FLEXIBLE_WIDTH_MIN = 8;

/** A head line and one line per row; nothing without rows. */
export function table({ columns, rows, width }: TableOptions): Line[] {
  if (rows.length === 0) return [];
  const cells = [
    columns.map(({ title }) => span(title, "faint")),
    ...rows.map((row) => row.map((cell) => (typeof cell === "string" ? span(cell) : cell))),
  ];
  const measured = columns.map((column, at) => ({
    column,
    at,
    natural: Math.max(...cells.map((row) => (row[at] === undefined ? 0 : spanWidth(row[at])))),
  }));
  const placed = fitColumns(measured, width);
  return cells.map((row) => rowLine(row, placed));
}

interface Measured {
  readonly column: Column;
  readonly at: number;
  readonly natural: number;
}

interface Placed extends Measured {
  readonly width: number;
}

function fitColumns(measured: readonly Measured[], width: number): Placed[] {
  let kept = measured;
  while (totalOf(kept, smallest) > width) {
    const leaving = kept
      .filter(({ column }) => column.leaves !== undefined)
      .toSorted((a, b) => (a.column.leaves ?? 0) - (b.column.leaves ?? 0))[0];
    if (leaving === undefined) break;
    kept = kept.filter((one) => one !== leaving);
  }
  let excess = Math.max(0, totalOf(kept, ({ natural }) => natural) - width);
  return kept.map((one) => {
    const cut = Math.min(excess, one.natural - smallest(one));
    excess -= cut;
    return { ...one, width: one.natural - cut };
  });
}

function smallest({ column, natural }: Measured): number {
  return column.flexible === true ? Math.min(natural, FLEXIBLE_WIDTH_MIN) : natural;
}

function totalOf(columns: readonly Measured[], widthOf: (column: Measured) => number): number {
  return columns.reduce((sum, column) => sum + widthOf(column) + GAP, -GAP);
}

function rowLine(row: readonly Span[], placed: readonly Placed[]): Line {
  return placed.flatMap(({ at, width, column }, position) => {
    const cell = fitSpan(row[at] ?? span(""), width);
    const blanks = span(" ".repeat(width - spanWidth(cell)));
    const isLast = position === placed.length - 1;
    const gap = isLast ? [] : [span(" ".repeat(GAP))];
    if (column.align === "right") return [blanks, cell, ...gap];
    // Nothing follows: blanks at the end of a line only break narrow terminals.
    return isLast ? [cell] : [cell, blanks, ...gap];
  });
}
