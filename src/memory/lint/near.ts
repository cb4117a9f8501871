// Finds memories that say the same in nearly the same words without comparing each with each: only texts with the same
// negations and hard tokens can, and only those that share one of their rarest words. Pure.
import type { Memory, MemoryType } from "../../domain/memories.ts";
import { chosenIn, coreOf, looksOf, sameFact, SIMILAR_SHARE } from "../files/same-fact.ts";
import { normalise } from "../gate/words.ts";

export interface NearDuplicates {
  /** Each later one with the first one that says the same; in the order of the folder. */
  readonly pairs: readonly (readonly [Memory, Memory])[];
  /** There was more to compare than is compared. */
  readonly isCut: boolean;
}

/** Comparisons of two sets of words: a second of work. 2,000 memories of one small vocabulary need a third (measured). */
export const NEAR_COMPARISONS_MAX = 300_000;

/** A memory as it is compared. One without a type is not: nobody knows what it says the same as. */
interface Looked {
  readonly memory: Memory;
  readonly type: MemoryType;
  readonly words: ReadonlySet<string>;
  /** Only under the same ground two texts can say the same. */
  readonly ground: string;
  readonly texts: readonly string[];
  readonly chosen: string | undefined;
}

export function nearDuplicatesIn(memories: readonly Memory[]): NearDuplicates {
  const looked = memories.flatMap((memory) => lookAt(memory) ?? []);
  const uses = new Map<string, number>();
  for (const { words } of looked) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const seen = new Map<string, Looked[]>();
  const pairs: (readonly [Memory, Memory])[] = [];
  let compared = 0;
  for (const one of looked) {
    const keys = keysOf(one, uses);
    const others = new Set(keys.flatMap((key) => seen.get(key) ?? []));
    for (const other of others) {
      compared += 1;
      if (compared > NEAR_COMPARISONS_MAX) return { pairs, isCut: true };
      if (!maySay(other, one) || !sameFact(statementOf(one), other.memory)) continue;
      pairs.push([other.memory, one.memory]);
      break;
    }
    for (const key of keys) {
      const known = seen.get(key);
      if (known === undefined) seen.set(key, [one]);
      else known.push(one);
    }
  }
  return { pairs, isCut: false };
}

function lookAt(memory: Memory): Looked | undefined {
  const { type, origin, description = "", body } = memory;
  if (type === undefined) return undefined;
  const core = coreOf(body);
  const looks = looksOf(`${description}\n${core}`);
  return {
    memory,
    type,
    words: looks.words,
    ground: JSON.stringify([type, origin ?? null, looks.negates, looks.hard]),
    texts: [description, core].map(normalise).filter((text) => text !== ""),
    chosen: chosenIn({ description, body }),
  };
}

function statementOf({ memory: { description = "", body }, type }: Looked) {
  return { type, description, body };
}

/** What two memories that say the same have in common, at least one of it. */
function keysOf({ memory, type, words, ground, texts, chosen }: Looked, uses: ReadonlyMap<string, number>) {
  const rarest = [...words].toSorted((a, b) => (uses.get(a) ?? 0) - (uses.get(b) ?? 0) || (a < b ? -1 : 1));
  // Two sets that share so much have one of these in common: fewer of their words differ.
  const prefix = words.size - Math.ceil(SIMILAR_SHARE * words.size) + 1;
  return [
    ...rarest.slice(0, prefix).map((word) => `word ${ground} ${word}`),
    ...texts.map((text) => `text ${ground} ${text}`),
    ...(chosen === undefined ? [] : [`choice ${type} ${memory.origin ?? ""} ${chosen}`]),
  ];
}

/** Cheap, and never a wrong "no". */
function maySay(a: Looked, b: Looked): boolean {
  if (a.chosen !== undefined && a.chosen === b.chosen) return true;
  if (a.texts.some((text) => b.texts.includes(text))) return true;
  let common = 0;
  for (const word of a.words) if (b.words.has(word)) common += 1;
  return common >= SIMILAR_SHARE * (a.words.size + b.words.size - common);
}
