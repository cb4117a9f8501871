// Where the memories of one folder come from: what each rests on, what was done to it by whom, what was taken back.
// Reads only, without the writer lock: who asks wants to know, and a commit judges for itself.
import type { ContentHash, Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import type { RemovedFacts } from "../gate/facts.ts";
import type { JournalEntry, JournalOp } from "./entries.ts";
import type { EvidenceLine } from "./evidence.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf, realPlace } from "./folder-id.ts";
import type { Parts } from "./parts.ts";

export interface Trail {
  /** What each change rested on, oldest first. */
  readonly evidence: readonly EvidenceLine[];
  readonly removed: RemovedFacts;
  /** The newest change sets, oldest first; with `since` those of runs that began then or later. */
  entries(since?: Instant): readonly JournalEntry[];
  /** So many of the newest, oldest first. */
  newest(count: number): readonly JournalEntry[];
  /** The change sets of one run. */
  entriesOf(run: string): readonly JournalEntry[];
  /** What a file was or became; undefined where no image was kept. */
  image(hash: ContentHash): string | undefined;
}

/** Change sets looked at: years of a busy project. */
const ENTRIES_MAX = 5_000;

/** A folder that is gone still has a past. Throws `memory-failed` (retry) where its path cannot be followed. */
export function trailOf(parts: Parts, memoryDir: string): Trail {
  const real = onDisk({ what: "memory", path: memoryDir }, () => realPlace(parts.files, memoryDir));
  const folderId = folderIdOf(real);
  return {
    evidence: parts.evidence.lines(folderId),
    removed: parts.refused.load(folderId),
    entries: (since) =>
      parts.journal.entries(folderId, { max: ENTRIES_MAX, ...(since === undefined ? {} : { since }) }),
    newest: (count) => parts.journal.entries(folderId, { max: Math.min(count, ENTRIES_MAX) }),
    entriesOf: (run) => parts.journal.entriesOf(folderId, run),
    image: (hash) => parts.journal.image(folderId, hash)?.toString("utf8"),
  };
}

/** One change of one file, and who made it. */
export interface FileChange extends Pick<JournalEntry, "run" | "at" | "kind" | "producer" | "trigger"> {
  readonly op: JournalOp;
}

/**
 * What was done to each file, oldest first. A file somebody else had changed meanwhile was left alone: not listed; nor is
 * one that was purged.
 */
export function changesByFile(entries: readonly JournalEntry[]): Map<string, FileChange[]> {
  const changes = new Map<string, FileChange[]>();
  for (const { run, at, kind, producer, trigger, ops, skipped } of entries) {
    for (const op of ops) {
      if (skipped.includes(op.file) || op.purged !== undefined) continue;
      const before = changes.get(op.file);
      const change = { run, at, kind, producer, trigger, op };
      if (before === undefined) changes.set(op.file, [change]);
      else before.push(change);
    }
  }
  return changes;
}

/** Files that are there no more, by what each was called last; of what was purged no name is kept. */
export function goneFilesCalled(
  name: string,
  { entries, image, live }: Pick<Trail, "entries" | "image"> & { readonly live: readonly Memory[] },
): string[] {
  const present = new Set(live.map(({ file }) => file));
  return [...changesByFile(entries())].flatMap(([file, changes]) => {
    const last = changes.at(-1)?.op;
    const hash = last?.after ?? last?.before ?? null;
    const text = present.has(file) || hash === null ? undefined : image(hash);
    return text !== undefined && parseTopicFile(text).name === name ? [file] : [];
  });
}

/** Whether a person, or the host agent, wrote what a file says now; a host that only restamps it is nobody. */
export function isByHand(
  memory: Memory,
  { changes, image }: { readonly changes: readonly FileChange[]; readonly image: Trail["image"] },
): boolean {
  const made = changes.findLastIndex(({ op }) => op.op === "created");
  const since = made === -1 ? changes : changes.slice(made);
  if (since.some(({ producer }) => producer === "hand")) return true;
  const last = since.at(-1)?.op;
  // Nothing was ever done to it by us, or what we know of it is that it is gone.
  if (last === undefined || last.after === null) return true;
  if (last.after === memory.hash) return false;
  const text = image(last.after);
  return text === undefined || !saysTheSame(parseTopicFile(text), memory);
}

type Said = Pick<Memory, "name" | "description" | "type" | "body">;

function saysTheSame(a: Said, b: Said): boolean {
  return a.name === b.name && a.description === b.description && a.type === b.type && a.body === b.body;
}
