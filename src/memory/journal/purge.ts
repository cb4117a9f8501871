// Takes every word of a memory out of what we keep of its folder: history, images, evidence, listing, unfinished files.
// Each step can be repeated, and none needs the words: files are known by the hashes of the intent. The file itself is
// removed before, by an ordinary change.
import { join } from "node:path";
import { TEMPORARY_PREFIX } from "../../system/files.ts";
import { removeLeftovers } from "../../system/leftovers.ts";
import { loadListing, saveListing } from "../files/listing.ts";
import { canonicalFile } from "../gate/facts.ts";
import type { JournalEntry, JournalOp } from "./entries.ts";
import { renamedQuotes } from "./evidence.ts";
import { onDisk } from "./failures.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";
import { type PurgeIntent, purgedName } from "./purge-intents.ts";
import { finishOpenEntries } from "./recovery.ts";
import { listingPath } from "./settle.ts";

export interface Purged {
  /** Entries of the history, images and lines of evidence that held something of it. */
  readonly entries: number;
  readonly images: number;
  readonly evidence: number;
}

/** How a file is called from now on: itself, or what stands in its place. */
function renamer({ files }: Pick<PurgeIntent, "files">): (file: string) => string {
  const meant = new Set(files);
  return (file) => {
    const name = purgedName(file);
    return meant.has(name) ? name : file;
  };
}

/**
 * Names the intent is about, as they still stand in the history and the evidence; for places where a name is a part of
 * a sentence.
 */
export async function namesToPurge(
  parts: Parts,
  intent: PurgeIntent,
  pause: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const nameOf = renamer(intent);
  const found = new Set<string>();
  const look = (file: string) => {
    if (nameOf(file) !== file) found.add(file);
  };
  for (const ref of parts.journal.closedRefs(intent.folderId)) {
    await pause();
    for (const { file } of parts.journal.closed(ref)?.ops ?? []) look(file);
  }
  for (const { file } of parts.evidence.lines(intent.folderId)) look(file);
  return found;
}

/** Works also where the folder is gone. Throws as a commit does, where it is there and cannot be had. */
export async function purgeHistory(
  parts: Parts,
  intent: PurgeIntent,
  pause: () => Promise<void>,
): Promise<Purged> {
  const { memoryDir, folderId } = intent;
  const done = await parts.folders.withFolder({ memoryDir, make: false }, async (memory) => {
    if (memory.folderId !== folderId) return undefined;
    finishOpenEntries(parts, memory);
    removeUnfinished(memory);
    return purgeState(parts, { intent, pause, present: new Set(memory.folder.names().map(canonicalFile)) });
  });
  return done ?? purgeState(parts, { intent, pause, present: new Set() });
}

interface StateAsk {
  readonly intent: PurgeIntent;
  /** Canonical names of what lies in the folder. */
  readonly present: ReadonlySet<string>;
  pause(): Promise<void>;
}

async function purgeState(parts: Parts, { intent, present, pause }: StateAsk): Promise<Purged> {
  const { folderId, at, records, texts } = intent;
  const nameOf = renamer(intent);
  const state = { what: "state", path: parts.stateDir } as const;
  const evidence = onDisk(state, () => {
    forgetListed(parts, {
      folderId,
      isGone: (file) => nameOf(file) !== file && !present.has(canonicalFile(file)),
    });
    // What it said in any version stays away, also where it was never asked to.
    parts.refused.add(folderId, texts.length === 0 ? [] : texts.map((text) => ({ at, records, text })));
    return parts.evidence.rename(folderId, nameOf);
  });
  let [entries, images] = [0, 0];
  const kept = new Map(parts.journal.imageRefs(folderId).map((image) => [image.hash, image]));
  for (const hash of intent.images) {
    await pause();
    if (!kept.has(hash)) continue;
    onDisk(state, () => parts.journal.dropImage(folderId, hash));
    images += 1;
  }
  for (const ref of parts.journal.closedRefs(folderId)) {
    await pause();
    const entry = parts.journal.closed(ref);
    const without = entry === undefined ? undefined : withoutWords(entry, nameOf, intent.called);
    if (without === undefined || without === entry) continue;
    onDisk(state, () => parts.journal.rewrite(ref, without));
    entries += 1;
  }
  onDisk(state, () =>
    removeLeftovers(parts.files, { folder: join(parts.stateDir, "journal", folderId), now: Infinity }),
  );
  return { entries, images, evidence };
}

interface ListedAsk {
  readonly folderId: string;
  isGone(file: string): boolean;
}

/** A folder that was removed as a whole is still listed. */
function forgetListed(parts: Parts, { folderId, isGone }: ListedAsk): void {
  const path = listingPath(parts, folderId);
  const listing = loadListing(parts.files, path);
  if (listing === undefined) return;
  const files = new Map([...listing.files].filter(([file]) => !isGone(file)));
  const droppedByPerson = listing.droppedByPerson.filter((file) => !isGone(file));
  if (files.size === listing.files.size && droppedByPerson.length === listing.droppedByPerson.length) return;
  saveListing(parts.files, { path, listing: { ...listing, files, droppedByPerson } });
}

/** The same entry where it says nothing of the memory. */
function withoutWords(
  entry: JournalEntry,
  nameOf: (file: string) => string,
  called: readonly string[],
): JournalEntry {
  const ops = entry.ops.map((op) => opWithoutWords(op, nameOf, called));
  const renamed = (files: readonly string[]) => files.map(nameOf);
  const skipped = renamed(entry.skipped);
  const undoes = entry.undoes?.map(({ run, files }) => ({ run, files: renamed(files) }));
  const next = { ...entry, ops, skipped, ...(undoes === undefined ? {} : { undoes }) };
  return JSON.stringify(next) === JSON.stringify(entry) ? entry : next;
}

function opWithoutWords(
  op: JournalOp,
  nameOf: (file: string) => string,
  called: readonly string[],
): JournalOp {
  const file = nameOf(op.file);
  const evidence = renamedQuotes(op.evidence, nameOf);
  if (file === op.file) return evidence === op.evidence ? op : { ...op, evidence };
  return { ...op, file, evidence, before: null, after: null, body: null, purged: called };
}

/**
 * What writes that were broken off have left may be a copy of the memory, whole or cut. We hold the lock; another engramd
 * that writes here at this very moment fails, and tries again.
 */
function removeUnfinished({ folder }: OpenMemory): void {
  for (const name of folder.names()) {
    if (name.startsWith(TEMPORARY_PREFIX) && folder.look(name)?.kind === "file") folder.remove(name);
  }
}
