// Findings for a person: by project and file, each with what to do; what was mended comes first.
import type { LintReply, ProjectFinding } from "../../domain/lint.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Line, Page } from "./line.ts";
import { EMPTY_LINE, wrap } from "./line.ts";
import { counted } from "./numbers.ts";

/** Findings shown; the document has all of them. */
const SHOWN_MAX = 200;

export function lintLines({ findings, fixed = [], runs = [], kept = [] }: LintReply, page: Page): Line[] {
  const mended = fixed.length === 0 ? [] : mendedLines(fixed, { runs, page });
  const left = kept.flatMap(({ project, why }) =>
    wrap(`${project} was left as it is: ${why}`, { ...page, tone: "bad" }),
  );
  return [...mended, ...left, ...foundLines(findings, page)];
}

function mendedLines(
  fixed: readonly ProjectFinding[],
  { runs, page }: { readonly runs: readonly string[]; readonly page: Page },
): Line[] {
  return [
    ...wrap(`mended ${counted(fixed.length, "finding")}`, { ...page, tone: "good" }),
    ...fixed.slice(0, SHOWN_MAX).flatMap((finding) => findingLines(finding, page)),
    ...runs.flatMap((run) => wrap(`undo: engramd undo ${shellWord(run)}`, { ...page, tone: "faint" })),
    EMPTY_LINE,
  ];
}

function foundLines(findings: readonly ProjectFinding[], page: Page): Line[] {
  if (findings.length === 0) return wrap("nothing is wrong here", { ...page, tone: "good" });
  const fixable = findings.filter((finding) => finding.fixable).length;
  const fix = fixable === 0 ? "" : `; "engramd lint --fix" mends ${fixable} of them`;
  const shown = findings.slice(0, SHOWN_MAX);
  const more = findings.length - shown.length;
  return [
    ...wrap(`${counted(findings.length, "finding")}${fix}`, { ...page, tone: "strong" }),
    ...[...new Set(shown.map(({ project }) => project))].flatMap((project) => [
      EMPTY_LINE,
      ...wrap(project, { ...page, tone: "strong" }),
      ...shown
        .filter((finding) => finding.project === project)
        .flatMap((finding) => findingLines(finding, page)),
    ]),
    ...(more === 0 ? [] : wrap(`and ${more} more; all of them: engramd lint --json`, page)),
  ];
}

function findingLines({ code, file, line, message }: ProjectFinding, page: Page): Line[] {
  const place = line === null ? file : `${file}:${line}`;
  return [
    ...wrap(`${place}  ${code}`, { ...page, tone: "warn", firstIndent: 2, indent: 4 }),
    ...wrap(message, { ...page, firstIndent: 4, indent: 4 }),
  ];
}
