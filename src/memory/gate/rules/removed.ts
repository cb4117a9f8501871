// What a person took back stays away until the person says it anew; what they put back stays.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import type { MemoryDraft } from "../../../domain/memories.ts";
import { type ProposalFacts, type Refusal, type RemovedFacts, targetOf } from "../facts.ts";
import { newestSaidAt, personQuotes } from "../quotes.ts";
import { textHashOf } from "../text-hash.ts";

export function removedRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person") return undefined;
  const target = change.op === "delete" ? targetOf(change, facts) : undefined;
  if (target !== undefined && facts.broughtBack?.().has(target.file) === true) return PUT_BACK;
  if (!wasRemoved(change, facts.removed)) return undefined;
  return {
    reason: "removed-before",
    message: "the person removed this; only newly typed words bring it back",
  };
}

const PUT_BACK: Refusal = {
  reason: "removed-before",
  message: "the person put this file back by an undo; it stays until somebody changes it",
};

/** Also asked of what is only kept for a person to decide: it went there without the gate. */
export function wasRemoved(change: MemoryChange, removed: RemovedFacts): boolean {
  const read = change.evidence.filter((item) => item.by !== "memory");
  const sameEvidence = read.length > 0 && read.every((item) => removed.recordIds.has(item.recordId));
  return sameEvidence || ("memory" in change && isOldText(change, removed));
}

/** The same text as a removed one, and no word of the person typed since. */
function isOldText(
  { memory, evidence }: { readonly memory: MemoryDraft; readonly evidence: readonly Evidence[] },
  removed: RemovedFacts,
): boolean {
  const removedAt = removed.textHashes.get(textHashOf(memory));
  if (removedAt === undefined) return false;
  const saidAt = newestSaidAt(personQuotes(evidence));
  return saidAt === undefined || saidAt <= removedAt;
}
