// Quoted words that changed places: "Mira reviews Jonas" does not say that Jonas reviews Mira. Every word may have been
// said and the sentence be false all the same.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { citedMemories, memoryText } from "../quotes.ts";
import { sentencesOf } from "../sentences.ts";
import { cjkPairs, contentWords, hasCjk, normalise } from "../words.ts";

/** Sentences looked at on each side; memories are short. */
const SENTENCES_MAX = 60;
const WORDS_MAX = 60;
/** Words that make a list: their neighbours may stand in any order. */
const LISTS = /^(?:and|or|plus|und|oder|sowie|y|e|o|u|和|与|及|或|と|や|か|,|\/|、)$/u;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_.:'’/-]*[\p{L}\p{N}_]|[\p{L}\p{N}_]|[,/、]/gu;

export function swappedRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const sources = [
    ...change.evidence.map(({ quote }) => quote),
    ...citedMemories(change, facts).map(memoryText),
  ];
  const known = normalise(sources.join("\n"));
  const said = sources.flatMap(sentencesOf).slice(0, SENTENCES_MAX).map(placesOf);
  const fresh = sentencesOf(`${change.memory.description}\n\n${change.memory.body}`)
    .filter((sentence) => !known.includes(normalise(sentence)))
    .slice(0, SENTENCES_MAX)
    .map(placesOf);
  return fresh.some((sentence) => said.some((source) => isSwapped(sentence, source)))
    ? {
        reason: "unsupported",
        message: "two of the quoted words have changed places, which says something else; keep their order",
      }
    : undefined;
}

interface Place {
  /** The words on both sides; "" at an end. */
  readonly left: string;
  readonly right: string;
  readonly at: number;
}

interface Places {
  readonly words: readonly string[];
  /** By word with a meaning; undefined where it stands twice. */
  readonly of: ReadonlyMap<string, Place | undefined>;
}

function placesOf(sentence: string): Places {
  const words: string[] = (wordsOf(sentence) ?? []).slice(0, WORDS_MAX);
  const telling = new Set(contentWords(words.join(" ")).filter((word) => !hasCjk(word)));
  for (const word of words) if (hasCjk(word)) telling.add(word);
  const of = new Map<string, Place | undefined>();
  for (const [at, word] of words.entries()) {
    if (!telling.has(word)) continue;
    of.set(word, of.has(word) ? undefined : { left: words[at - 1] ?? "", right: words[at + 1] ?? "", at });
  }
  return { words, of };
}

function wordsOf(sentence: string): string[] | null {
  const text = normalise(sentence);
  if (cjkPairs(text).length === 0) return text.match(WORD);
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" });
  return [...segmenter.segment(text)].flatMap(({ segment }) => (segment.trim() === "" ? [] : [segment]));
}

/** Two words that each stand where the other one stood, with the same neighbour before them. */
function isSwapped(sentence: Places, source: Places): boolean {
  const shared = [...sentence.of.keys()].filter((word) => source.of.get(word) !== undefined);
  return shared.some((one, index) =>
    shared.slice(index + 1).some((other) => {
      const [a, b] = [sentence.of.get(one), sentence.of.get(other)];
      const [wasA, wasB] = [source.of.get(one), source.of.get(other)];
      if (a === undefined || b === undefined || wasA === undefined || wasB === undefined) return false;
      if (a.at < b.at === wasA.at < wasB.at || !tookPlace(a, wasB) || !tookPlace(b, wasA)) return false;
      return !isList(source.words.slice(Math.min(wasA.at, wasB.at) + 1, Math.max(wasA.at, wasB.at)));
    }),
  );
}

/** At the beginning of a sentence the word behind decides. */
function tookPlace(now: Place, before: Place): boolean {
  return now.left === before.left && (now.left !== "" || now.right === before.right);
}

/** Nothing but single words with list words between them. */
function isList(between: readonly string[]): boolean {
  return (
    between.some((word) => LISTS.test(word)) && between.every((word, at) => at % 2 === 1 || LISTS.test(word))
  );
}
