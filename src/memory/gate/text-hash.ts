// The identity of a statement's text, for what was removed and for candidates. Pure.
import type { MemoryDraft } from "../../domain/memories.ts";
import { shortHash } from "../../system/ids.ts";
import { ruleText } from "./clauses.ts";
import { contentWords } from "./words.ts";

/** Hash of the words a memory consists of; case, marks, order of lines and `Why`/`How` text do not matter. */
export function textHashOf(memory: Pick<MemoryDraft, "body">): string {
  return shortHash([...new Set(contentWords(ruleText(memory.body)))].sort().join(" "), 32);
}

/** Identity of "take this file away as it is": for the removal of a text a person wants to keep. */
export function removalHashOf({ file, basis }: { readonly file: string; readonly basis: string }): string {
  return shortHash(JSON.stringify(["delete", file.normalize("NFC"), basis]), 32);
}
