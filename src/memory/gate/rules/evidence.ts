// Evidence: every quote stands in the record it names, and the person's own words carry user and feedback memories.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { personQuotes, personWordCount, resultingType, sourceOf } from "../quotes.ts";
import { contentWords, normalise } from "../words.ts";

/** A quote with fewer content words proves nothing in particular. */
const CONTENT_WORDS_MIN = 3;

export function evidenceRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person" || facts.producer === "upkeep") return undefined;
  if (change.evidence.length === 0) return none("name the record and quote the words this rests on");
  for (const item of change.evidence) {
    const problem = quoteProblem(item, facts);
    if (problem !== undefined) return none(problem);
  }
  // Tidying rests on the files themselves; what it may add is the support rule's business.
  if (change.evidence.every((item) => item.by === "memory")) {
    return change.op === "create" || change.op === "confirm"
      ? none("a new memory needs words from a conversation")
      : undefined;
  }
  if (change.op === "delete") return undefined;
  const type = resultingType(change, facts);
  if (type === "project" || type === "reference") return thinEvidence(change.evidence);
  if (personQuotes(change.evidence).length === 0) {
    return none("a user or feedback memory needs a quote of the person's own typed words");
  }
  return personWordCount(change.evidence) < CONTENT_WORDS_MIN ? thin() : undefined;
}

function quoteProblem(item: Evidence, facts: ProposalFacts): string | undefined {
  const source = sourceOf(item, facts);
  if (source === undefined) return "a quote names a record that was not part of what you read";
  const quote = normalise(item.quote);
  return quote !== "" && normalise(source).includes(quote)
    ? undefined
    : "a quote does not stand in the record it names; copy the words exactly";
}

function thinEvidence(evidence: readonly Evidence[]): Refusal | undefined {
  return contentWords(evidence.map((item) => item.quote).join("\n")).length < CONTENT_WORDS_MIN
    ? thin()
    : undefined;
}

function thin(): Refusal {
  return none(`the quoted words are too few; quote at least ${CONTENT_WORDS_MIN} words with a meaning`);
}

function none(message: string): Refusal {
  return { reason: "no-evidence", message };
}
