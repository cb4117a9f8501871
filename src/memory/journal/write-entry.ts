// The steps every change of a memory folder takes once it is decided: images and entry into the journal, the files one
// by one, then what follows from them. Decides nothing; a crash at any step is rolled forward later.
import type { ChangeSet } from "../../domain/changes.ts";
import { applyOp } from "./apply.ts";
import type { JournalEntry, JournalOp } from "./entries.ts";
import { onDisk } from "./failures.ts";
import { finishEntry } from "./finish.ts";
import { indexToMend } from "./folder-facts.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";
import type { Settled } from "./settle.ts";

/** One operation with its images; undefined where there was, or will be, no file. */
export interface PlannedWrite {
  readonly journal: JournalOp;
  readonly contentBefore: Buffer | undefined;
  readonly contentAfter: string | Buffer | undefined;
}

export interface WriteAsk {
  readonly memory: OpenMemory;
  readonly entry: JournalEntry;
  readonly planned: readonly PlannedWrite[];
  readonly today: string;
}

export interface Wrote {
  /** Files somebody else changed at the same moment; their text stays. */
  readonly edited: ReadonlySet<string>;
  readonly settled: Settled;
}

export function writeEntry(parts: Parts, { memory, entry, planned, today }: WriteAsk): Wrote {
  const place = { what: "state", path: parts.stateDir } as const;
  const ref = onDisk(place, () => {
    parts.journal.notePlace(memory.folderId, memory.folder.path);
    for (const { contentBefore, contentAfter } of planned) {
      if (contentBefore !== undefined) parts.journal.keepImage(memory.folderId, contentBefore);
      if (contentAfter !== undefined) parts.journal.keepImage(memory.folderId, contentAfter);
    }
    return parts.journal.open(memory.folderId, entry);
  });
  const edited = new Set<string>();
  for (const { journal, contentAfter } of planned) {
    if (applyOp(memory, { op: journal, content: contentAfter }) === "edited") edited.add(journal.file);
  }
  memory.assertSamePlace();
  return { edited, settled: finishEntry(parts, { memory, ref, entry, skipped: [...edited], today }) };
}

export interface EntryAsk {
  readonly set: ChangeSet;
  readonly memory: OpenMemory;
  readonly planned: readonly Pick<PlannedWrite, "journal">[];
  /** Local date; set: what is wrong in the index is mended as well. */
  readonly mendIndexOn?: string;
}

/** The entry of a set whose changes are decided. */
export function entryOf(parts: Parts, { set, memory, planned, mendIndexOn: today }: EntryAsk): JournalEntry {
  const index = today === undefined ? undefined : indexToMend(parts, { memory, planned, today });
  return {
    v: 1,
    run: set.run,
    kind: set.kind,
    trigger: set.trigger,
    producer: set.producer,
    at: new Date(parts.clock.now()).toISOString(),
    project: { id: set.project.id, root: set.project.root },
    memoryDir: memory.folder.path,
    dirFileId: memory.folder.fileId,
    madeFolder: memory.made,
    finished: null,
    ops: planned.map((operation) => operation.journal),
    skipped: [],
    index: index ?? { before: null, after: null },
    ...(index && { indexWork: { kind: "tidy" } as const }),
  };
}
