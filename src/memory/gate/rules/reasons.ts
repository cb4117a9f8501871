// Orders in `Why` and `How to apply`: there a model says in its own words where a rule applies. What it says there must
// still be about that rule, and not be the words of a page, a tool or an assistant it read.
import type { MemoryChange } from "../../../domain/changes.ts";
import { withoutReasons } from "../clauses.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { isOrder } from "../imperatives.ts";
import { withoutPointers } from "../links.ts";
import { memoryText, personWords, textOf, trustedMemories } from "../quotes.ts";
import { sentencesOf, withoutLabel } from "../sentences.ts";
import { overlapOf, tellingWords } from "../telling.ts";
import { normalise } from "../words.ts";

/** Fewer new words than this may stand in any text by chance. */
const BORROWED_MIN = 2;
const BORROWED_SHARE = 0.75;
/** "look at the file first" goes with any rule. */
const GENERIC_WORDS_MAX = 2;
/** Records of others that are looked at; a window has fewer. */
const RECORDS_MAX = 2_000;

export function reasonsRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const { description, body } = change.memory;
  const statement = withoutReasons(body);
  const trusted = [
    personWords(change.evidence, facts),
    ...trustedMemories(change, facts).map(memoryText),
  ].join("\n");
  const known = normalise(trusted);
  const stated = sentencesOf(statement);
  const orders = sentencesOf(withoutPointers(body, facts))
    .filter((sentence) => !stated.includes(sentence))
    .map(withoutLabel)
    .filter((sentence) => isOrder(sentence) && !known.includes(normalise(sentence)));
  if (orders.length === 0) return undefined;
  const grounds = `${description}\n${statement}\n${trusted}`;
  const words = tellingWords(grounds);
  const foreign = foreignWords(change, facts);
  const isOwn = (sentence: string) =>
    isRelated(sentence, grounds) && !isBorrowed(sentence, { words, foreign });
  return orders.every(isOwn)
    ? undefined
    : {
        reason: "foreign-order",
        message:
          "How to apply says where this very statement applies, in your own words; leave out what nobody typed",
      };
}

/** A word or a number of the statement, so that the order is about it. */
function isRelated(sentence: string, grounds: string): boolean {
  const { shared, novel } = overlapOf(sentence, tellingWords(grounds));
  const numbers = sentence.match(/\d[\d.:-]*\d|\d/gu) ?? [];
  return shared > 0 || novel <= GENERIC_WORDS_MAX || numbers.some((number) => grounds.includes(number));
}

interface Sources {
  readonly words: readonly string[];
  readonly foreign: readonly (readonly string[])[];
}

/** Most of what it adds to the statement stands in one text of somebody else. */
function isBorrowed(sentence: string, { words, foreign }: Sources): boolean {
  const added = tellingWords(sentence).filter((word) => overlapOf(word, words).novel > 0);
  if (added.length < BORROWED_MIN) return false;
  return foreign.some((text) => overlapOf(added.join(" "), text).shared >= added.length * BORROWED_SHARE);
}

/** Telling words of each record that a tool or the assistant made, and of what the change quotes of others. */
function foreignWords(change: MemoryChange, facts: ProposalFacts): readonly (readonly string[])[] {
  const records = (facts.heard ?? []).filter(({ by }) => by !== "user").slice(-RECORDS_MAX);
  const texts = records.map(({ recordId }) => facts.recordText(recordId) ?? "");
  const quoted = textOf(change.evidence.filter(({ by }) => by !== "user" && by !== "memory"));
  return [...texts, quoted].map(tellingWords);
}
