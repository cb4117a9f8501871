// What the runs of the last day found in a folder, for the rule about loss. What the person did, or said, since then
// is where the day begins for that file. Reads, never writes.
import type { ContentHash, Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import type { PastMemory } from "../gate/facts.ts";
import { EDIT_KIND, type JournalEntry, type JournalOp } from "./entries.ts";
import type { Journal } from "./journal.ts";
import { byTime, standingEntries } from "./undone.ts";

const DAY_MS = 86_400_000;

interface DayAsk {
  readonly folderId: string;
  readonly memories: readonly Memory[];
  readonly now: Instant;
}

/** Files that runs changed and nobody else since. A file whose old text held a secret is left out: it was not kept. */
export function dayBefore(journal: Journal, { folderId, memories, now }: DayAsk): readonly PastMemory[] {
  const spans = spansOf(standingEntries(byTime(journal.entries(folderId, { since: now - DAY_MS }))));
  const hashes = new Map(memories.map(({ file, hash }) => [file, hash]));
  return [...spans].flatMap(([file, { before, after }]): PastMemory[] => {
    if ((hashes.get(file) ?? null) !== after) return [];
    if (before === null) return [{ file, text: undefined }];
    const image = journal.image(folderId, before)?.toString("utf8");
    if (image === undefined) return [];
    const { body, description } = parseTopicFile(image);
    return [{ file, text: body.trim() === "" ? (description ?? "") : body }];
  });
}

/** What a file was before the first run of the day, and what the last one left. */
interface Span {
  readonly before: ContentHash | null;
  readonly after: ContentHash | null;
}

function spansOf(entries: readonly JournalEntry[]): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  for (const { kind, producer, ops, skipped } of entries) {
    const isPersons = kind === EDIT_KIND || producer === "person";
    let replaced = ops.filter((op) => op.before === null && restsOnPerson(op)).length;
    for (const op of ops) {
      if (skipped.includes(op.file)) continue;
      const isReplaced = op.after === null && replaced > 0;
      if (isReplaced) replaced -= 1;
      const isSaid = op.op === "updated" && restsOnPerson(op);
      if (isPersons || isReplaced || isSaid) spans.delete(op.file);
      else spans.set(op.file, joined(spans.get(op.file), op));
    }
  }
  return spans;
}

function restsOnPerson({ evidence }: JournalOp): boolean {
  return evidence.some(({ by }) => by === "user");
}

/** A file somebody else changed in between begins anew. */
function joined(span: Span | undefined, { before, after }: JournalOp): Span {
  return { before: span !== undefined && span.after === before ? span.before : before, after };
}
