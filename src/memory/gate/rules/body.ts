// The body: there is one, it is not too large, and it is a text rather than a word that stands for one.
import type { MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import type { MemoryDraft } from "../../../domain/memories.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { isPlaceholder, leavesOut } from "../placeholders.ts";
import { personQuotes } from "../quotes.ts";
import { contentWords } from "../words.ts";

/** A rewrite that keeps less than this share of the words drops the memory. */
const KEPT_SHARE_MIN = 0.3;
/** Below this many words an old body has nothing much to lose. */
const OLD_WORDS_MIN = 8;

export function bodyRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change)) return undefined;
  const { body } = change.memory;
  if (body.trim() === "") return { reason: "empty", message: "the body must not be empty" };
  if (
    body.length > MEMORY_LIMITS.bodyCharsMax ||
    Buffer.byteLength(body) > MEMORY_LIMITS.topicBytesMax - MEMORY_LIMITS.frontmatterReadBytesMax
  ) {
    return {
      reason: "too-large",
      message: `the body must have at most ${MEMORY_LIMITS.bodyCharsMax} characters`,
    };
  }
  if (isPlaceholder(body) || (facts.producer === "model" && standsForMore(change.memory))) {
    return { reason: "empty", message: "write the whole text, not a word that stands for the old one" };
  }
  return emptyingRewrite(change, facts);
}

/** A person's own remark may look like that; a model has been asked for all of it. */
function standsForMore({ description, body }: MemoryDraft): boolean {
  return isPlaceholder(description) || leavesOut(body);
}

function emptyingRewrite(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "update" || facts.producer === "person") return undefined;
  const target = targetOf(change, facts);
  const before = contentWords(target?.body ?? "").length;
  const after = contentWords(change.memory.body).length;
  if (before < OLD_WORDS_MIN || after >= before * KEPT_SHARE_MIN) return undefined;
  // A person who states a shorter fact may replace a long one.
  if (personQuotes(change.evidence).length > 0 && after >= 3) return undefined;
  return {
    reason: "loss",
    message: "the new body drops most of the old one; keep it, or delete the file with a reason",
  };
}
