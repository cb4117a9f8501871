// The file a change is aimed at: still as it was read, not newer than the words, and of the same project.
import type { MemoryChange } from "../../../domain/changes.ts";
import { localDate } from "../../../domain/calendar.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { newestSaidAt } from "../quotes.ts";

/** Compared at commit with the folder as it is under the lock. */
export function basisRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  const target = targetOf(change, facts);
  if (change.op === "create") {
    return target === undefined ? undefined : stale("a file of this name has appeared; read it first");
  }
  if (target === undefined) return stale("the file is gone; read the folder again");
  return target.hash === change.basis ? undefined : stale("the file has changed since it was read");
}

/** Order is by when it was said: old transcripts read late must not undo newer words. */
export function orderRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person" || (change.op !== "update" && change.op !== "delete")) return undefined;
  const saidAt = newestSaidAt(change.evidence);
  const target = targetOf(change, facts);
  if (saidAt === undefined || target === undefined) return undefined;
  const knownAt = facts.saidAt.get(target.file);
  const older =
    knownAt === undefined
      ? target.confirmed !== undefined && localDate(saidAt, facts.timeZone) < target.confirmed
      : saidAt < knownAt;
  return older ? { reason: "older-than-known", message: "the file holds newer words than these" } : undefined;
}

/** In a folder several projects share, a project touches its own memories only. */
export function originRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.origin === undefined || change.op === "create") return undefined;
  const target = targetOf(change, facts);
  if (target === undefined || target.origin === facts.origin) return undefined;
  // A file without an origin was made by hand or before sharing; only the person may say whose it is.
  if (target.origin === undefined && facts.producer === "person") return undefined;
  return { reason: "other-project", message: "this file belongs to another project of the shared folder" };
}

function stale(message: string): Refusal {
  return { reason: "changed-since-read", message };
}
