// The shape a model gives a body: the rule or fact first, then why it holds and how to apply it.
import type { MemoryChange } from "../../../domain/changes.ts";
import { withoutReasons } from "../clauses.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { contentWords } from "../words.ts";

/** A label and, on its line or the next one, a text. */
export const WHY = labelled("why");
export const HOW = labelled("how to apply");
/** A statement of fewer words is a heading. */
const STATEMENT_WORDS_MIN = 2;

export function shapeRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const { type, body } = change.memory;
  if (contentWords(withoutReasons(body)).length < STATEMENT_WORDS_MIN) {
    return incomplete("the body must begin with the statement itself, before **Why:** and **How to apply:**");
  }
  if (type !== "feedback" && type !== "project") return undefined;
  // A file the person wrote in their own way keeps its shape.
  const before = targetOf(change, facts)?.body;
  if (before !== undefined && !WHY.test(before) && !HOW.test(before)) return undefined;
  if (WHY.test(body) && HOW.test(body)) return undefined;
  return incomplete(
    `a ${type} memory needs a line "**Why:** ..." and a line "**How to apply:** ..." below the statement`,
  );
}

function labelled(label: string): RegExp {
  return new RegExp(
    String.raw`^\s*(?:[-*] )?\*\*${label}:\*\*[ \t]*\n?[ \t]*(?!\*\*)[^\n]*[\p{L}\p{N}]`,
    "imu",
  );
}

function incomplete(message: string): Refusal {
  return { reason: "empty", message };
}
