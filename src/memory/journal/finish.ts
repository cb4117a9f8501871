// The last steps of a change set: evidence, what was taken back, index and listing, then the entry is closed.
// Run again after a crash they add nothing twice.
import type { JournalEntry, JournalOp } from "./entries.ts";
import { onDisk } from "./failures.ts";
import type { EntryRef } from "./journal.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";
import { settle, type Settled } from "./settle.ts";

export interface FinishAsk {
  readonly memory: OpenMemory;
  readonly ref: EntryRef;
  readonly entry: JournalEntry;
  /** Files left alone because somebody else had changed them. */
  readonly skipped: readonly string[];
  readonly today: string;
}

export function finishEntry(parts: Parts, { memory, ref, entry, skipped, today }: FinishAsk): Settled {
  const ops = entry.ops.filter((op) => !skipped.includes(op.file));
  const state = { what: "state", path: parts.stateDir } as const;
  onDisk(state, () => {
    parts.evidence.add(memory.folderId, { run: entry.run, ops });
    const at = Date.parse(entry.at);
    const lifted = ops.flatMap((op) => (op.lifted === undefined ? [] : [{ at, ...op.lifted }]));
    parts.refused.lift(memory.folderId, lifted);
    parts.refused.add(
      memory.folderId,
      ops.flatMap(({ takenBack }) => (takenBack === null ? [] : [{ at, ...takenBack }])),
    );
  });
  const { project, indexWork } = entry;
  const settled = settle(parts, { memory, ops, project, today, ...(indexWork && { indexWork }) });
  const finished = new Date(parts.clock.now()).toISOString();
  onDisk(state, () => {
    parts.journal.close(ref, { ...entry, finished, skipped, index: indexOf(entry, settled) });
  });
  for (const op of ops) tellWritten(parts, memory, op);
  return settled;
}

/** Where a crash came after the index was written, what it was before stands in the entry only. */
function indexOf({ indexWork, index }: JournalEntry, settled: Settled): JournalEntry["index"] {
  const { before, after } = settled.index;
  return indexWork !== undefined && before === after && after === index.after ? index : settled.index;
}

function tellWritten(parts: Parts, memory: OpenMemory, { file, op }: JournalOp): void {
  parts.emitter.emit("memory:written", { dir: memory.memoryDir, file, op });
}
