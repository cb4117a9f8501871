// What of a folder goes when one session is taken back. Pure: plans changes, the gate decides.
import type { IgnoredFile, IgnoreReply, Reason } from "../../domain/account.ts";
import type { MemoryChange } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { forgetChange } from "../../memory/gate/person.ts";
import { standingQuotes } from "../../memory/journal/evidence.ts";
import { changesByFile, isByHand, type Trail } from "../../memory/journal/trail.ts";
import { standingEntries } from "../../memory/journal/undone.ts";

/** A memory that stays, and why. */
export type Kept = IgnoreReply["kept"][number];

export interface TakeBackPlan {
  readonly changes: readonly MemoryChange[];
  /** The person's own text, or the agent's: it stays as it is. */
  readonly byHand: readonly Memory[];
}

/** A memory that rests on nothing else goes; one that does loses the session's records. */
export function planTakeBack(
  memories: readonly Memory[],
  { session, trail }: { readonly session: string; readonly trail: Trail },
): TakeBackPlan {
  const standing = standingQuotes(trail.evidence);
  const changesOf = changesByFile(standingEntries(trail.entries()));
  const changes: MemoryChange[] = [];
  const byHand: Memory[] = [];
  for (const memory of memories) {
    const { file, hash: basis } = memory;
    const quotes = standing.get(file) ?? [];
    const gone = quotes.filter((quote) => quote.session === session && quote.by !== "memory");
    if (gone.length === 0) continue;
    const left = quotes.filter((quote) => !gone.includes(quote));
    if (isByHand(memory, { changes: changesOf.get(file) ?? [], image: trail.image })) byHand.push(memory);
    else if (left.length === 0) changes.push(forgetChange(memory));
    else {
      const times = left.flatMap(({ said }) => said ?? []);
      const saidAt = times.length === 0 ? undefined : Math.max(...times);
      const records = [...new Set(gone.map(({ id }) => id))];
      changes.push({ op: "withdraw", file, basis, records, saidAt, evidence: [] });
    }
  }
  return { changes, byHand };
}

/** In a shared folder a set speaks for one project. */
export function byProject(
  changes: readonly MemoryChange[],
  { memories, projects }: { readonly memories: readonly Memory[]; readonly projects: readonly ProjectRef[] },
): Map<ProjectRef, MemoryChange[]> {
  const found = new Map<ProjectRef, MemoryChange[]>();
  for (const change of changes) {
    const origin = memories.find(({ file }) => file === change.file)?.origin;
    const project = projects.find(({ root }) => root === origin) ?? projects[0];
    if (project === undefined) continue;
    found.set(project, [...(found.get(project) ?? []), change]);
  }
  return found;
}

export function fileOf({ file, name, origin }: Memory, projects: readonly ProjectRef[]): IgnoredFile {
  const project = origin ?? projects[0]?.root ?? "";
  return { file, name: name ?? file.replace(/\.md$/u, ""), project };
}

export function keptAs(
  memory: Memory,
  { projects, reason }: { readonly projects: readonly ProjectRef[]; readonly reason: Reason },
): Kept {
  return { ...fileOf(memory, projects), reason };
}
