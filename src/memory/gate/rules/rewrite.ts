// What a model may do to a file that exists: it stays of its kind, and most of a long text stays where it is.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { Memory } from "../../../domain/memories.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { withoutReasons } from "../clauses.ts";
import { overlapOf, tellingWords } from "../telling.ts";
import { normalise } from "../words.ts";

/** A body above it holds more than one fact with its reasons, which is what a model writes itself. */
const LONG_BODY_CHARS = 400;
const KEPT_LINES_SHARE_MIN = 0.5;
/** A whole paragraph on one line; an edit inside it leaves most of it. */
const LONG_LINE_CHARS = 80;
const KEPT_CHARS_SHARE_MIN = 0.5;
/** Of what a memory is about, whatever its length; with less of it left the file says something else. */
const KEPT_WORDS_SHARE_MIN = 0.3;
const HAS_WORDS = /[\p{L}\p{N}]/u;

/** Asked for what is on disk, so that several small changes of one run count together. */
export function rewriteRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "update" || facts.producer !== "model") return undefined;
  const target = targetOf(change, facts);
  if (target === undefined) return undefined;
  return (
    typeProblem(change.memory.type, target) ??
    lossProblem(change.memory.body, target) ??
    replacedProblem(change, target)
  );
}

/** What rests on memories alone puts no other memory's text in the place of this one's: that is a removal, without its reason. */
function replacedProblem(change: MemoryChange, target: Memory): Refusal | undefined {
  if (!("memory" in change) || !change.evidence.every(({ by }) => by === "memory")) return undefined;
  const { body, description } = change.memory;
  const { shared, novel } = overlapOf(withoutReasons(target.body), tellingWords(`${description}\n${body}`));
  if (shared >= (shared + novel) * KEPT_WORDS_SHARE_MIN) return undefined;
  return {
    reason: "loss",
    message:
      "this would put another text in the place of what the file says; keep it, or delete the file with a reason",
  };
}

function typeProblem(type: string, target: Memory): Refusal | undefined {
  if (target.type === undefined || target.type === type) return undefined;
  return {
    reason: "bad-frontmatter",
    message: `this file is of type ${target.type} and stays so; keep the type, or write a new file`,
  };
}

function lossProblem(body: string, target: Memory): Refusal | undefined {
  if (target.body.trim().length <= LONG_BODY_CHARS) return undefined;
  const before = linesOf(target.body);
  const after = ` ${normalise(body)} `;
  const paragraphs = linesOf(body).filter((line) => line.length >= LONG_LINE_CHARS);
  const kept = before.filter((line) => after.includes(` ${line} `) || isMostOf(line, paragraphs));
  if (kept.length >= before.length * KEPT_LINES_SHARE_MIN) return undefined;
  return {
    reason: "loss",
    message: "this would drop most of what the file says; edit the one place, or write a new file",
  };
}

/** Each different line that says something. */
function linesOf(body: string): readonly string[] {
  const lines = body.split(/[\r\n]+/u).map(normalise);
  return [...new Set(lines.filter((line) => HAS_WORDS.test(line)))];
}

/** Whether a paragraph is a long line in which one place was changed. */
function isMostOf(line: string, paragraphs: readonly string[]): boolean {
  if (line.length < LONG_LINE_CHARS) return false;
  return paragraphs.some((other) => sharedEnds(line, other) >= line.length * KEPT_CHARS_SHARE_MIN);
}

/** Characters that two lines have in common at their beginnings and ends. */
function sharedEnds(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (start + end < most && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return start + end;
}
