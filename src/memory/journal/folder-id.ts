// The identity of a memory folder in our own state.
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";

/** Sixteen hex characters derived from the folder's real path. */
export function folderIdOf(realPath: string): string {
  return shortHash(realPath.normalize("NFC"));
}

/** The id of the folder a path leads to; of the path itself while nothing is there. */
export function folderIdAt(files: Files, memoryDir: string): string {
  return folderIdOf(files.real(memoryDir) ?? memoryDir);
}
