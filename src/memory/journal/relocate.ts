// Takes what we know of a memory folder along when its files move elsewhere: evidence, what a person removed, the
// listing, the history. Each step can be repeated; nothing is gone before it stands in its new place.
import { join } from "node:path";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { appendJsonLines, readJsonLines } from "../../system/json-lines.ts";
import { renameFree } from "../../system/placing.ts";
import { removeEmptyFolder } from "../../system/removal.ts";
import { folderIdOf } from "./folder-id.ts";

export interface Relocation {
  readonly files: Files;
  readonly stateDir: string;
  /** Real path of the old folder, as it was while it existed. */
  readonly from: string;
  /** Real path of the new one. */
  readonly to: string;
}

/** Line files that are joined: what the new folder knows already stays. */
const JOINED = ["evidence", "refused", "bullets"];

/** Before the new folder is in force: it then knows whose words each memory rests on, and what must not come back. */
export function copyKnowledge({ files, stateDir, from, to }: Relocation): void {
  const maxBytes = STATE_LIMITS.stateFileBytesMax;
  for (const kind of JOINED) {
    const [source, target] = [from, to].map((place) => join(stateDir, kind, `${folderIdOf(place)}.jsonl`));
    if (source === undefined || target === undefined || files.look(source) === undefined) continue;
    const known = new Set(
      readJsonLines(files, { path: target, maxBytes }).values.map((one) => JSON.stringify(one)),
    );
    const values = readJsonLines(files, { path: source, maxBytes }).values.filter(
      (one) => !known.has(JSON.stringify(one)),
    );
    appendJsonLines(files, { path: target, values, maxBytes });
  }
}

/** Afterwards: history and listing go along, what was copied is removed from its old place. */
export function takeHistoryAlong({ files, stateDir, from, to }: Relocation): void {
  const [fromId, toId] = [folderIdOf(from), folderIdOf(to)];
  for (const kind of JOINED) files.remove(join(stateDir, kind, `${fromId}.jsonl`));
  const listing = join(stateDir, "listing", `${fromId}.json`);
  if (!renameFree(files, listing, join(stateDir, "listing", `${toId}.json`))) files.remove(listing);
  const [old, next] = [join(stateDir, "journal", fromId), join(stateDir, "journal", toId)];
  if (!renameFree(files, old, next)) mergeFolder(files, old, next);
  if (files.look(next) !== undefined) files.replace(join(next, "place"), to);
}

/** The new folder has a history of its own: runs have ids, images are named by their content, so nothing meets. */
function mergeFolder(files: Files, from: string, to: string): void {
  for (const name of files.names(from) ?? []) {
    const [old, next] = [join(from, name), join(to, name)];
    if (renameFree(files, old, next)) continue;
    if (files.look(old)?.kind === "folder") mergeFolder(files, old, next);
    // An image that is there already, or where the folder was.
    else files.remove(old);
  }
  removeEmptyFolder(from);
}
