// What a person took back stays away until the person says it anew.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import type { MemoryDraft } from "../../../domain/memories.ts";
import type { ProposalFacts, Refusal, RemovedFacts } from "../facts.ts";
import { newestSaidAt, personQuotes } from "../quotes.ts";
import { textHashOf } from "../text-hash.ts";

export function removedRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person" || !("memory" in change)) return undefined;
  if (!isTakenBack(change, facts.removed)) return undefined;
  return {
    reason: "removed-before",
    message: "the person removed this; only newly typed words bring it back",
  };
}

interface Statement {
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
}

/** Said by the same records as something removed, or in the same words and never since. */
export function isTakenBack(statement: Statement, removed: RemovedFacts): boolean {
  const read = statement.evidence.filter((item) => item.by !== "memory");
  const sameEvidence = read.length > 0 && read.every((item) => removed.recordIds.has(item.recordId));
  return sameEvidence || isOldText(statement, removed);
}

/** The same text as a removed one, and no word of the person typed since. */
function isOldText({ memory, evidence }: Statement, removed: RemovedFacts): boolean {
  const removedAt = removed.textHashes.get(textHashOf(memory));
  if (removedAt === undefined) return false;
  const saidAt = newestSaidAt(personQuotes(evidence));
  return saidAt === undefined || saidAt <= removedAt;
}
