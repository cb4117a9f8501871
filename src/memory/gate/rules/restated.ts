// What an instruction file says already, in the same words or the same choice. A person's command, `--keep` and "remember
// ..." in so many words are stored all the same; so is whatever says more, less or the opposite.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { relatedTo } from "../instructions.ts";

export function restatedRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  // An update takes the place of something: whether it stays would be the file's say.
  if (change.op !== "create" || facts.keep === true || facts.instructions === undefined) return undefined;
  if (facts.producer !== "offline" && facts.producer !== "model") return undefined;
  if (change.evidence.some(({ by, recordId }) => by === "user" && facts.insisted?.has(recordId) === true))
    return undefined;
  const related = relatedTo(change.memory, facts.instructions());
  if (related?.relation !== "same" || !related.file.isLoaded) return undefined;
  return {
    reason: "restated",
    message: `${related.file.name} says this already; what is new about it?`,
  };
}
