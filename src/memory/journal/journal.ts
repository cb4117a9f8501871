// Before and after images of every change set: what recovery, diff and undo read. An entry is on disk before
// the first memory file changes and is closed after the last; it never holds a secret.
import { join } from "node:path";
import { MEMORY_LIMITS, STATE_LIMITS } from "../../domain/limits.ts";
import type { ContentHash } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { contentHash, runStampAt } from "../../system/ids.ts";
import { findSecrets } from "../secrets/scanner.ts";
import { type JournalEntry, parseEntry } from "./entries.ts";

/** An unfinished entry; the name says so, so that a start does not have to read years of history. */
const OPEN_SUFFIX = ".open.json";
const CLOSED_SUFFIX = ".json";
const RUN_ID = /^[\w.-]{1,100}$/;
const HASH = /^[0-9a-f]{64}$/;
/** Change sets one run commits; a run over long sessions commits once per turn. */
const SETS_PER_RUN_MAX = 100_000;

/** Where an entry is kept. */
export interface EntryRef {
  readonly folderId: string;
  /** `<run>`, or `<run>~<n>` for the n-th change set of a run. */
  readonly name: string;
}

export interface OpenEntry extends EntryRef {
  readonly entry: JournalEntry;
}

export interface Journal {
  /** Keeps an image; false when it holds a secret and only its hash may be kept. Without `flush` it may be lost. */
  keepImage(folderId: string, content: string | Buffer, options?: KeepOptions): boolean;
  /** Undefined also where a power cut left something else. */
  image(folderId: string, hash: ContentHash): Buffer | undefined;
  /** Writes an unfinished entry and flushes it. */
  open(folderId: string, entry: JournalEntry): EntryRef;
  /** Writes the finished entry, then removes the unfinished one. */
  close(ref: EntryRef, entry: JournalEntry): void;
  /** Writes an entry that was finished from the start. */
  note(folderId: string, entry: JournalEntry): void;
  /** The last hash the journal knows of each file; files it never saw are left out. */
  lastHashes(folderId: string, wanted: readonly string[]): ReadonlyMap<string, ContentHash>;
  /** Unfinished entries of a folder in order of their runs; damaged ones are set aside. */
  openEntries(folderId: string): readonly OpenEntry[];
  /** Every folder the journal knows. */
  folderIds(): readonly string[];
  /** Finished entries of a folder, oldest first. */
  entries(folderId: string, options?: EntriesAsk): readonly JournalEntry[];
  /** Finished entries of one run in a folder, in the order they were made. */
  entriesOf(folderId: string, run: string): readonly JournalEntry[];
  /** Notes which folder an id stands for, so that a start can look after it. */
  notePlace(folderId: string, memoryDir: string): void;
  placeOf(folderId: string): string | undefined;
  /** Finished entries of a folder without reading them, oldest first as far as their runs' names tell. */
  closedRefs(folderId: string): readonly EntryRef[];
  closed(ref: EntryRef): JournalEntry | undefined;
  /** Bytes of a finished entry, and when it was written. */
  factsOf(ref: EntryRef): { readonly bytes: number; readonly mtimeMs: Instant };
  /** Puts another text in the place of a finished entry; only to take words out of it. */
  rewrite(ref: EntryRef, entry: JournalEntry): void;
  remove(ref: EntryRef): void;
  imageRefs(folderId: string): readonly ImageRef[];
  dropImage(folderId: string, hash: ContentHash): void;
}

export interface KeepOptions {
  /** Waits for the disk. Default: yes. */
  readonly flush?: boolean;
}

export interface ImageRef {
  readonly hash: ContentHash;
  readonly bytes: number;
  readonly mtimeMs: Instant;
}

export interface EntriesAsk {
  /** Only of runs that began then or later. */
  readonly since?: Instant;
  /** Only the newest so many. */
  readonly max?: number;
}

interface Deps {
  readonly files: Files;
  readonly stateDir: string;
}

