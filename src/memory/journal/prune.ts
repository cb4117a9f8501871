// Keeps the history within its age and its size: the oldest change sets go first, then the images nothing names any more.
// What is open stays, and so does what today is judged by: for each memory that is there, its newest change, and
// that somebody edited it by hand.
import { HISTORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash } from "../../domain/memories.ts";
import { createBreather } from "../../system/breather.ts";
import { loadListing } from "../files/listing.ts";
import { runStampAt } from "../../system/ids.ts";
import { EDIT_KIND, type JournalEntry } from "./entries.ts";
import type { EntryRef, ImageRef } from "./journal.ts";
import type { Parts } from "./parts.ts";
import { finishOpenEntries } from "./recovery.ts";
import { listingPath } from "./settle.ts";

export interface PruneAsk {
  readonly historyDays: number;
  /** Default: `HISTORY_LIMITS`. */
  readonly limits?: Partial<Record<keyof typeof HISTORY_LIMITS, number>>;
}

const DAY_MS = 86_400_000;
const RUN_STAMP = /^\d{8}T\d{9}-/;

/** One folder that cannot be had now keeps no other from being pruned. */
export async function pruneHistory(parts: Parts, { historyDays, limits }: PruneAsk): Promise<number> {
  const bounds = { ...HISTORY_LIMITS, ...limits };
  const sizes: { readonly folderId: string; readonly bytes: number }[] = [];
  const pause = createBreather(parts.clock);
  for (const folderId of parts.journal.folderIds()) {
    sizes.push({ folderId, bytes: await bytesOf(parts, folderId, pause) });
  }
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  // Over the bound of all, each gives up the same share.
  const share = Math.min(1, bounds.allBytesMax / Math.max(1, all));
  let removed = 0;
  for (const { folderId, bytes } of sizes) {
    const bytesMax = Math.min(bounds.folderBytesMax, Math.floor(bytes * share));
    const before = parts.clock.now() - historyDays * DAY_MS;
    const ask = { folderId, before, bytes, bytesMax, removedMax: bounds.removedMax - removed };
    if (ask.removedMax <= 0) break;
    if (bytes <= bytesMax && !hasOlder(parts, folderId, before)) continue;
    removed += await pruneFolder(parts, { ...ask, orphanMs: bounds.orphanMs });
  }
  return removed;
}

async function bytesOf({ journal }: Parts, folderId: string, pause: () => Promise<void>): Promise<number> {
  let sum = journal.imageRefs(folderId).reduce((bytes, image) => bytes + image.bytes, 0);
  for (const ref of journal.closedRefs(folderId)) {
    await pause();
    sum += journal.factsOf(ref).bytes;
  }
  return sum;
}

/** A run's name begins with its time; one that does not is judged by its file. */
function hasOlder({ journal }: Parts, folderId: string, before: number): boolean {
  const stamp = runStampAt(before);
  return journal
    .closedRefs(folderId)
    .some((ref) => (RUN_STAMP.test(ref.name) ? ref.name < stamp : journal.factsOf(ref).mtimeMs < before));
}

interface FolderAsk {
  readonly folderId: string;
  /** Older is too old. */
  readonly before: number;
  readonly bytes: number;
  readonly bytesMax: number;
  readonly removedMax: number;
  readonly orphanMs: number;
}

async function pruneFolder(parts: Parts, ask: FolderAsk): Promise<number> {
  const memoryDir = parts.journal.placeOf(ask.folderId);
  if (memoryDir === undefined) return 0;
  try {
    const removed = await parts.folders.withFolder({ memoryDir, make: false }, (memory) => {
      if (memory.folderId !== ask.folderId) return 0;
      finishOpenEntries(parts, memory);
      // One that was removed and nobody has noticed yet: its text is still asked for.
      const listed = loadListing(parts.files, listingPath(parts, memory.folderId))?.files.keys() ?? [];
      return pruneNow(parts, { ...ask, present: new Set([...memory.folder.names(), ...listed]) });
    });
    // A folder that is not there may only be not mounted: nothing is known of what it holds.
    return removed ?? 0;
  } catch (error) {
    parts.log.warn("memory:not-pruned", { memoryDir, message: String(error) });
    return 0;
  }
}

/** One run: its change sets go together or stay together, as an undo takes them. */
interface RunInHistory {
  readonly refs: EntryRef[];
  readonly entries: JournalEntry[];
  bytes: number;
}

