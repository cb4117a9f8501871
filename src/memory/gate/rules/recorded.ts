// What was learnt already: a repeat after a crash, a second reader, or the same fact in other words.
import type { MemoryChange } from "../../../domain/changes.ts";
import { sameFact } from "../../files/same-fact.ts";
import { memoryText } from "../quotes.ts";
import { normalise } from "../words.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";

export function recordedRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person" || change.op === "delete") return undefined;
  // Quotes from memories say nothing about what was read.
  const read = change.evidence.filter((item) => item.by !== "memory");
  if (read.length > 0 && read.every((item) => facts.recordedIds.has(item.recordId))) {
    return { reason: "already-recorded", message: "these words were already taken up earlier" };
  }
  return undefined;
}

/** A new file for a fact that has one. The person hears "already known" too. */
export function knownRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "create") return undefined;
  const known = facts.memories.find(
    (memory) =>
      (facts.origin === undefined || memory.origin === facts.origin) &&
      // What gives way in the same set may be said anew.
      facts.replaced?.includes(memory.file) !== true &&
      sameFact(change.memory, memory),
  );
  if (known === undefined || known === targetOf(change, facts)) return undefined;
  return {
    reason: "already-known",
    message: `${JSON.stringify(known.file)} already says this; confirm or update it`,
  };
}

/**
 * A memory that comes back through a tool or a file confirms nothing: it would grow stronger by being looked at. Only
 * what stands in no line of it, or the person's own words, say it again.
 */
export function echoRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "confirm" || facts.producer !== "model") return undefined;
  const target = targetOf(change, facts);
  if (target === undefined || change.evidence.some(({ by }) => by === "user")) return undefined;
  const text = normalise(memoryText(target));
  return change.evidence.every(({ quote }) => text.includes(normalise(quote)))
    ? { reason: "already-known", message: "this is the memory itself, read again; it confirms nothing" }
    : undefined;
}
