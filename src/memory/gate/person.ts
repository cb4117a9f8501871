// The changes a person asks for by name: remember and forget. Pure; the gate judges them like all others.
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import type { Memory, MemoryDraft } from "../../domain/memories.ts";
import { fileNameFor } from "../files/file-name.ts";
import { sameFact } from "../files/same-fact.ts";
import { canonicalFile } from "./facts.ts";

export interface RememberAsk {
  readonly memory: MemoryDraft;
  readonly memories: readonly Memory[];
  /** Every name in the folder, whatever it is. */
  readonly taken: ReadonlySet<string>;
  /** The typed words, where they are part of a session. */
  readonly evidence?: readonly Evidence[];
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
  /** Root of the project where several share the folder; memories of others are left alone. */
  readonly origin?: string;
}

/** A known fact is confirmed, anything else becomes a new file. */
export function rememberChange(ask: RememberAsk): MemoryChange {
  const evidence = ask.evidence ?? [];
  const known = ask.memories.find(
    (memory) => (ask.origin === undefined || memory.origin === ask.origin) && sameFact(ask.memory, memory),
  );
  if (known !== undefined) return { op: "confirm", file: known.file, basis: known.hash, evidence };
  const taken = new Set([...ask.taken].map(canonicalFile));
  const isTaken = (name: string) => taken.has(canonicalFile(name));
  return {
    op: "create",
    file: fileNameFor(ask.memory, { today: ask.today, isTaken }),
    memory: ask.memory,
    evidence,
  };
}

/** Memories a person may mean: the exact file, else every memory of that name. More than one is for them to choose. */
export function memoriesNamed(memories: readonly Memory[], name: string): readonly Memory[] {
  const wanted = canonicalFile(name);
  const byFile = memories.filter((memory) => [wanted, `${wanted}.md`].includes(canonicalFile(memory.file)));
  return byFile.length > 0 ? byFile : memories.filter((memory) => memory.name === name);
}

/** Committed with producer `person`, it is remembered in `refused` and never comes back from the same words. */
export function forgetChange(memory: Memory): MemoryChange {
  return { op: "delete", file: memory.file, basis: memory.hash, reason: "forgotten", evidence: [] };
}