/** `journal/<folderId>/` below the state folder. */
export function createJournal(deps: Deps): Journal {
  const { files } = deps;
  const root = join(deps.stateDir, "journal");
  const folderOf = (folderId: string) => `${root}/${folderId}`;
  const blobOf = (folderId: string, hash: string) => `${root}/${folderId}/blobs/${hash}`;
  const loose = createLoose();
  const placeFile = (folderId: string) => join(folderOf(folderId), "place");
  return {
    keepImage(folderId, content, { flush = true } = {}) {
      const path = blobOf(folderId, contentHash(content));
      const isKept = files.look(path)?.bytes === Buffer.byteLength(content);
      if (isKept && !(flush && loose.has(path))) return true;
      if (findSecrets(content.toString()).length > 0) return false;
      files.ensureFolder(join(folderOf(folderId), "blobs"));
      files.replace(path, content, { flush });
      if (flush) loose.delete(path);
      else loose.add(path);
      return true;
    },
    image(folderId, hash) {
      const found = files.read(blobOf(folderId, hash), MEMORY_LIMITS.topicBytesMax * 2);
      return found !== undefined && contentHash(found) === hash ? found : undefined;
    },
    open(folderId, entry) {
      files.ensureFolder(folderOf(folderId));
      const ref = { folderId, name: freeName(files, folderOf(folderId), entry.run) };
      files.replace(join(folderOf(folderId), `${ref.name}${OPEN_SUFFIX}`), textOf(entry));
      return ref;
    },
    close({ folderId, name }, entry) {
      files.ensureFolder(folderOf(folderId));
      files.replace(join(folderOf(folderId), `${name}${CLOSED_SUFFIX}`), textOf(entry));
      files.remove(join(folderOf(folderId), `${name}${OPEN_SUFFIX}`));
    },
    note(folderId, entry) {
      files.ensureFolder(folderOf(folderId));
      const name = freeName(files, folderOf(folderId), entry.run);
      files.replace(join(folderOf(folderId), `${name}${CLOSED_SUFFIX}`), textOf(entry));
    },
    lastHashes: (folderId, wanted) => lastHashes(files, { folder: folderOf(folderId), wanted }),
    openEntries: (folderId) => openEntries(files, { folder: folderOf(folderId), folderId }),
    folderIds: () => (files.names(root) ?? []).filter((name) => /^[0-9a-f]{16}$/.test(name)).toSorted(),
    entries: (folderId, ask = {}) => closedEntries(files, { folder: folderOf(folderId), ...ask }),
    entriesOf: (folderId, run) => entriesOf(files, { folder: folderOf(folderId), run }),
    notePlace(folderId, memoryDir) {
      if (files.look(placeFile(folderId)) !== undefined) return;
      files.ensureFolder(folderOf(folderId));
      files.replace(placeFile(folderId), memoryDir);
    },
    placeOf: (folderId) => files.read(placeFile(folderId), STATE_LIMITS.configBytesMax)?.toString(),
    ...createShelf(files, { folderOf, blobOf }),
  };
}

/** A system writes what nobody flushed within a minute; far more than so many files nobody edits in one. */
const LOOSE_MAX = 20_000;

/** Images nobody waited for: a change set of ours that relies on one writes it again. */
function createLoose(): Pick<Set<string>, "has" | "delete" | "add"> {
  const paths = new Set<string>();
  return {
    has: (path) => paths.has(path),
    delete: (path) => paths.delete(path),
    add(path) {
      if (paths.size >= LOOSE_MAX) paths.clear();
      return paths.add(path);
    },
  };
}

type Shelf = Pick<
  Journal,
  "closedRefs" | "closed" | "factsOf" | "rewrite" | "remove" | "imageRefs" | "dropImage"
>;

interface Paths {
  folderOf(folderId: string): string;
  blobOf(folderId: string, hash: string): string;
}

/** What is finished, for whoever takes some of it away. */
function createShelf(files: Files, { folderOf, blobOf }: Paths): Shelf {
  const pathOf = ({ folderId, name }: EntryRef) => join(folderOf(folderId), `${name}${CLOSED_SUFFIX}`);
  return {
    closedRefs: (folderId) =>
      closedNames(files, folderOf(folderId)).map((name) => ({
        folderId,
        name: name.slice(0, -CLOSED_SUFFIX.length),
      })),
    closed: (ref) => readEntry(files, pathOf(ref)),
    factsOf: (ref) => files.look(pathOf(ref)) ?? { bytes: 0, mtimeMs: 0 },
    rewrite: (ref, entry) => files.replace(pathOf(ref), textOf(entry)),
    remove: (ref) => files.remove(pathOf(ref)),
    imageRefs(folderId) {
      const hashes = (files.names(join(folderOf(folderId), "blobs")) ?? []).filter((name) => HASH.test(name));
      return hashes.flatMap((hash) => {
        const facts = files.look(blobOf(folderId, hash));
        return facts === undefined ? [] : [{ hash, bytes: facts.bytes, mtimeMs: facts.mtimeMs }];
      });
    },
    dropImage: (folderId, hash) => files.remove(blobOf(folderId, hash)),
  };
}

