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
/** Columns leave before a flexible one gets narrower than this. */
const FLEXIBLE_WIDTH_MIN = 16;

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
    natural: cells.reduce((most, row) => Math.max(most, spanWidth(row[at] ?? span(""))), 0),
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
  width: number;
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
  return cutWidest(
    kept.map((one) => ({ ...one, width: one.natural })),
    width,
  );
}

/** Takes from the widest flexible column, letter by letter, so that short cells stay whole. */
function cutWidest(columns: readonly Placed[], width: number): Placed[] {
  const placed = columns.map((one) => ({ ...one }));
  let excess = totalOf(placed, (one) => one.width) - width;
  while (excess > 0) {
    const widest = placed
      .filter(({ column }) => column.flexible === true)
      .reduce<Placed | undefined>(
        (best, one) => (best === undefined || one.width > best.width ? one : best),
        undefined,
      );
    if (widest === undefined || widest.width <= 1) break;
    widest.width -= 1;
    excess -= 1;
  }
  return placed;
}

function smallest({ column, natural }: Measured): number {
  return column.flexible === true ? Math.min(natural, FLEXIBLE_WIDTH_MIN) : natural;
}

function totalOf<T>(columns: readonly T[], widthOf: (column: T) => number): number {
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
