// The identity of a memory folder in our own state.
import { shortHash } from "../../system/ids.ts";

/** Sixteen hex characters derived from the folder's real path. */
export function folderIdOf(realPath: string): string {
  return shortHash(realPath.normalize("NFC"));
}
