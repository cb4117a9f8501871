// Which folders have words nobody has read, and how long those wait. Reads none of them.
import type { Places } from "../intake/projects/places.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import type { Debounce, Quiet } from "../intake/watch/debounce.ts";
import type { Reading } from "./reading.ts";

export interface LeftoverParts {
  readonly catalog: Catalog;
  readonly places: Places;
  readonly reading: Reading;
}

/** Of two sessions in one folder the more impatient one decides. */
export function unreadFolders({ catalog, places, reading }: LeftoverParts): Map<string, Quiet> {
  const folders = new Map<string, Quiet>();
  for (const entry of catalog.entries()) {
    if (entry.project === undefined || !catalog.isUnread(entry)) continue;
    const folder = places.folderOf(entry.project);
    if (folder === undefined) continue;
    const quiet = reading.cadenceOf(entry.source.agent);
    const before = folders.get(folder);
    if (before === undefined || quiet.quietMs < before.quietMs) folders.set(folder, quiet);
  }
  return folders;
}

/** Makes them due but for those whose run a person cancelled. */
export function readLeftovers(
  parts: LeftoverParts & { readonly debounce: Debounce; readonly held: ReadonlySet<string> },
): void {
  for (const [folder, quiet] of unreadFolders(parts)) {
    if (!parts.held.has(folder) && parts.debounce.dueAt(folder) === undefined)
      parts.debounce.touch(folder, quiet);
  }
}
