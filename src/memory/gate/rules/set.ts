// Rules about a whole change set: its size, proposals that meet inside it, and how much of the folder it takes away.
import type { ChangeSet, MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { canonicalFile, type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { textHashOf } from "../text-hash.ts";
import { contentWords } from "../words.ts";

/** A rewrite that keeps less than this share of a body counts as removing the memory. */
const EMPTIED_SHARE = 0.3;

/** What one proposal meets among the accepted ones before it. */
export function duplicateRule(
  change: MemoryChange,
  { earlier, facts }: { readonly earlier: readonly MemoryChange[]; readonly facts: ProposalFacts },
): Refusal | undefined {
  if (earlier.length >= MEMORY_LIMITS.changesMax) {
    return { reason: "too-large", message: `one run changes at most ${MEMORY_LIMITS.changesMax} memories` };
  }
  const file = canonicalFile(change.file);
  if (earlier.some((other) => canonicalFile(other.file) === file)) {
    return { reason: "changed-since-read", message: "this run already changes that file" };
  }
  if (change.op !== "create") return undefined;
  const creates = earlier.filter((other) => other.op === "create");
  if (facts.memories.length + creates.length >= MEMORY_LIMITS.folderFilesMax) {
    return { reason: "too-large", message: "the folder holds as many memories as are ever listed" };
  }
  const text = textHashOf(change.memory);
  const same = creates.find((other) => "memory" in other && textHashOf(other.memory) === text);
  if (same === undefined) return undefined;
  return {
    reason: "already-known",
    message: `this run already saves that statement as ${JSON.stringify(same.file)}`,
  };
}

export interface LossQuestion {
  readonly set: ChangeSet;
  readonly accepted: readonly MemoryChange[];
  readonly facts: ProposalFacts;
  /** Share of the folder's memories one set may take away. */
  readonly lossShareMax: number;
}

/** Refuses a set that takes away too much. One removal is always allowed; a person may remove what they like. */
export function lossRule({ set, accepted, facts, lossShareMax }: LossQuestion): Refusal | undefined {
  if (set.producer === "person") return undefined;
  const gone = accepted.filter((change) => change.op === "delete" || isEmptied(change, facts)).length;
  const lost = gone - Math.min(replacedFiles(accepted).length, countOf(accepted, "create"));
  if (lost <= 1 || lost <= facts.memories.length * lossShareMax) return undefined;
  return {
    reason: "loss",
    message: `this run would take away ${lost} of ${facts.memories.length} memories; nothing was changed`,
  };
}

/** Files that give way to other ones of the same set. */
export function replacedFiles(changes: readonly MemoryChange[]): readonly string[] {
  return changes
    .filter(
      (change) => change.op === "delete" && (change.reason === "superseded" || change.reason === "duplicate"),
    )
    .map((change) => change.file);
}

function isEmptied(change: MemoryChange, facts: ProposalFacts): boolean {
  if (change.op !== "update") return false;
  const before = contentWords(targetOf(change, facts)?.body ?? "").length;
  return contentWords(change.memory.body).length < before * EMPTIED_SHARE;
}

function countOf(changes: readonly MemoryChange[], op: MemoryChange["op"]): number {
  return changes.filter((change) => change.op === op).length;
}