function textOf(entry: JournalEntry): string {
  return `${JSON.stringify(entry, null, 1)}\n`;
}

function baseOf(run: string): string {
  return RUN_ID.test(run) ? run : contentHash(run).slice(0, 32);
}

function freeName(files: Files, folder: string, run: string): string {
  const base = baseOf(run);
  const taken = new Set(files.names(folder) ?? []);
  for (let set = 1; set <= SETS_PER_RUN_MAX; set++) {
    const name = set === 1 ? base : `${base}~${set}`;
    if (!taken.has(`${name}${CLOSED_SUFFIX}`) && !taken.has(`${name}${OPEN_SUFFIX}`)) return name;
  }
  throw new Error(`the run ${base} has too many change sets`);
}

function openEntries(files: Files, { folder, folderId }: { folder: string; folderId: string }): OpenEntry[] {
  const names = (files.names(folder) ?? []).filter((name) => name.endsWith(OPEN_SUFFIX)).toSorted();
  const open: OpenEntry[] = [];
  for (const fileName of names) {
    const path = join(folder, fileName);
    const name = fileName.slice(0, -OPEN_SUFFIX.length);
    const content = files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString() ?? "";
    const entry = parseEntry(content);
    const isClosed = files.look(join(folder, `${name}${CLOSED_SUFFIX}`)) !== undefined;
    if (entry !== undefined && !isClosed) open.push({ folderId, name, entry });
    else files.remove(path);
  }
  return open;
}

function closedEntries(
  files: Files,
  { folder, since, max }: EntriesAsk & { readonly folder: string },
): JournalEntry[] {
  const names = closedNames(files, folder).filter((name) => since === undefined || beganBy(name, since));
  const newest = max === undefined ? names : names.slice(Math.max(0, names.length - max));
  return newest.flatMap((name) => readEntry(files, join(folder, name)) ?? []);
}

function entriesOf(
  files: Files,
  { folder, run }: { readonly folder: string; readonly run: string },
): JournalEntry[] {
  const base = baseOf(run);
  const number = (name: string) => Number(/~(\d+)\.json$/u.exec(name)?.[1] ?? 1);
  return closedNames(files, folder)
    .filter((name) => name === `${base}${CLOSED_SUFFIX}` || name.startsWith(`${base}~`))
    .toSorted((a, b) => number(a) - number(b))
    .flatMap((name) => readEntry(files, join(folder, name)) ?? []);
}

/** A run's name begins with its time, so that years of history need not be read; one that does not is always read. */
function beganBy(name: string, since: Instant): boolean {
  const stamp = runStampAt(since);
  return !/^\d{8}T\d{9}-/.test(name) || name.slice(0, stamp.length) >= stamp;
}

function closedNames(files: Files, folder: string): string[] {
  return (files.names(folder) ?? [])
    .filter((name) => name.endsWith(CLOSED_SUFFIX) && !name.endsWith(OPEN_SUFFIX))
    .toSorted();
}

function readEntry(files: Files, path: string): JournalEntry | undefined {
  const content = files.read(path, STATE_LIMITS.stateFileBytesMax);
  return content === undefined ? undefined : parseEntry(content.toString());
}

/** Entries looked at for the last state of a file; an older image is of little use. */
const ENTRIES_SEARCHED_MAX = 2_000;

function lastHashes(
  files: Files,
  { folder, wanted }: { readonly folder: string; readonly wanted: readonly string[] },
): ReadonlyMap<string, ContentHash> {
  const missing = new Set(wanted);
  const hashes = new Map<string, ContentHash>();
  for (const name of closedNames(files, folder).toReversed().slice(0, ENTRIES_SEARCHED_MAX)) {
    if (missing.size === 0) break;
    const entry = readEntry(files, join(folder, name));
    for (const op of entry?.ops ?? []) {
      if (entry?.skipped.includes(op.file) || !missing.delete(op.file)) continue;
      if (op.after !== null) hashes.set(op.file, op.after);
    }
  }
  return hashes;
}
