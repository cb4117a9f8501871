// Why a model may take a memory away. A text that says "delete this" is no reason; another memory, a rule, or the
// person's words are. What is merely out of date can say so itself, unless it is the person's.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import type { Memory } from "../../../domain/memories.ts";
import type { Instant } from "../../../domain/records.ts";
import { canonicalFile, type ProposalFacts, type Refusal, targetOf } from "../facts.ts";

export function removalRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "delete" || facts.producer !== "model") return undefined;
  const target = targetOf(change, facts);
  if (target === undefined) return undefined;
  const others = otherMemories(change, facts);
  const isSaid = change.evidence.some(({ by }) => by === "user" || by === "instruction");
  switch (change.reason) {
    case "duplicate":
      return others.length > 0 ? undefined : none("quote the memory that says the same");
    case "superseded":
      if (!isSaid && others.length === 0) return none("quote the later words, or the memory that holds them");
      return isSaid ? undefined : olderProblem(target, { others, facts });
    case "wrong":
      return isSaid || others.length > 0 ? undefined : none("quote what shows that it is wrong");
    case "stale":
      if (target.type === "project" || target.type === "reference" || isSaid || others.length > 0)
        return undefined;
      return none("what the person wants does not grow old by itself; quote their words or another memory");
    case "forgotten":
      return none("only the person forgets; give another reason");
  }
}

/** Memories it quotes besides itself. */
function otherMemories(change: MemoryChange, { memories }: ProposalFacts): readonly Memory[] {
  const own = canonicalFile(change.file);
  const isOther = ({ by, recordId }: Evidence) => by === "memory" && canonicalFile(recordId) !== own;
  const names = change.evidence.filter(isOther).map(({ recordId }) => recordId);
  return memories.filter(({ file }) => names.includes(file));
}

interface Later {
  readonly others: readonly Memory[];
  readonly facts: ProposalFacts;
}

/** Of two memories the later said one holds. Where nobody knows, the model's judgement does. */
function olderProblem(target: Memory, { others, facts }: Later): Refusal | undefined {
  const own = saidAt(target, facts);
  const isEarlier = (other: Memory) => {
    const said = saidAt(other, facts);
    return own !== undefined && said !== undefined && said < own;
  };
  return others.every(isEarlier)
    ? { reason: "older-than-known", message: "this memory was said later than the one you quote; it holds" }
    : undefined;
}

function saidAt({ file, confirmed }: Memory, facts: ProposalFacts): Instant | undefined {
  const date = confirmed === undefined ? Number.NaN : Date.parse(`${confirmed}T00:00:00Z`);
  return facts.saidAt.get(file) ?? (Number.isNaN(date) ? undefined : date);
}

function none(message: string): Refusal {
  return { reason: "no-evidence", message };
}
