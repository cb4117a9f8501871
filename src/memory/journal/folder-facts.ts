// What a check of a memory folder is made from: the files, which lines the person took out, what each memory rests on.
// Reads, never writes; under the lock and without it.
import { localDate } from "../../domain/calendar.ts";
import { contentHash } from "../../system/ids.ts";
import { type Folder, openFolder } from "../../system/folder.ts";
import { diffListing, loadListing } from "../files/listing.ts";
import { readFolder } from "../files/store.ts";
import type { FolderFacts } from "../lint/facts.ts";
import { tidyIndexPlan } from "../lint/tidy-index.ts";
import { broughtBack, BROUGHT_BACK_ENTRIES_MAX } from "./brought-back.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf } from "./folder-id.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { JournalOp } from "./entries.ts";
import type { Parts } from "./parts.ts";
import { listingPath } from "./settle.ts";

/** Undefined where there is no such folder. */
export function folderFactsAt(parts: Parts, memoryDir: string): FolderFacts | undefined {
  return onDisk({ what: "memory", path: memoryDir }, () => {
    const folder = openFolder(parts.files, memoryDir);
    if (folder === undefined) return undefined;
    try {
      return factsOf(parts, folder);
    } finally {
      folder.close();
    }
  });
}

function factsOf({ files, clock, evidence, journal, stateDir }: Parts, folder: Folder): FolderFacts {
  const folderId = folderIdOf(folder.path);
  const view = readFolder(folder);
  const previous = loadListing(files, listingPath({ stateDir }, folderId));
  // An index that is gone says nothing about single lines.
  const noticed = view.index.text === undefined ? [] : diffListing(previous, view).linesDroppedByPerson;
  return {
    view,
    hidden: new Set([...(previous?.droppedByPerson ?? []), ...noticed]),
    recordsOf: evidence.load(folderId).recordsOf,
    broughtBack: broughtBack(journal.entries(folderId, { max: BROUGHT_BACK_ENTRIES_MAX }), view.memories),
    today: localDate(clock.now(), clock.timeZone()),
  };
}

export interface MendAsk {
  readonly memory: OpenMemory;
  readonly planned: readonly { readonly journal: JournalOp }[];
  readonly today: string;
}

/** What the index is and would become by mending it; undefined where nothing is wrong. */
export function indexToMend(
  parts: Parts,
  { memory, planned, today }: MendAsk,
): { readonly before: JournalOp["before"]; readonly after: NonNullable<JournalOp["after"]> } | undefined {
  const facts = onDisk({ what: "memory", path: memory.memoryDir }, () => factsOf(parts, memory.folder));
  const gone = planned.flatMap(({ journal }) => (journal.after === null ? [journal.file] : []));
  const { text, changed } = tidyIndexPlan({ ...facts, today }, gone);
  if (!changed || text === undefined) return undefined;
  return { before: facts.view.index.hash ?? null, after: contentHash(text) };
}
