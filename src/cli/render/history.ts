// What `history`, `diff` and `undo` say.
import { displayLines } from "../../domain/printable.ts";
import type { DiffReply, FileDiff, HistoryReply, HistoryRun, UndoReply } from "../../domain/history.ts";
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
  return [
    ...table({
      width: page.width,
      columns: [
        { title: "run" },
        { title: "when" },
        { title: "what", leaves: 1 },
        { title: "trigger", leaves: 3 },
        { title: "files", align: "right", leaves: 6 },
        { title: "cost", align: "right", leaves: 2 },
        { title: "how", leaves: 4 },
        ...(projects.size > 1 ? [{ title: "project", flexible: true, leaves: 5 }] : []),
      ],
      rows: runs.map((run) => [
        span(run.id, run.undoable ? "strong" : "faint"),
        relativeTime(run.at, page.now),
        run.kind,
        run.trigger,
        countText(run.files.length),
        run.plan === true ? "plan" : run.usd === 0 ? "" : moneyText(run.usd),
        howText(run),
        ...(projects.size > 1 ? [span(run.project, "faint")] : []),
      ]),
    }),
    ...wrap("what a run changed: engramd diff RUN; put it back: engramd undo RUN", {
      ...page,
      tone: "faint",
    }),
  ];
}

function howText({ outcome, undone, purged }: HistoryRun): string {
  return purged ? "purged" : undone ? "undone" : outcome;
}

export function diffLines({ run, kind, at, files }: DiffReply, page: Page): Line[] {
  const head = `${kind} ${run}, ${relativeTime(at, page.now)}`;
  if (files.length === 0) return wrap(`${head}: it changed no memory`, page);
  return [
    ...wrap(`${head}: ${counted(files.length, "file")}`, page),
    ...files.flatMap((file) => fileLines(file, page)),
  ];
}

function fileLines({ file, op, patch, why }: FileDiff, page: Page): Line[] {
  const head = [EMPTY_LINE, ...wrap(`${op} ${file}`, { ...page, tone: "strong" })];
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
