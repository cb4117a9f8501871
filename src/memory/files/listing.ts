// Our last listing of a memory folder, and what changed since. It is how a person's edits are told from our own
// writes. File names are keys of maps, never of plain objects: a file may be called `__proto__.md`.
import { isFields, parseJson } from "../../domain/json.ts";
import type { Memory } from "../../domain/memories.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { contentHash } from "../../system/ids.ts";
import { parseIndex } from "./index-lines.ts";
import type { FolderView } from "./store.ts";

export interface ListedFile {
  /** Hash of name, description, type and body; bookkeeping keys do not count. */
  readonly contentHash: string;
  /** Whether the index had a line for it. */
  readonly line: boolean;
}

export interface Listing {
  readonly v: 1;
  readonly files: ReadonlyMap<string, ListedFile>;
  /** Files whose index line the person took out; it is not added again. */
  readonly droppedByPerson: readonly string[];
}

export interface ListingChanges {
  readonly added: readonly string[];
  readonly edited: readonly string[];
  /** Gone for good: neither a placeholder nor something else now carries the name. */
  readonly vanished: readonly string[];
  readonly linesDroppedByPerson: readonly string[];
  readonly unchanged: boolean;
}

/**
 * The listing to keep after our own write (or after the changes were dealt with). Carries over what the person had
 * dropped before; lines that are missing now are ours to explain, so the caller first asks `diffListing` and adds them
 * with `withDropped`.
 */
export function listingOf(view: FolderView, previous?: Listing): Listing {
  const lines = indexedFiles(view);
  const files = new Map<string, ListedFile>();
  for (const memory of view.memories) {
    files.set(memory.file, { contentHash: memoryContentHash(memory), line: lines.has(memory.file) });
  }
  // What is only not downloaded has not vanished and is not new when it comes back.
  for (const file of [...view.unavailable, ...view.notMemories.map((item) => item.file)]) {
    const known = previous?.files.get(file);
    if (known !== undefined) files.set(file, known);
  }
  const droppedByPerson = (previous?.droppedByPerson ?? []).filter(
    (file) => files.has(file) && !lines.has(file),
  );
  return { v: 1, files, droppedByPerson };
}

/** Adds lines the person took out of the index. */
export function withDropped(listing: Listing, files: readonly string[]): Listing {
  return { ...listing, droppedByPerson: [...new Set([...listing.droppedByPerson, ...files])] };
}

/** The first listing changes nothing. A rename is one file vanished and one added with the same content. */
export function diffListing(previous: Listing | undefined, view: FolderView): ListingChanges {
  if (previous === undefined) {
    return { added: [], edited: [], vanished: [], linesDroppedByPerson: [], unchanged: true };
  }
  const lines = indexedFiles(view);
  const now = new Map(view.memories.map((memory) => [memory.file, memoryContentHash(memory)]));
  const present = new Set([...now.keys(), ...view.unavailable, ...view.notMemories.map((item) => item.file)]);
  const known = [...previous.files];
  const added = [...now.keys()].filter((file) => !previous.files.has(file));
  const edited = known
    .filter(([file, old]) => now.has(file) && now.get(file) !== old.contentHash)
    .map(([file]) => file);
  const vanished = known.filter(([file]) => !present.has(file)).map(([file]) => file);
  const linesDroppedByPerson = known
    .filter(([file, old]) => old.line && now.has(file) && !lines.has(file))
    .map(([file]) => file);
  const unchanged = [added, edited, vanished, linesDroppedByPerson].every((files) => files.length === 0);
  return { added, edited, vanished, linesDroppedByPerson, unchanged };
}

/** Hash of what a person would call the memory's content. */
export function memoryContentHash(memory: Pick<Memory, "name" | "description" | "type" | "body">): string {
  const { name = null, description = null, type = null, body } = memory;
  return contentHash(JSON.stringify([name, description, type, body.replaceAll("\r\n", "\n")]));
}

function indexedFiles(view: FolderView): ReadonlySet<string> {
  return new Set(parseIndex(view.index.text ?? "").flatMap((line) => line.links));
}

/** Undefined when there is none, or none that can be read: then it is first sight again. */
export function loadListing(files: Files, path: string): Listing | undefined {
  const content = files.read(path, STATE_LIMITS.stateFileBytesMax);
  if (content === undefined) return undefined;
  return parseListing(parseJson(content.toString("utf8")));
}

export function saveListing(
  files: Files,
  { path, listing }: { readonly path: string; readonly listing: Listing },
): void {
  // An array of pairs: no name can collide with a property of an object.
  const { v, droppedByPerson } = listing;
  const rows = [...listing.files].map(([file, { contentHash: hash, line }]) => ({
    file,
    contentHash: hash,
    line,
  }));
  files.replace(path, `${JSON.stringify({ v, files: rows, droppedByPerson })}\n`);
}

function parseListing(value: unknown): Listing | undefined {
  if (!isFields(value) || value["v"] !== 1 || !Array.isArray(value["files"])) return undefined;
  const files = new Map<string, ListedFile>();
  for (const row of value["files"] as unknown[]) {
    if (!isFields(row)) return undefined;
    const { file, contentHash: hash, line } = row;
    if (typeof file !== "string" || typeof hash !== "string" || typeof line !== "boolean") return undefined;
    files.set(file, { contentHash: hash, line });
  }
  const dropped: unknown[] = Array.isArray(value["droppedByPerson"]) ? value["droppedByPerson"] : [];
  return { v: 1, files, droppedByPerson: dropped.filter((file) => typeof file === "string") };
}
