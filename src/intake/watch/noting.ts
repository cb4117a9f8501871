// What a walk notes of the folders it lists, and whether a folder still looks as noted. Counts and compares only;
// which folders are listed is the walk's to decide.
import type { FileFacts, FolderEntry } from "../../system/files.ts";
import type { FolderNote, RootNotes } from "./folder-notes.ts";
import { blankNote, noteKey, willShow } from "./folder-notes.ts";

/** A file that is known, as whoever knows it keeps it. */
export type KnownFile = Pick<FileFacts, "bytes" | "mtimeMs" | "ctimeMs"> & { readonly path: string };

/** A folder right before it is listed. */
export type FolderSeen = Pick<FileFacts, "mtimeMs" | "ctimeMs">;

/** Makes a walk note the folders it lists, and pass by those that still look as noted. */
export interface Noting {
  /** Brought up to date in place. */
  readonly notes: RootNotes;
  /** All files known when the walk begins; those that no listing shows are looked at after it. */
  readonly known: readonly KnownFile[];
  /** Known files that were met: in a listing, as whoever answers `recall` adds them here, or without one. */
  readonly met: string[];
  /** Wanted files noted in the folders passed by, less the known ones met there. Other than 0: list everything. */
  missing: number;
  /** A note became another one. */
  changed: boolean;
}

/** What is being noted of a folder while it is listed. */
export interface Draft {
  readonly note: FolderNote;
  readonly seen: FolderSeen | undefined;
  /** Notes of its folders so far. */
  readonly before: ReadonlyMap<string, FolderNote>;
  /** Counts of the walk before this folder. */
  readonly files: number;
  readonly wanted: number;
}

export function startNoting(notes: RootNotes, known: readonly KnownFile[]): Noting {
  return { notes, known, met: [], missing: 0, changed: false };
}

/** The note of a root, a new one if there is none. */
export function rootNote({ notes }: Noting, root: { path: string; depth: number }): FolderNote {
  const key = noteKey(root);
  const note = notes.get(key) ?? blankNote(key);
  notes.set(key, note);
  return note;
}

/** The times are the kernel's and nobody can set the first of them back. */
export function isAsNoted(note: FolderNote, seen: FolderSeen): boolean {
  return note.ctimeMs === seen.ctimeMs && note.mtimeMs === seen.mtimeMs;
}

export function startDraft(draft: Omit<Draft, "before">): Draft {
  const { note } = draft;
  const before = new Map(note.folders.map((folder) => [folder.name, folder]));
  note.folders = [];
  return { ...draft, before };
}

/** The note of a folder inside the one that is listed. */
export function noteInside({ note, before }: Draft, name: string): FolderNote {
  const folder = before.get(name) ?? blankNote(name);
  note.folders.push(folder);
  return folder;
}

/** What a name that is not UTF-8 is decoded to; such a path then leads nowhere, and only a listing counts it. */
const REPLACEMENT_CHARACTER = "\uFFFD";

export interface Listed {
  readonly entries: readonly FolderEntry[];
  /** Counts of the walk after this folder. */
  readonly files: number;
  readonly wanted: number;
  /** Wall time before the walk listed anything. */
  readonly startedAtMs: number;
}

/** All its entries were visited. */
export function finishDraft(noting: Noting, draft: Draft, listed: Listed): void {
  const { note, seen } = draft;
  const isOdd = listed.entries.some(({ name }) => name.includes(REPLACEMENT_CHARACTER));
  const trusted =
    seen !== undefined && !isOdd && willShow(seen.ctimeMs, listed.startedAtMs) ? seen : undefined;
  if (note.ctimeMs !== 0 || trusted !== undefined) noting.changed = true;
  note.ctimeMs = trusted?.ctimeMs ?? 0;
  note.mtimeMs = trusted?.mtimeMs ?? 0;
  note.files = listed.files - draft.files;
  note.wanted = listed.wanted - draft.wanted;
}
