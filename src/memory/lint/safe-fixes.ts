// What of a memory folder can be mended without any judgement. Pure: it proposes, and the gate decides as about anything
// else. No byte of a memory that stays is ever changed.
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Memory } from "../../domain/memories.ts";
import type { IndexPlan } from "../files/index-file.ts";
import { exactDuplicates } from "./duplicates.ts";
import type { FolderFacts } from "./facts.ts";
import { tidyIndexPlan } from "./tidy-index.ts";

export interface SafeFixes {
  /** Removals of exact duplicates; at most as many as one set may hold, so ask again afterwards. */
  readonly changes: readonly MemoryChange[];
  /** What the index would be afterwards. The writer plans it anew under its lock (`tidyIndex`). */
  readonly index: IndexPlan;
}

/** `mayGo`: which memories the asking project may remove, in a folder that several share. */
export function safeFixes(facts: FolderFacts, mayGo: (memory: Memory) => boolean = () => true): SafeFixes {
  const goes = exactDuplicates(facts)
    .flatMap((group) => group.goes.map((memory) => ({ memory, stays: group.stays })))
    .filter(({ memory }) => mayGo(memory))
    .slice(0, MEMORY_LIMITS.changesMax);
  const changes = goes.map(({ memory: { file, hash }, stays }): MemoryChange => ({
    op: "delete",
    file,
    basis: hash,
    reason: "duplicate",
    evidence: [saysTheSame(stays)],
  }));
  return {
    changes,
    index: tidyIndexPlan(
      facts,
      goes.map(({ memory }) => memory.file),
    ),
  };
}

/** Names the one that stays, for the history; all of it is the quote. */
function saysTheSame({ file, originSessionId = "" }: Memory): Evidence {
  const session = { agent: "claude-code", id: originSessionId, projectId: undefined } as const;
  return { session, recordId: file, by: "memory", quote: "", at: undefined };
}
