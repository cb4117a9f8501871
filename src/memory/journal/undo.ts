// `undo`: puts back what runs did to one memory folder, through the same lock, journal and steps as every change. What
// it takes away counts as taken back by the person; what it brings back is theirs again. `undo-plan.ts` decides.
import { localDate } from "../../domain/calendar.ts";
import type { RunId } from "../../domain/changes.ts";
import { newRunId } from "../../system/ids.ts";
import { type JournalEntry, UNDO_KIND } from "./entries.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf } from "./folder-id.ts";
import { assertPlainIndex, type OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";
import { finishOpenEntries } from "./recovery.ts";
import { settle } from "./settle.ts";
import { planFor, type UndoAsk } from "./undo-facts.ts";
import { changedIn, type Refused, undoesOf, type UndoPlan } from "./undo-plan.ts";
import { undoOperations } from "./undo-operations.ts";
import { writeEntry } from "./write-entry.ts";

export interface Restored {
  readonly file: string;
  readonly what: "removed" | "changed-back" | "brought-back";
}

export interface UndoResult {
  /** The run this undo is, which can be undone itself; undefined when nothing was written. */
  readonly run: RunId | undefined;
  /** Runs that were put back, at least in part. */
  readonly runs: readonly RunId[];
  readonly restored: readonly Restored[];
  readonly refused: readonly Refused[];
}

const NOTHING: UndoResult = { run: undefined, runs: [], restored: [], refused: [] };
/** Steps by which an id is made newer than the newest entry, which may be of this very millisecond. */
const ID_TRIES = 5;

export async function undoRuns(parts: Parts, ask: UndoAsk): Promise<UndoResult> {
  const { memoryDir, dryRun } = ask;
  // A folder that is gone is made again for what comes back, one that engramd never wrote to is not.
  const make = !dryRun && isKnown(parts, memoryDir);
  const result = await parts.folders.withFolder({ memoryDir, make }, (memory) => {
    if (dryRun) return told(planFor(parts, memory, ask).plan);
    assertPlainIndex(memory);
    finishOpenEntries(parts, memory);
    return undoInto(parts, memory, ask);
  });
  return result ?? NOTHING;
}

function isKnown(parts: Parts, memoryDir: string): boolean {
  const real = onDisk({ what: "memory", path: memoryDir }, () => parts.files.real(memoryDir));
  return parts.journal.placeOf(folderIdOf(real ?? memoryDir)) !== undefined;
}

function undoInto(parts: Parts, memory: OpenMemory, ask: UndoAsk): UndoResult {
  const today = localDate(parts.clock.now(), parts.clock.timeZone());
  const newest = parts.journal.entries(memory.folderId, { max: 1 })[0];
  if (newest === undefined) return NOTHING;
  // An edit nobody has noticed yet becomes part of the history first: it is kept there, and named where it forbids.
  settle(parts, { memory, ops: [], project: newest.project, today });
  const { entries, plan, chosen, images } = planFor(parts, memory, ask);
  const planned = undoOperations(plan.files, {
    entries,
    lines: parts.evidence.lines(memory.folderId),
    content: images,
  });
  const [about] = chosen;
  const { index } = plan;
  if (about === undefined || (planned.length === 0 && index === undefined))
    return { ...NOTHING, refused: plan.refused };
  const entry: JournalEntry = {
    v: 1,
    ...newestRun(parts, entries),
    kind: UNDO_KIND,
    trigger: "command",
    producer: "person",
    project: about.project,
    memoryDir: memory.folder.path,
    dirFileId: memory.folder.fileId,
    madeFolder: memory.made,
    finished: null,
    ops: planned.map(({ journal }) => journal),
    skipped: [],
    index: { before: index?.from ?? null, after: index?.to ?? null },
    ...(index && { indexWork: { kind: "restore", from: index.from, to: index.to } }),
    undoes: undoesOf(plan),
  };
  const { edited, settled } = writeEntry(parts, { memory, entry, planned, today });
  const lost = index !== undefined && settled.index.after !== index.to ? [index.file] : [];
  const meanwhile = [...edited, ...lost].map((file) => ({
    file,
    why: "somebody changed it at the same moment",
    forcible: true,
  }));
  const { runs, restored } = told(plan);
  const written = restored.filter(({ file }) => !meanwhile.some((each) => each.file === file));
  return { run: entry.run, runs, restored: written, refused: [...plan.refused, ...meanwhile] };
}

/** Later than everything in the history, so that the history reads in the order it was made. */
function newestRun(parts: Parts, entries: readonly JournalEntry[]): Pick<JournalEntry, "run" | "at"> {
  const now = parts.clock.now();
  const last = entries.at(-1);
  for (let later = 0; ; later++) {
    const run = newRunId(now + later);
    const at = new Date(now + later).toISOString();
    const isNewest = last === undefined || (run > last.run && at > last.at);
    if (isNewest || later === ID_TRIES) return { run, at };
  }
}

function told(plan: UndoPlan): UndoResult {
  const { refused } = plan;
  const files = changedIn(plan);
  const restored = files.flatMap(({ file, from, to }): Restored[] => {
    if (from === to) return [];
    return [{ file, what: to === null ? "removed" : from === null ? "brought-back" : "changed-back" }];
  });
  return { run: undefined, runs: [...new Set(files.flatMap(({ runs }) => runs))], restored, refused };
}
