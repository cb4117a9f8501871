// Rules about a whole change set: its size, and proposals that meet inside it.
import type { MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { canonicalFile, type ProposalFacts, type Refusal } from "../facts.ts";
import { textHashOf } from "../text-hash.ts";

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

/** Files that give way to other ones of the same set. */
export function replacedFiles(changes: readonly MemoryChange[]): readonly string[] {
  return changes
    .filter(
      (change) => change.op === "delete" && (change.reason === "superseded" || change.reason === "duplicate"),
    )
    .map((change) => change.file);
}
