// What gives way to another memory needs that other memory to be there afterwards: of two that are each the duplicate of
// the other, one stays, or a new one is made of both.
import type { MemoryChange } from "../../../domain/changes.ts";
import { canonicalFile, type Refusal } from "../facts.ts";

/** Refuses a whole set in which a memory gives way to one that goes as well. */
export function remainsRule(accepted: readonly MemoryChange[]): Refusal | undefined {
  const gone = new Set(accepted.filter(({ op }) => op === "delete").map(({ file }) => canonicalFile(file)));
  const lost = accepted.find((change) => givesWay(change) && !livesOn(change, { accepted, gone }));
  if (lost === undefined) return undefined;
  return {
    reason: "loss",
    message: `what ${JSON.stringify(lost.file)} gives way to would be gone too; nothing was changed`,
  };
}

function givesWay(change: MemoryChange): boolean {
  return change.op === "delete" && (change.reason === "duplicate" || change.reason === "superseded");
}

interface Around {
  readonly accepted: readonly MemoryChange[];
  readonly gone: ReadonlySet<string>;
}

function livesOn(change: MemoryChange, { accepted, gone }: Around): boolean {
  const file = canonicalFile(change.file);
  const named = change.evidence
    .filter(({ by }) => by === "memory")
    .map(({ recordId }) => canonicalFile(recordId));
  const others = named.filter((other) => other !== file);
  // Words of the person, or a rule, are elsewhere anyway.
  if (others.length === 0 || others.some((other) => !gone.has(other))) return true;
  return accepted.some(
    (other) =>
      "memory" in other &&
      other.evidence.some(({ by, recordId }) => by === "memory" && canonicalFile(recordId) === file),
  );
}
