// The identity of a statement's text, for what was removed and for candidates. Pure.
import type { MemoryDraft } from "../../domain/memories.ts";
import { shortHash } from "../../system/ids.ts";
import { ruleText } from "./clauses.ts";
import { contentWords } from "./words.ts";

/** Hash of the words a memory consists of; case, marks, order of lines and `Why`/`How` text do not matter. */
export function textHashOf(memory: Pick<MemoryDraft, "body">): string {
  return shortHash([...new Set(contentWords(ruleText(memory.body)))].sort().join(" "), 32);
}
