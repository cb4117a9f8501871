// The identity of a memory folder in our own state.
import { dirname, join, relative } from "node:path";
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";

/** Sixteen hex characters derived from the folder's real path. */
export function folderIdOf(realPath: string): string {
  return shortHash(realPath.normalize("NFC"));
}

/** Where a folder really is, or will be: one that is not there yet has the same identity as when it is made. */
export function realPlace(files: Pick<Files, "real">, path: string): string {
  for (let above = path; ; above = dirname(above)) {
    const real = files.real(above);
    if (real !== undefined) return join(real, relative(above, path));
    if (above === dirname(above)) return path;
  }
}
