// Aboutness: each sentence of a memory speaks of what its sources speak of. Quotes that are real but about something
// else prove nothing, and a true sentence carries no invented one with it.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import { withoutReasons } from "../clauses.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { withoutPointers } from "../links.ts";
import {
  affirmedQuotes,
  citedMemories,
  memoryText,
  resultingType,
  textOf,
  trustedMemories,
} from "../quotes.ts";
import { sentencesOf } from "../sentences.ts";
import { overlapOf, tellingWords } from "../telling.ts";
import { normalise } from "../words.ts";

/** New words for one that was said; a model tells things in its own way. */
const NOVEL_PER_SHARED = 3;

export function aboutRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  // What rests on memories alone is the tidying rule's business.
  if (change.evidence.every((item) => item.by === "memory")) return undefined;
  const cited = citedMemories(change, facts).map(memoryText).join("\n");
  const known = normalise(cited);
  const trusted = trustedMemories(change, facts).map(memoryText).join("\n");
  const quoted = tellingWords(textOf(groundsOf(change, facts)));
  const grounds = [...quoted, ...tellingWords(trusted)];
  const { description, body } = change.memory;
  const text = withoutPointers(`${description}\n\n${withoutReasons(body)}`, facts);
  const fresh = sentencesOf(text).filter((sentence) => !known.includes(normalise(sentence)));
  if (fresh.length === 0) return undefined;
  // Somewhere the quotes themselves must be met, not only what was known before.
  const meets = fresh.some((sentence) => overlapOf(sentence, quoted).shared > 0);
  return meets && fresh.every((sentence) => isAbout(sentence, grounds))
    ? undefined
    : {
        reason: "unsupported",
        message:
          "a sentence is about something the quoted words do not speak of; leave it out, or quote the words that say it, in their language",
      };
}

/** Quotes that may carry the type; what the assistant merely claimed carries none. */
function groundsOf(change: MemoryChange, facts: ProposalFacts): readonly Evidence[] {
  const type = resultingType(change, facts);
  const affirmed = affirmedQuotes(change.evidence, facts);
  const isFact = type === "project" || type === "reference";
  return change.evidence.filter(
    (item) =>
      item.by === "user" ||
      affirmed.includes(item) ||
      (isFact && item.by !== "assistant") ||
      (item.by === "memory" && facts.hearsay?.has(item.recordId) !== true),
  );
}

function isAbout(sentence: string, grounds: readonly string[]): boolean {
  const { shared, novel } = overlapOf(sentence, grounds);
  // One word is a heading or a label.
  return novel <= 1 || (shared > 0 && novel <= shared * NOVEL_PER_SHARED);
}
