// The operations of an undo: what each file becomes again, what it rests on then, which words stay away from now on
// and which do not any more. Reads, never writes.
import type { ContentHash } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import { memoryContentHash } from "../files/listing.ts";
import { textHashOf } from "../gate/text-hash.ts";
import type { JournalEntry, JournalOp, RecordedQuote } from "./entries.ts";
import { type EvidenceLine, standingQuotes } from "./evidence.ts";
import { bodyHash } from "./operations.ts";
import type { FileUndo } from "./undo-plan.ts";
import type { PlannedWrite } from "./write-entry.ts";

export interface OperationsAsk {
  /** In the order they were written. */
  readonly entries: readonly JournalEntry[];
  /** What memories rest on, oldest first. */
  readonly lines: readonly EvidenceLine[];
  content(hash: ContentHash): Buffer | undefined;
}

export function undoOperations(files: readonly FileUndo[], ask: OperationsAsk): PlannedWrite[] {
  const now = standingQuotes(ask.lines);
  const planned = files.flatMap((undo) => {
    const { file, from, to } = undo;
    const contentBefore = from === null ? undefined : ask.content(from);
    const contentAfter = to === null ? undefined : ask.content(to);
    // Both were there when it was planned, except what is no plain file.
    if (from === to || (to !== null && contentAfter === undefined)) return [];
    const rests = { now: now.get(file) ?? [], earlier: to === null ? [] : earlierQuotes(undo, ask) };
    const journal = operationOf(undo, { ...ask, rests });
    return [{ journal, contentBefore, contentAfter }];
  });
  return withoutReturned(planned);
}

/** What a merge took over goes back with the file it came from: nothing keeps it away. */
function withoutReturned(planned: readonly PlannedWrite[]): PlannedWrite[] {
  const returned = new Set(planned.flatMap(({ journal }) => journal.lifted?.records ?? []));
  return planned.map((write) => {
    const { takenBack } = write.journal;
    if (takenBack === null) return write;
    const records = takenBack.records.filter((id) => !returned.has(id));
    return { ...write, journal: { ...write.journal, takenBack: { ...takenBack, records } } };
  });
}

/** What the file rested on before the oldest run that is put back. */
function earlierQuotes({ file, runs }: FileUndo, { lines }: OperationsAsk): readonly RecordedQuote[] {
  const oldest = runs.at(-1);
  const own = lines.filter((line) => line.file === file);
  const at = own.findIndex(({ run }) => run === oldest);
  return standingQuotes(at === -1 ? own : own.slice(0, at)).get(file) ?? [];
}

interface Rests {
  readonly now: readonly RecordedQuote[];
  readonly earlier: readonly RecordedQuote[];
}

function operationOf(undo: FileUndo, ask: OperationsAsk & { readonly rests: Rests }): JournalOp {
  const { file, from, to } = undo;
  const { rests, content, entries } = ask;
  const [before, after] = [from, to].map((hash) => {
    const text = hash === null ? undefined : content(hash)?.toString("utf8");
    return text === undefined ? undefined : parseTopicFile(text);
  });
  const dropped = missingFrom(rests.now, rests.earlier);
  const changesText =
    before !== undefined && (after === undefined || memoryContentHash(before) !== memoryContentHash(after));
  const records = to === null ? [...dropped, ...(before?.evidence ?? [])] : dropped;
  const base = {
    file,
    before: from,
    after: to,
    mtimeMs: to === null ? null : timeOf(to, entries),
    body: after === undefined ? null : bodyHash(after.body),
    takenBack: changesText ? { records: [...new Set(records)], text: textHashOf(before) } : null,
  };
  if (after === undefined) return { ...base, op: "deleted", evidence: [] };
  const lifted = { records: liftedRecords(undo, rests), text: textHashOf(after) };
  if (from === null) return { ...base, op: "created", evidence: rests.earlier, lifted };
  const known = new Set(rests.now.map(({ id }) => id));
  const evidence = rests.earlier.filter(({ id }) => !known.has(id));
  const op = { ...base, op: "updated", evidence, lifted } as const;
  return dropped.length === 0 ? op : { ...op, withdrawn: dropped };
}

/** What the file rests on again, and what was kept away because of the very change that is put back. */
function liftedRecords({ ops }: FileUndo, { earlier }: Rests): string[] {
  const away = ops.flatMap(({ takenBack }) => takenBack?.records ?? []);
  return [...new Set([...earlier.map(({ id }) => id), ...away])];
}

function missingFrom(quotes: readonly RecordedQuote[], others: readonly RecordedQuote[]): string[] {
  const left = new Set(others.map(({ id }) => id));
  return [...new Set(quotes.filter(({ id, by }) => by !== "memory" && !left.has(id)).map(({ id }) => id))];
}

/** The time the text was written at, where we know it: a memory put back is as old as it was. */
function timeOf(hash: ContentHash, entries: readonly JournalEntry[]): Instant | null {
  for (const { ops, at } of entries.toReversed()) {
    const op = ops.find(({ after }) => after === hash);
    if (op !== undefined) return op.mtimeMs ?? Date.parse(at);
  }
  return null;
}
