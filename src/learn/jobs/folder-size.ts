// How large a memory folder is, as a dream and a distillation tell it before and after.
import type { ConsolidationSize } from "../../domain/consolidation.ts";
import type { FolderView } from "../../memory/files/store.ts";

/** Index lines count as in the status: blank ones within the text, not the end of the last one. */
export function folderSize(view: FolderView | undefined): ConsolidationSize {
  const text = view?.index.text ?? "";
  const indexLines = text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
  return { files: view?.memories.length ?? 0, indexLines };
}
