// Tidying: what rests on memories alone says nothing that none of them says. A merge makes one text of two; it is no
// place for a sentence of its own, least of all for one that tells somebody to do something.
import type { MemoryChange } from "../../../domain/changes.ts";
import { withoutReasons } from "../clauses.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { isOrder } from "../imperatives.ts";
import { withoutPointers } from "../links.ts";
import { memoryText, trustedMemories } from "../quotes.ts";
import { sentencesOf, withoutLabel } from "../sentences.ts";
import { overlapOf, tellingWords } from "../telling.ts";
import { normalise } from "../words.ts";

/** Words of its own in a reason, or in the one line that stands in lists: "the person said so". */
const OWN_WORDS_MAX = 2;

export function tidyRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  if (!change.evidence.every((item) => item.by === "memory")) return undefined;
  const sources = trustedMemories(change, facts).map(memoryText);
  const description = withoutPointers(change.memory.description, facts);
  const body = withoutPointers(change.memory.body, facts);
  const statement = withoutReasons(body);
  const strict = sentencesOf(statement);
  const loose = [...sentencesOf(description), ...sentencesOf(body).filter((one) => !strict.includes(one))];
  const isIn = sourceOfSentences(sources);
  return strict.every((sentence) => isIn(sentence, 0)) &&
    loose.every((sentence) => isIn(sentence, OWN_WORDS_MAX))
    ? undefined
    : {
        reason: "unsupported",
        message: "tidying adds no sentence of its own; keep to what the cited memories say",
      };
}

type IsIn = (sentence: string, ownWordsMax: number) => boolean;

/** Letter for letter, or in the words of the sources; an order only in the words of one order. */
function sourceOfSentences(sources: readonly string[]): IsIn {
  const known = normalise(sources.join("\n"));
  const all = tellingWords(sources.join("\n"));
  const orders = sources.flatMap(sentencesOf).filter(isOrder).map(tellingWords);
  return (labelled, ownWordsMax) => {
    const sentence = withoutLabel(labelled);
    if (known.includes(normalise(sentence))) return true;
    if (isOrder(sentence)) return orders.some((words) => overlapOf(sentence, words).novel === 0);
    return overlapOf(sentence, all).novel <= ownWordsMax;
  };
}
