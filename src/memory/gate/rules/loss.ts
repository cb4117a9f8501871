// How much of a folder a change set takes away, by files and by text, alone and together with the runs of the last day.
// Whether one text lives on in another is decided by its words; never by what the set says about itself.
import type { ChangeSet, MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import type { Memory } from "../../../domain/memories.ts";
import { type PastMemory, type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { personQuotes } from "../quotes.ts";
import { sentencesOf } from "../sentences.ts";
import { contentWords, normalise } from "../words.ts";

/** A rewrite that keeps less than this share of the words counts as removing the memory. */
const EMPTIED_SHARE = 0.3;
/** A replaced or doubled memory lives on where the set writes at least this share of its words. */
const MERGED_SHARE = 0.5;

export interface LossQuestion {
  readonly set: Pick<ChangeSet, "producer">;
  readonly accepted: readonly MemoryChange[];
  readonly facts: ProposalFacts;
  /** Share of the folder, files and text, that one set may take away. */
  readonly lossShareMax: number;
}

/** Refuses a set that takes away too much. One removal is always allowed; a person may remove what they like. */
export function lossRule({ set, accepted, facts, lossShareMax }: LossQuestion): Refusal | undefined {
  if (set.producer === "person" || !accepted.some(takesAway)) return undefined;
  const before = new Map(facts.memories.map((memory) => [memory.file, textOf(memory)]));
  const after = afterwards(before, { accepted, facts });
  const now = measure({ before, after, accepted, facts });
  if (isTooMuch(now, { share: lossShareMax, free: 1 })) {
    return refusal(`this run would take away ${inWords(now)}; nothing was changed`);
  }
  if (now.taken.length === 0) return undefined;
  const past = facts.dayBefore?.() ?? [];
  if (past.length === 0) return undefined;
  const day = measure({ before: asBefore(before, past), after, accepted, facts });
  const share = Math.max(lossShareMax, MEMORY_LIMITS.lossDayShareMax);
  return isTooMuch(day, { share, free: MEMORY_LIMITS.lossDayFree })
    ? refusal(`with the runs of the last 24 hours this would take away ${inWords(day)}; nothing was changed`)
    : undefined;
}

/** Text by file. */
type Texts = ReadonlyMap<string, string>;

function takesAway({ op }: MemoryChange): boolean {
  return op === "delete" || op === "update";
}

/** A memory without a body says what its description says. */
function textOf({ body, description }: Pick<Memory, "body" | "description">): string {
  return body.trim() === "" ? (description ?? "") : body;
}

interface Accepted {
  readonly accepted: readonly MemoryChange[];
  readonly facts: ProposalFacts;
}

function afterwards(before: Texts, { accepted, facts }: Accepted): Texts {
  const after = new Map(before);
  for (const change of accepted) {
    const file = targetOf(change, facts)?.file ?? change.file;
    if (change.op === "delete") after.delete(file);
    if ("memory" in change) after.set(file, textOf(change.memory));
  }
  return after;
}

/** The folder as it would be without the runs of the last day. */
function asBefore(before: Texts, past: readonly PastMemory[]): Texts {
  const texts = new Map(before);
  for (const { file, text } of past) {
    if (text === undefined) texts.delete(file);
    else texts.set(file, text);
  }
  return texts;
}

interface Loss {
  readonly files: number;
  readonly chars: number;
  /** Memories of which nothing much is left. */
  readonly gone: number;
  /** Characters lost of each memory that lost any. */
  readonly taken: readonly number[];
}

interface Measured extends Accepted {
  readonly before: Texts;
  readonly after: Texts;
}

function measure({ before, after, accepted, facts }: Measured): Loss {
  const remains = searcher([...after.values()]);
  const isWritten = ([file, text]: readonly [string, string]) => before.get(file) !== text;
  const written = new Set([...after].filter(isWritten).flatMap(([, text]) => contentWords(text)));
  const losses = [...before].flatMap(([file, text]): LostText[] => {
    if (after.get(file) === text || remains(text)) return [];
    const change = accepted.find((candidate) => targetOf(candidate, facts)?.file === file);
    const own = after.get(file);
    const kept = keptShare(text, { own, change, written, remains });
    const isGone = own === undefined ? kept < MERGED_SHARE || isDropped(change) : kept < EMPTIED_SHARE;
    const chars = text.length * (1 - kept);
    return kept < 1 ? [{ chars, isGone, isReplaced: isGone && isReplaced(change) }] : [];
  });
  const taken = withoutReplaced(losses, accepted);
  return {
    files: before.size,
    chars: [...before.values()].reduce((sum, text) => sum + text.length, 0),
    gone: taken.filter(({ isGone }) => isGone).length,
    taken: taken.map(({ chars }) => chars),
  };
}

interface LostText {
  readonly chars: number;
  readonly isGone: boolean;
  readonly isReplaced: boolean;
}

/** What the person says now takes the place of what they said before: one new memory for one old one. */
function withoutReplaced(losses: readonly LostText[], accepted: readonly MemoryChange[]): LostText[] {
  const isNewWord = ({ op, evidence }: MemoryChange) => op === "create" && personQuotes(evidence).length > 0;
  let places = accepted.filter(isNewWord).length;
  return losses.filter(({ isReplaced }) => !isReplaced || (places -= 1) < 0);
}

function isReplaced(change: MemoryChange | undefined): boolean {
  return change?.op === "delete" && (change.reason === "superseded" || change.reason === "duplicate");
}

/** Removed because it does not hold any more, so nothing the set writes can be the same. */
function isDropped(change: MemoryChange | undefined): boolean {
  return change?.op === "delete" && !isReplaced(change);
}

interface Kept {
  /** The file's new text; undefined when it is gone. */
  readonly own: string | undefined;
  readonly change: MemoryChange | undefined;
  /** Every word the set writes. */
  readonly written: ReadonlySet<string>;
  remains(text: string): boolean;
}

function keptShare(text: string, { own, change, written, remains }: Kept): number {
  const all = contentWords(text);
  if (all.length === 0) return 1;
  // Words of the person may say it otherwise; a text much shorter than the old one says less all the same.
  if (own !== undefined && change?.op === "update" && personQuotes(change.evidence).length > 0) {
    const share = contentWords(own).length / all.length;
    return share < EMPTIED_SHARE ? share : 1;
  }
  const moved = sentencesOf(text).filter(remains).flatMap(contentWords);
  const elsewhere = own !== undefined || isDropped(change) ? [] : written;
  const kept = new Set([...moved, ...elsewhere, ...contentWords(own ?? "")]);
  const words = [...new Set(all)];
  return words.filter((word) => kept.has(word)).length / words.length;
}

/** Answers whether a text stands word for word in one of the texts. */
function searcher(texts: readonly string[]): (text: string) => boolean {
  const plain = texts.map((text) => ({ text, normal: undefined as string | undefined }));
  return (wanted) => {
    const words = normalise(wanted);
    return plain.some((candidate) => {
      if (candidate.text.length * 2 < words.length) return false;
      candidate.normal ??= ` ${normalise(candidate.text)} `;
      return candidate.normal.includes(` ${words} `);
    });
  };
}

interface Bound {
  readonly share: number;
  /** So many of the largest losses do not count. */
  readonly free: number;
}

function isTooMuch({ files, chars, gone, taken }: Loss, { share, free }: Bound): boolean {
  const counted = taken.toSorted((a, b) => b - a).slice(free);
  const lost = counted.reduce((sum, one) => sum + one, 0);
  return (gone > free && gone > files * share) || lost > chars * share;
}

function inWords({ files, chars, gone, taken }: Loss): string {
  const lost = taken.reduce((sum, one) => sum + one, 0);
  return `${gone} of ${files} memories and ${Math.round((100 * lost) / Math.max(1, chars))} % of the text`;
}

function refusal(message: string): Refusal {
  return { reason: "loss", message };
}
