// The name a model gives a new file: made like those the host makes, so that no name means something to anybody else
// (an agent's own instruction file, a device, a sync tool's copy).
import type { MemoryChange } from "../../../domain/changes.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";

/** Latin words, or a date and four digits of a hash where no Latin word is left. */
const AFTER_TYPE = /^_(?:[a-z0-9_]*[a-z0-9]|\d{8}-[0-9a-f]{4})\.md$/u;

/** Files that exist keep their names, whatever they are. */
export function newNameRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "create" || facts.producer !== "model") return undefined;
  const { type } = change.memory;
  const isOurs = change.file.startsWith(type) && AFTER_TYPE.test(change.file.slice(type.length));
  if (isOurs || targetOf(change, facts) !== undefined) return undefined;
  return {
    reason: "bad-name",
    message: `a new file of this type is named ${type}_topic.md: Latin letters, digits and _, all in lower case`,
  };
}
