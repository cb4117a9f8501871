// Puts the next text of the index in its place. Never over words somebody wrote since it was read.
import { AppError } from "../../domain/errors.ts";
import type { ContentHash } from "../../domain/memories.ts";
import { contentHash } from "../../system/ids.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import { currentHash, keepingEdits } from "./apply.ts";
import type { OpenMemory } from "./open-memory.ts";

/** Hash of what was written; undefined when somebody else wrote the index meanwhile. */
export function replaceIndex(
  { folder }: OpenMemory,
  { text, before }: { readonly text: string; readonly before: ContentHash | null },
): ContentHash | undefined {
  const after = contentHash(text);
  const applied = keepingEdits(folder, { file: INDEX_FILE, before, after }, () => {
    try {
      folder.replace(INDEX_FILE, text, { stillValid: () => currentHash(folder, INDEX_FILE) === before });
      return "done";
    } catch (error) {
      if (error instanceof AppError && error.code === "changed") return "edited";
      throw error;
    }
  });
  return applied === "done" ? after : undefined;
}
