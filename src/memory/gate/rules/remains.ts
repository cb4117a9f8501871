// What gives way to another memory needs that other memory to be there afterwards: of two that are each the duplicate of
// the other, one stays, or a new one is made of both. And a duplicate says nothing checkable that would be gone with it.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { Memory } from "../../../domain/memories.ts";
import { claimsOf, claimSource } from "../claims.ts";
import { hasNegation, withoutReasons } from "../clauses.ts";
import { canonicalFile, type ProposalFacts, proposedText, type Refusal, targetOf } from "../facts.ts";
import { memoryText } from "../quotes.ts";

/** Refuses a whole set in which a memory gives way to one that goes as well. */
export function remainsRule(accepted: readonly MemoryChange[], facts: Facts): Refusal | undefined {
  const gone = new Set(accepted.filter(({ op }) => op === "delete").map(({ file }) => canonicalFile(file)));
  const lost = accepted.find((change) => givesWay(change) && !livesOn(change, { accepted, gone }));
  if (lost !== undefined) {
    return refusal(`what ${JSON.stringify(lost.file)} gives way to would be gone too; nothing was changed`);
  }
  const [fuller] = fullerDuplicates(accepted, facts);
  if (fuller === undefined) return undefined;
  return refusal(`${JSON.stringify(fuller.file)} says more than what it gives way to; nothing was changed`);
}

type Facts = Pick<ProposalFacts, "memories">;

/**
 * Duplicates with a number, a date, an address, a command, a path, a name or a "never" that neither the memories they give
 * way to nor those that are made of them say.
 */
export function fullerDuplicates(changes: readonly MemoryChange[], facts: Facts): readonly MemoryChange[] {
  return changes.filter((change) => {
    if (change.op !== "delete" || change.reason !== "duplicate") return false;
    const target = targetOf(change, facts);
    return target !== undefined && saysMore(target, remainingTexts({ change, changes, facts }));
  });
}

function saysMore({ body }: Memory, rest: readonly string[]): boolean {
  const source = claimSource(rest.join("\n"));
  const forbids = (text: string) => hasNegation(withoutReasons(text));
  return claimsOf(body).some((claim) => !source.has(claim)) || (forbids(body) && !rest.some(forbids));
}

interface Remaining {
  readonly change: MemoryChange;
  readonly changes: readonly MemoryChange[];
  readonly facts: Facts;
}

/** What the quoted memories say afterwards, and whatever is made of this one. */
function remainingTexts({ change, changes, facts }: Remaining): readonly string[] {
  const quoted = new Set(memoriesIn(change));
  const changed = new Map(changes.map((other) => [canonicalFile(other.file), other]));
  const kept = facts.memories.filter(({ file }) => {
    const name = canonicalFile(file);
    const other = changed.get(name);
    return quoted.has(name) && other?.op !== "delete" && other?.op !== "update";
  });
  const written = changes.filter(
    (other) =>
      quoted.has(canonicalFile(other.file)) || memoriesIn(other).includes(canonicalFile(change.file)),
  );
  return [...kept.map(memoryText), ...written.map(proposedText)];
}

function memoriesIn({ evidence }: MemoryChange): string[] {
  return evidence.flatMap(({ by, recordId }) => (by === "memory" ? [canonicalFile(recordId)] : []));
}

function refusal(message: string): Refusal {
  return { reason: "loss", message };
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
  const others = memoriesIn(change).filter((other) => other !== file);
  // Words of the person, or a rule, are elsewhere anyway.
  if (others.length === 0 || others.some((other) => !gone.has(other))) return true;
  return accepted.some((other) => "memory" in other && memoriesIn(other).includes(file));
}
