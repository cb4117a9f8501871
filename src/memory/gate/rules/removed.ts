// What a person took back stays away until the person says it anew.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import type { MemoryDraft } from "../../../domain/memories.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { newestSaidAt, personQuotes } from "../quotes.ts";
import { textHashOf } from "../text-hash.ts";

export function removedRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person" || !("memory" in change)) return undefined;
  const read = change.evidence.filter((item) => item.by !== "memory");
  const sameEvidence = read.length > 0 && read.every((item) => facts.removed.recordIds.has(item.recordId));
  if (!sameEvidence && !isOldText(change, facts)) return undefined;
  return {
    reason: "removed-before",
    message: "the person removed this; only newly typed words bring it back",
  };
}

/** The same text as a removed one, and no word of the person typed since. */
function isOldText(
  { memory, evidence }: { readonly memory: MemoryDraft; readonly evidence: readonly Evidence[] },
  facts: ProposalFacts,
): boolean {
  const removedAt = facts.removed.textHashes.get(textHashOf(memory));
  if (removedAt === undefined) return false;
  const saidAt = newestSaidAt(personQuotes(evidence));
  return saidAt === undefined || saidAt <= removedAt;
}