async function pruneNow(
  parts: Parts,
  ask: FolderAsk & { readonly present: ReadonlySet<string> },
): Promise<number> {
  const { journal, clock } = parts;
  const pause = createBreather(clock);
  const runs = new Map<string, RunInHistory>();
  for (const ref of journal.closedRefs(ask.folderId)) {
    await pause();
    const entry = journal.closed(ref);
    if (entry === undefined) continue;
    const known = runs.get(entry.run) ?? { refs: [], entries: [], bytes: 0 };
    runs.set(entry.run, known);
    known.refs.push(ref);
    known.entries.push(entry);
    known.bytes += journal.factsOf(ref).bytes;
  }
  const images = new Map(journal.imageRefs(ask.folderId).map((image) => [image.hash, image]));
  const gone = runsToGo([...runs], { ...ask, images });
  for (const { refs } of gone.runs) {
    await pause();
    for (const ref of refs) journal.remove(ref);
  }
  for (const image of images.values()) {
    await pause();
    const isYoung = image.mtimeMs > clock.now() - ask.orphanMs;
    if (gone.named.has(image.hash) || (isYoung && !gone.unnamed.has(image.hash))) continue;
    journal.dropImage(ask.folderId, image.hash);
  }
  return gone.runs.reduce((sum, { refs }) => sum + refs.length, 0);
}

interface GoAsk extends FolderAsk {
  readonly present: ReadonlySet<string>;
  readonly images: ReadonlyMap<ContentHash, ImageRef>;
}

interface Going {
  readonly runs: readonly RunInHistory[];
  /** Images that what stays names, and those that only what goes named. */
  readonly named: ReadonlySet<ContentHash>;
  readonly unnamed: ReadonlySet<ContentHash>;
}

function runsToGo(found: readonly (readonly [string, RunInHistory])[], ask: GoAsk): Going {
  const oldestFirst = found.toSorted(([, a], [, b]) => (newestAt(a) < newestAt(b) ? -1 : 1));
  const needed = neededRuns(oldestFirst, ask.present);
  const uses = new Map<ContentHash, number>();
  for (const [, run] of oldestFirst)
    for (const hash of imagesOf(run)) uses.set(hash, (uses.get(hash) ?? 0) + 1);
  const stays = new Set<string>();
  const gone: RunInHistory[] = [];
  const unnamed = new Set<ContentHash>();
  let [bytes, sets] = [ask.bytes, 0];
  for (const [id, run] of oldestFirst) {
    const isOver = Date.parse(newestAt(run)) < ask.before || bytes > ask.bytesMax;
    // An undo tells that what it put back does not stand any more, for as long as that is told.
    const undoes = run.entries.some(
      (entry) => entry.undoes?.some((undone) => stays.has(undone.run)) === true,
    );
    if (!isOver || undoes || needed.has(id) || sets + run.refs.length > ask.removedMax) {
      stays.add(id);
      continue;
    }
    gone.push(run);
    sets += run.refs.length;
    bytes -= run.bytes;
    for (const hash of imagesOf(run)) {
      const left = (uses.get(hash) ?? 0) - 1;
      uses.set(hash, left);
      if (left > 0) continue;
      unnamed.add(hash);
      bytes -= ask.images.get(hash)?.bytes ?? 0;
    }
  }
  const named = new Set([...uses].flatMap(([hash, count]) => (count > 0 ? [hash] : [])));
  return { runs: gone, named, unnamed };
}

function newestAt({ entries }: RunInHistory): string {
  return entries.reduce((newest, { at }) => (at > newest ? at : newest), "");
}

function imagesOf({ entries }: RunInHistory): ReadonlySet<ContentHash> {
  const ops = entries.flatMap((entry) => entry.ops);
  const indexes = entries.flatMap(({ index, indexWork }) => (indexWork === undefined ? [] : [index]));
  return new Set([...ops, ...indexes].flatMap(({ before, after }) => [before ?? [], after ?? []].flat()));
}

/**
 * By its newest change a later edit by hand is told, and its text is known when the file is removed; and a file that
 * was once the person's is never taken for ours.
 */
function neededRuns(
  oldestFirst: readonly (readonly [string, RunInHistory])[],
  present: ReadonlySet<string>,
): ReadonlySet<string> {
  const newest = new Map<string, string>();
  const byHand = new Map<string, string>();
  for (const [id, { entries }] of oldestFirst) {
    for (const { kind, ops, skipped } of entries) {
      for (const { file, op } of ops) {
        if (!present.has(file) || skipped.includes(file)) continue;
        newest.set(file, id);
        if (op === "created") byHand.delete(file);
        if (kind === EDIT_KIND) byHand.set(file, id);
      }
    }
  }
  return new Set([...newest.values(), ...byHand.values()]);
}
