// Which memory a person means, and the change that forgets it. Pure; the gate judges it like every other change.
import type { MemoryChange } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import { canonicalFile } from "./facts.ts";

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
