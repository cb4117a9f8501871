// What `cost` says. Money is rounded up, so that many small sums never look like nothing.
import type { CostReport, CostSum } from "../../domain/cost.ts";
import type { Line, Page, Span } from "./line.ts";
import { EMPTY_LINE, span, wrap } from "./line.ts";
import { countText, counted, moneyText } from "./numbers.ts";
import { table } from "./table.ts";

/** Rows of each table; the document has all. */
const ROWS_MAX = 31;
const MEMORIES_SHOWN = 10;

export function costLines(report: CostReport, page: Page): Line[] {
  const { total, days, byDay, byProject, byKind } = report;
  const period = days === 1 ? "today" : `the last ${countText(days)} days`;
  if (total.runs === 0) {
    return wrap(`no model was asked in ${period}: nothing was spent (rules cost nothing)`, page);
  }
  return [
    ...wrap(
      `${period}: ${costText(total)}, ${counted(tokensOf(total), "token")} in ${counted(total.runs, "run")}`,
      { ...page, tone: "strong" },
    ),
    ...wrap(perMemoryText(report), page),
    ...costTable(
      "day",
      byDay.map((row) => ({ ...row, name: row.day })),
      page,
    ),
    ...(byProject.length > 1
      ? costTable(
          "project",
          byProject.map((row) => ({ ...row, name: row.project || "(unknown)" })),
          page,
        )
      : []),
    ...costTable(
      "kind of job",
      byKind.map((row) => ({ ...row, name: row.kind })),
      page,
    ),
    ...memoryTable(report, page),
    EMPTY_LINE,
    ...wrap(`${pricesText(report)}ceilings: engramd model`, { ...page, tone: "faint" }),
  ];
}

/** Nothing where nothing was paid by the price of a list. */
function pricesText({ total, pricesAsOf }: CostReport): string {
  if (total.usd > 0)
    return `list prices as of ${pricesAsOf}, unknown models at a high one: the vendor's bill is what counts; `;
  return total.planRuns === total.runs ? "" : "a server of your own costs no money; ";
}

function perMemoryText({ total, perMemory }: CostReport): string {
  if (perMemory === null) return "no memory came of it";
  const each = total.usd === 0 ? "" : `about ${moneyText(perMemory.usd)} and `;
  return `${counted(total.memories, "memory")} saved: ${each}${counted(perMemory.tokens, "token")} each, runs that taught nothing included`;
}

function costTable(
  title: string,
  rows: readonly (CostSum & { readonly name: string })[],
  page: Page,
): Line[] {
  return [
    EMPTY_LINE,
    ...table({
      width: page.width,
      columns: [
        { title, flexible: true },
        { title: "runs", align: "right", leaves: 1 },
        { title: "tokens in", align: "right", leaves: 2 },
        { title: "out", align: "right", leaves: 0 },
        { title: "memories", align: "right", leaves: 3 },
        { title: "cost", align: "right" },
      ],
      rows: rows
        .slice(0, ROWS_MAX)
        .map((row): (Span | string)[] => [
          row.name,
          countText(row.runs),
          countText(row.inputTokens),
          countText(row.outputTokens),
          countText(row.memories),
          costText(row),
        ]),
    }),
    ...moreLine(rows.length - ROWS_MAX, page),
  ];
}

function memoryTable({ memories, total }: CostReport, page: Page): Line[] {
  const [first] = memories;
  if (first === undefined) return [];
  const isPlan = total.planRuns === total.runs;
  return [
    EMPTY_LINE,
    ...table({
      width: page.width,
      columns: [
        { title: "memory", flexible: true },
        { title: "project", flexible: true, leaves: 1 },
        { title: "tokens", align: "right", leaves: 2 },
        { title: "cost", align: "right" },
      ],
      rows: memories
        .slice(0, MEMORIES_SHOWN)
        .map(({ file, project, tokens, usd }) => [
          file,
          span(project, "faint"),
          countText(tokens),
          isPlan ? "plan" : moneyText(usd),
        ]),
    }),
    ...moreLine(memories.length - MEMORIES_SHOWN, page),
  ];
}

function moreLine(more: number, page: Page): Line[] {
  return more > 0 ? wrap(`and ${countText(more)} more: --json lists them`, { ...page, tone: "faint" }) : [];
}

/** `plan` for what a subscription paid for. */
function costText({ usd, runs, planRuns }: CostSum): string {
  if (planRuns === runs) return "plan";
  return planRuns === 0 ? moneyText(usd) : `${moneyText(usd)} + plan`;
}

function tokensOf({ inputTokens, outputTokens }: CostSum): number {
  return inputTokens + outputTokens;
}
