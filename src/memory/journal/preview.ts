// What the gate judges by right now, read without the writer lock: a run learns at the tool call what would be
// refused. The commit judges again under the lock. Writes nothing and makes no folder.
import type { ChangeSet } from "../../domain/changes.ts";
import { openFolder } from "../../system/folder.ts";
import type { FolderView } from "../files/store.ts";
import { readFolder } from "../files/store.ts";
import type { ProposalFacts } from "../gate/facts.ts";
import type { FolderFacts } from "../lint/facts.ts";
import { proposalFacts } from "./facts.ts";
import { onDisk } from "./failures.ts";
import { folderFactsAt } from "./folder-facts.ts";
import { folderIdOf, realPlace } from "./folder-id.ts";
import type { Parts } from "./parts.ts";
import { type Trail, trailOf } from "./trail.ts";

export interface PreviewAsk {
  readonly set: Pick<ChangeSet, "project" | "producer" | "memoryDir">;
  /** Local calendar date, `YYYY-MM-DD`. */
  readonly today: string;
  /** Several projects share the folder. */
  readonly sharedFolder: boolean;
}

/** What may be known without the writer lock. Writes nothing. */
export interface MemoryReader {
  /** What the gate judges by right now, for a run that wants to know before it commits. */
  preview(ask: PreviewAsk): ProposalFacts;
  /** Where the memories of a folder come from. */
  trail(memoryDir: string): Trail;
  /** What a check of the folder is made from; undefined where there is none. Throws as `preview` does. */
  folderFacts(memoryDir: string): FolderFacts | undefined;
}

export function createMemoryReader(parts: Parts): MemoryReader {
  return {
    preview: (ask) => previewFacts(parts, ask),
    trail: (memoryDir) => trailOf(parts, memoryDir),
    folderFacts: (memoryDir) => folderFactsAt(parts, memoryDir),
  };
}

const NO_FOLDER: FolderView = {
  memories: [],
  index: { text: undefined, hash: undefined, problem: undefined },
  conflictCopies: [],
  unavailable: [],
  notMemories: [],
  bodyLines: new Map(),
  unread: 0,
};

/**
 * The folder's part of the facts: no record has a text yet, whoever shows some adds theirs. Throws `memory-failed` or `memory-unwritable` (retry) when the folder is there and cannot be read.
 */
function previewFacts(parts: Parts, ask: PreviewAsk): ProposalFacts {
  const { set } = ask;
  const { real, view, names } = readView(parts, set.memoryDir);
  const folderId = folderIdOf(real);
  return proposalFacts(
    {
      set,
      view,
      names,
      folderId,
      evidence: parts.evidence.load(folderId),
      evidenceTexts: new Map(),
      heard: undefined,
      today: ask.today,
      timeZone: parts.clock.timeZone(),
      sharedFolder: ask.sharedFolder,
      keep: false,
    },
    parts,
  );
}

interface Seen {
  /** Where the folder really is, or will be. */
  readonly real: string;
  readonly view: FolderView;
  readonly names: readonly string[];
}

function readView({ files }: Parts, memoryDir: string): Seen {
  return onDisk({ what: "memory", path: memoryDir }, () => {
    const folder = openFolder(files, memoryDir);
    if (folder === undefined) return { real: realPlace(files, memoryDir), view: NO_FOLDER, names: [] };
    try {
      const names = folder.names();
      return { real: folder.path, view: readFolder(folder, names), names };
    } finally {
      folder.close();
    }
  });
}
