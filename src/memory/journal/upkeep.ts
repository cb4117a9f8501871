// Follows edits made by hand: their index lines, their history, what was removed. Our own writes are in the listing
// already and cause nothing. Never touches a memory file.
import type { ProjectRef } from "../../domain/sessions.ts";
import { createBreather, inBreaths, type Steps } from "../../system/breather.ts";
import { openFolder } from "../../system/folder.ts";
import { diffListing, loadListing } from "../files/listing.ts";
import { localDate } from "../../domain/calendar.ts";
import { readingFolder } from "../files/store.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf } from "./folder-id.ts";
import type { Parts } from "./parts.ts";
import { finishOpenEntries } from "./recovery.ts";
import { listingPath, settling } from "./settle.ts";

export interface UpkeepResult {
  /** Files made, changed or removed by hand since our last listing. */
  readonly added: readonly string[];
  readonly edited: readonly string[];
  readonly vanished: readonly string[];
  /** Files whose index line the person took out. */
  readonly linesDropped: readonly string[];
  readonly indexChanged: boolean;
  readonly indexLeft: readonly string[];
  readonly indexOverCap: boolean;
  readonly conflictCopies: readonly string[];
}

const NOTHING: UpkeepResult = {
  added: [],
  edited: [],
  vanished: [],
  linesDropped: [],
  indexChanged: false,
  indexLeft: [],
  indexOverCap: false,
  conflictCopies: [],
};

export interface UpkeepAsk {
  readonly memoryDir: string;
  readonly project: ProjectRef;
}

export async function upkeepFolder(parts: Parts, { memoryDir, project }: UpkeepAsk): Promise<UpkeepResult> {
  const breathe = createBreather(parts.clock);
  const glance = await inBreaths(lookingAt(parts, memoryDir), breathe);
  if (glance === undefined) return NOTHING;
  // Not even the lock is taken when there is nothing to do.
  if (glance.settled) return { ...NOTHING, conflictCopies: glance.conflictCopies };
  const result = await parts.folders.withFolder(
    { memoryDir, make: false },
    async (memory): Promise<UpkeepResult> => {
      finishOpenEntries(parts, memory);
      const today = localDate(parts.clock.now(), parts.clock.timeZone());
      const ask = { memory, ops: [], project: { id: project.id, root: project.root }, today };
      const settled = await inBreaths(settling(parts, ask), breathe);
      const { added, edited, vanished, linesDroppedByPerson } = settled.byHand;
      return {
        added,
        edited,
        vanished,
        linesDropped: linesDroppedByPerson,
        indexChanged: settled.index.before !== settled.index.after,
        indexLeft: settled.left,
        indexOverCap: settled.overCap,
        conflictCopies: settled.view.conflictCopies,
      };
    },
  );
  return result ?? NOTHING;
}

interface Glance {
  readonly settled: boolean;
  readonly conflictCopies: readonly string[];
}

/** Undefined when the folder does not exist. */
function* lookingAt(parts: Parts, memoryDir: string): Steps<Glance | undefined> {
  const folder = onDisk({ what: "memory", path: memoryDir }, () => openFolder(parts.files, memoryDir));
  if (folder === undefined) return undefined;
  try {
    const folderId = folderIdOf(folder.path);
    const view = yield* readingFolder(folder);
    const previous = loadListing(parts.files, listingPath(parts, folderId));
    const settled =
      previous !== undefined &&
      diffListing(previous, view).unchanged &&
      parts.journal.openEntries(folderId).length === 0;
    return { settled, conflictCopies: view.conflictCopies };
  } finally {
    folder.close();
  }
}
