// The format of a journal entry and its parser. One entry is one change set: what each file was and became.
import type { Evidence, RemovalReason, RunId } from "../../domain/changes.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import type { ContentHash } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";

export type WrittenOp = "created" | "updated" | "confirmed" | "deleted";

/** One quote as it is remembered: whose, where, when, and a hash of the words. */
export interface RecordedQuote {
  readonly id: string;
  readonly session: string;
  readonly by: Evidence["by"];
  readonly quote: string;
  readonly said: Instant | null;
  /** Of a memory: it rested on other voices than the person's when it was used, and so does what was made of it. */
  readonly hearsay?: true;
}

export interface JournalOp {
  readonly file: string;
  readonly op: WrittenOp;
  /** Hash of the file before; null where there was none. */
  readonly before: ContentHash | null;
  /** Hash of the file after; null where it was removed. */
  readonly after: ContentHash | null;
  /** Modification time the file was given; null: the time of writing. */
  readonly mtimeMs: Instant | null;
  /** Hash of the memory's body after the operation; null where it was removed. */
  readonly body: string | null;
  readonly evidence: readonly RecordedQuote[];
  /** Why it went, where a producer said so; absent for every other operation. Names and words are in the evidence. */
  readonly reason?: RemovalReason;
  /** A person took this memory back: its records and text stay away. */
  readonly takenBack: { readonly records: readonly string[]; readonly text: string } | null;
  /** Records the memory no longer rests on, as a person took them back; absent for every other operation. */
  readonly withdrawn?: readonly string[];
  /** What an undo brings back: nothing keeps its words away any more; absent for every other operation. */
  readonly lifted?: { readonly records: readonly string[]; readonly text: string };
  /** A person purged this memory: `file` and these, the names it was called, are hashes; no word of it is kept. */
  readonly purged?: readonly string[];
}

/** One run that was put back, and the files it was put back in. */
export interface UndoneRun {
  readonly run: RunId;
  readonly files: readonly string[];
}

/** `tidy`: what is wrong in it is mended. `restore`: it becomes again what it was, as long as it is still `from`. */
export type IndexWork =
  | { readonly kind: "tidy" }
  | { readonly kind: "restore"; readonly from: ContentHash; readonly to: ContentHash };

export interface JournalEntry {
  readonly v: 1;
  readonly run: RunId;
  /** Kind of the job, or `edit` for changes made by hand. */
  readonly kind: string;
  readonly trigger: string;
  readonly producer: string;
  /** ISO time of the commit. */
  readonly at: string;
  readonly project: { readonly id: string; readonly root: string };
  readonly memoryDir: string;
  /** Identity of the folder the files were in. */
  readonly dirFileId: string;
  /** The folder did not exist and was made for this entry. */
  readonly madeFolder: boolean;
  /** ISO time of the last step; null while unfinished. */
  readonly finished: string | null;
  readonly ops: readonly JournalOp[];
  /** Files left alone because somebody else had changed them meanwhile. */
  readonly skipped: readonly string[];
  readonly index: { readonly before: ContentHash | null; readonly after: ContentHash | null };
  /** The index was changed for its own sake: images of it are kept, and an undo puts it back. */
  readonly indexWork?: IndexWork;
  /** Runs whose changes this one put back; absent for everything but an undo. */
  readonly undoes?: readonly UndoneRun[];
}

/** Kind of an entry for changes made by hand. */
export const EDIT_KIND = "edit";
export const UNDO_KIND = "undo";

/** Reads an entry; undefined for anything that is not one. */
export function parseEntry(text: string): JournalEntry | undefined {
  // A torn entry was never acted on: memory files follow the flushed entry.
  const value = parseJson(text);
  return isEntry(value) ? value : undefined;
}

function isEntry(value: unknown): value is JournalEntry {
  if (!isFields(value) || value["v"] !== 1) return false;
  const texts = [
    value["run"],
    value["kind"],
    value["trigger"],
    value["at"],
    value["memoryDir"],
    value["dirFileId"],
  ];
  return (
    texts.every((text) => typeof text === "string") &&
    Array.isArray(value["ops"]) &&
    value["ops"].every(isOp) &&
    isFields(value["project"]) &&
    isFields(value["index"]) &&
    (value["indexWork"] === undefined || isIndexWork(value["indexWork"])) &&
    (value["undoes"] === undefined || (Array.isArray(value["undoes"]) && value["undoes"].every(isUndone)))
  );
}

function isIndexWork(value: unknown): value is IndexWork {
  if (!isFields(value)) return false;
  const { kind, from, to } = value;
  return kind === "tidy" || (kind === "restore" && typeof from === "string" && typeof to === "string");
}

function isUndone(value: unknown): value is UndoneRun {
  return isFields(value) && typeof value["run"] === "string" && Array.isArray(value["files"]);
}

function isOp(value: unknown): value is JournalOp {
  if (!isFields(value)) return false;
  return (
    typeof value["file"] === "string" &&
    isHash(value["before"]) &&
    isHash(value["after"]) &&
    Array.isArray(value["evidence"])
  );
}

function isHash(value: unknown): boolean {
  return value === null || (typeof value === "string" && /^[0-9a-f]{64}$/.test(value));
}
