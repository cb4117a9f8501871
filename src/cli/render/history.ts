// What `history`, `diff` and `undo` say.
import { CONSOLIDATION_KINDS } from "../../domain/consolidation.ts";
import { displayLines } from "../../domain/printable.ts";
import type {
  DiffReply,
  FileDiff,
  HistoryReply,
  HistoryRun,
  Sizes,
  UndoReply,
} from "../../domain/history.ts";
import type { Line, Page, Tone } from "./line.ts";
import { EMPTY_LINE, line, span, wrap } from "./line.ts";
import { countText, counted, moneyText } from "./numbers.ts";
import { table } from "./table.ts";
import { relativeTime } from "./time.ts";

export function historyLines({ runs }: HistoryReply, page: Page, name?: string): Line[] {
  if (runs.length === 0) {
    return wrap(name === undefined ? "nothing has run yet" : `no run has touched ${name}`, page);
  }
  const projects = new Set(runs.map(({ project }) => project));
  const [head, ...rows] = tableLines(runs, { page, hasProjects: projects.size > 1 });
  return [
    ...(head === undefined ? [] : [head]),
    ...rows.flatMap((row, at) => [row, ...reportLines(runs[at], { page, name })]),
    ...wrap("what a run changed: engramd diff RUN; put it back: engramd undo RUN", {
      ...page,
      tone: "faint",
    }),
  ];
}

interface TableLook {
  readonly page: Page;
  readonly hasProjects: boolean;
}

/** The head, and one line for each run. */
function tableLines(runs: readonly HistoryRun[], { page, hasProjects }: TableLook): Line[] {
  return table({
    width: page.width,
    columns: [
      { title: "run" },
      { title: "when" },
      { title: "what", leaves: 1 },
      { title: "trigger", leaves: 3 },
      { title: "files", align: "right", leaves: 6 },
      { title: "cost", align: "right", leaves: 2 },
      { title: "how", leaves: 4 },
      ...(hasProjects ? [{ title: "project", flexible: true, leaves: 5 }] : []),
    ],
    rows: runs.map((run) => [
      span(run.id, run.undoable ? "strong" : "faint"),
      relativeTime(run.at, page.now),
      run.kind,
      run.trigger,
      countText(run.files.length),
      run.plan === true ? "plan" : run.usd === 0 ? "" : moneyText(run.usd),
      howText(run),
      ...(hasProjects ? [span(run.project, "faint")] : []),
    ]),
  });
}

/** Changes of one run that are shown in a list of runs. */
const SHOWN_MAX = 6;

/** What a dream or a distillation did, and why; of one memory, what every run did to it. */
function reportLines(
  run: HistoryRun | undefined,
  { page, name }: { readonly page: Page; readonly name: string | undefined },
): Line[] {
  if (run === undefined) return [];
  const { id, kind, changes = [], before, after, purged } = run;
  const isReworked = CONSOLIDATION_KINDS.some((each) => each === kind);
  if (purged || (name === undefined && !isReworked)) return [];
  const more = changes.length - SHOWN_MAX;
  const texts = [
    ...changes.slice(0, SHOWN_MAX).map(changeText),
    ...(more > 0 ? [`and ${more} more: engramd diff ${id}`] : []),
    ...(before === undefined || after === undefined ? [] : [sizesText({ before, after })]),
  ];
  return texts.flatMap((text) => wrap(text, { ...page, tone: "faint", firstIndent: 4, indent: 6 }));
}

const OP_WORDS: Readonly<Record<string, string>> = {
  created: "new",
  updated: "rewritten",
  confirmed: "confirmed",
  deleted: "dropped",
};

function changeText({ op, file, why }: NonNullable<HistoryRun["changes"]>[number]): string {
  return `${OP_WORDS[op] ?? op} ${file}: ${why}`;
}

/** How large a memory folder was and is. */
export function sizesText({ before, after }: Required<Sizes>): string {
  return `${counted(before.files, "memory")} before, ${countText(after.files)} after; index ${counted(before.indexLines, "line")}, ${countText(after.indexLines)} after`;
}

function howText({ outcome, reason, undone, purged }: HistoryRun): string {
  if (purged) return "purged";
  if (undone) return "undone";
  return outcome === "failed" && reason !== undefined ? `failed: ${reason}` : outcome;
}

export function diffLines({ run, kind, at, files, before, after }: DiffReply, page: Page): Line[] {
  const head = `${kind} ${run}, ${relativeTime(at, page.now)}`;
  if (files.length === 0) return wrap(`${head}: it changed no memory`, page);
  return [
    ...wrap(`${head}: ${counted(files.length, "file")}`, page),
    ...(before === undefined || after === undefined ? [] : wrap(sizesText({ before, after }), page)),
    ...files.flatMap((file) => fileLines(file, page)),
  ];
}

function fileLines({ file, op, patch, why, because }: FileDiff, page: Page): Line[] {
  // A daemon of before tells none.
  const reason = (because ?? "") === "" ? "" : `: ${because}`;
  const head = [EMPTY_LINE, ...wrap(`${op} ${file}${reason}`, { ...page, tone: "strong" })];
  if (patch === null) return [...head, ...wrap(why ?? "", { ...page, tone: "warn", firstIndent: 2 })];
  // Whole lines, also wide ones: somebody may want to pipe them into a program.
  const lines = displayLines(patch.replace(/\n$/u, ""));
  return [...head, ...lines.map(patchLine)];
}

/** One line of a unified diff. */
export function patchLine(text: string): Line {
  return line(span(text, toneOf(text)));
}

function toneOf(text: string): Tone {
  if (/^(?:\+\+\+|---|@@|\\)/u.test(text)) return "faint";
  return text.startsWith("+") ? "good" : text.startsWith("-") ? "bad" : "plain";
}

const WORDS: Readonly<Record<UndoReply["changes"][number]["what"], string>> = {
  removed: "removed",
  "changed-back": "changed back",
  "brought-back": "brought back",
};

export function undoLines({ outcome, message, changes, refused, undo }: UndoReply, page: Page): Line[] {
  const verb = outcome === "planned" ? "would be " : "";
  return [
    ...wrap(message, { ...page, tone: outcome === "undone" ? "good" : "plain", indent: 2 }),
    ...changes.flatMap(({ file, what }) =>
      wrap(`${verb}${WORDS[what] ?? what}: ${file}`, { ...page, firstIndent: 2, indent: 4 }),
    ),
    ...refused.flatMap(({ file, why, forcible }) =>
      wrap(`${forcible ? "kept" : "not put back"}: ${file}: ${why}`, {
        ...page,
        tone: "warn",
        firstIndent: 2,
        indent: 4,
      }),
    ),
    ...(refused.some(({ forcible }) => forcible)
      ? wrap("--force puts back also what was edited later", { ...page, tone: "faint", firstIndent: 2 })
      : []),
    ...undo.flatMap((run) =>
      wrap(`to take this back: engramd undo ${run}`, { ...page, tone: "faint", firstIndent: 2, indent: 4 }),
    ),
  ];
}
