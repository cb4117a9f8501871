// What `dream` and `distill` say: what was changed and why, what was left for a person, and the sizes before and after.
import type { ConsolidationKind, ConsolidationReply } from "../../domain/consolidation.ts";
import { displayLines } from "../../domain/printable.ts";
import { patchLine, sizesText } from "./history.ts";
import type { Line, Page } from "./line.ts";
import { EMPTY_LINE, wrap } from "./line.ts";
import { counted } from "./numbers.ts";
import { failureWords, reasonWords, yieldsToForce } from "./reasons.ts";
import { relativeTime } from "./time.ts";

export function consolidationLines(kind: ConsolidationKind, reply: ConsolidationReply, page: Page): Line[] {
  const { changes, noted, diff } = reply;
  return [
    ...wrap(headline(kind, reply, page), { ...page, tone: TONES[reply.outcome] }),
    ...changes.flatMap(({ op, file, why }) =>
      wrap(`${op} ${file}: ${why}`, { ...page, firstIndent: 2, indent: 4 }),
    ),
    ...noted.flatMap(({ code, file, message }) =>
      wrap(`left for you: ${file}: ${message} (${code})`, {
        ...page,
        tone: "faint",
        firstIndent: 2,
        indent: 4,
      }),
    ),
    ...diffLines(diff),
  ];
}

const TONES = { succeeded: "good", skipped: "plain", failed: "bad" } as const;

function headline(kind: ConsolidationKind, reply: ConsolidationReply, page: Page): string {
  const { outcome, reason, run, before, after, changes, dueAt, tooLow, diff } = reply;
  if (outcome === "skipped" && tooLow !== undefined)
    return `no ${kind}, now or later: ${tooLow} is less than one run of the model may cost (${reason ?? "over-budget"}); raise it in the configuration, or: engramd model use offline`;
  if (outcome === "skipped") {
    const due = dueAt === undefined ? "" : `, due ${relativeTime(dueAt, page.now)}`;
    const force = kind === "dream" && yieldsToForce(reason) ? "; now in any case: engramd dream --force" : "";
    return `no ${kind} now: ${reason === null ? "nothing to do" : reasonWords(reason)}${due}${force}`;
  }
  if (outcome === "failed")
    return `the ${kind} failed and changed nothing: ${reason === null ? "unknown" : failureWords(reason)}`;
  if (diff !== undefined)
    return `this ${kind} would make ${counted(changes.length, "change")}; nothing was changed`;
  const undo = run === null || changes.length === 0 ? "" : `; back with: engramd undo ${run}`;
  return `${counted(changes.length, "change")} (${sizesText({ before, after })})${undo}`;
}

/** Whole lines, also wide ones: somebody may want to pipe them into a program. */
function diffLines(diff: string | undefined): Line[] {
  if (diff === undefined || diff === "") return [];
  return [EMPTY_LINE, ...displayLines(diff.replace(/\n$/u, "")).map(patchLine)];
}
