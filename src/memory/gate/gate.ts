// The one gate every change of a memory folder passes, whoever proposes it. Decides on plain facts; never reads or writes.
import type { ChangeSet, MemoryChange, Verdict } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import { proposedText, type ProposalFacts, type Refusal, type Rule } from "./facts.ts";
import { PROPOSAL_RULES } from "./proposal-rules.ts";
import { memoryText, personWords } from "./quotes.ts";
import { sentencesOf } from "./sentences.ts";
import { overlapOf, tellingWords } from "./telling.ts";
import { asForeignOrder } from "./rules/orders.ts";
import { basisRule } from "./rules/target.ts";
import { lossRule } from "./rules/loss.ts";
import { remainsRule } from "./rules/remains.ts";
import { duplicateRule, replacedFiles } from "./rules/set.ts";

/** Judges one proposal by itself: at a tool call, or before the person is told that it will be saved. */
export function judgeProposal(change: MemoryChange, facts: ProposalFacts): Verdict {
  return verdictOf(change, firstRefusal(PROPOSAL_RULES, change, facts));
}

export interface SetOptions {
  /** Share of the folder's memories the set may take away; default `MEMORY_LIMITS.lossShareMax`. */
  readonly lossShareMax?: number;
}

/**
 * Judges a whole set against the folder as it is now; verdicts come in the order of the changes.
 * A refused proposal is left out of the commit; a set that takes away too much is refused as a whole.
 */
export function judgeSet(set: ChangeSet, facts: ProposalFacts, options: SetOptions = {}): Verdict[] {
  const setFacts = { ...facts, replaced: replacedFiles(set.changes) };
  const verdicts: Verdict[] = [];
  const accepted: MemoryChange[] = [];
  for (const change of set.changes) {
    const refusal =
      firstRefusal(PROPOSAL_RULES, change, setFacts) ??
      basisRule(change, setFacts) ??
      duplicateRule(change, { earlier: accepted, facts: setFacts });
    if (refusal === undefined) accepted.push(change);
    verdicts.push(verdictOf(change, refusal));
  }
  const lossShareMax = options.lossShareMax ?? MEMORY_LIMITS.lossShareMax;
  const loss =
    (set.producer === "model" ? remainsRule(accepted, facts) : undefined) ??
    lossRule({ set, accepted, facts, lossShareMax });
  if (loss === undefined) return verdicts;
  return verdicts.map((verdict) => (verdict.accepted ? verdictOf(verdict.change, loss) : verdict));
}

/**
 * Memories of other voices than the person's that an accepted change is made of: those it quotes, and those its set
 * replaces when it could not stand without them. What is made of them is hearsay too.
 */
export function hearsayUnder(change: MemoryChange, facts: ProposalFacts): readonly string[] {
  const { hearsay, replaced = [] } = facts;
  if (hearsay === undefined || hearsay.size === 0 || !("memory" in change)) return [];
  const quoted = change.evidence.flatMap(({ by, recordId }) =>
    by === "memory" && hearsay.has(recordId) ? [recordId] : [],
  );
  const silent = replaced.filter((file) => hearsay.has(file) && !quoted.includes(file));
  const rest = { ...facts, replaced: replaced.filter((file) => !silent.includes(file)) };
  const leans =
    silent.length > 0 &&
    (repeats(change, { facts, files: silent }) || firstRefusal(PROPOSAL_RULES, change, rest) !== undefined);
  return leans ? [...quoted, ...silent] : quoted;
}

interface Repeating {
  readonly facts: ProposalFacts;
  readonly files: readonly string[];
}

/** Whether a sentence is one of these memories' and not the person's. */
function repeats(change: MemoryChange, { facts, files }: Repeating): boolean {
  const theirs = facts.memories.filter(({ file }) => files.includes(file)).map(memoryText);
  const words = tellingWords(theirs.join("\n"));
  const own = tellingWords(personWords(change.evidence, facts));
  return sentencesOf(proposedText(change)).some(
    (sentence) =>
      tellingWords(sentence).length > 0 &&
      overlapOf(sentence, words).novel === 0 &&
      overlapOf(sentence, own).novel > 0,
  );
}

function firstRefusal(
  rules: readonly Rule[],
  change: MemoryChange,
  facts: ProposalFacts,
): Refusal | undefined {
  for (const rule of rules) {
    const refusal = rule(change, facts);
    if (refusal !== undefined) return asForeignOrder(refusal, change, facts);
  }
  return undefined;
}

function verdictOf(change: MemoryChange, refusal: Refusal | undefined): Verdict {
  return refusal === undefined ? { change, accepted: true } : { change, accepted: false, ...refusal };
}
