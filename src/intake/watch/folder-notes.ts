// How each folder looked when a round last listed it from end to end, so that the first round after a start need not
// list it again. A hint beside the disk: whatever is odd about a note means "list it". Knows nothing of transcripts.
import { join } from "node:path";
import { AppError, systemCode } from "../../domain/errors.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import { VERSION } from "../../domain/version.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";

/** One folder. A walk brings it up to date in place while it lists the folder. */
export interface FolderNote {
  readonly name: string;
  /** Its times right before it was listed; 0 where that listing cannot be trusted. */
  ctimeMs: number;
  mtimeMs: number;
  /** Regular files in it. */
  files: number;
  /** Of these the ones that are wanted. */
  wanted: number;
  /** Its folders, as far as a walk enters them. */
  folders: FolderNote[];
}

/** Notes of roots by `noteKey`. */
export type RootNotes = Map<string, FolderNote>;

export interface FolderNotesDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly stateDir: string;
}

export interface FolderNotes {
  /** What the last engramd noted; nothing when the file is missing, damaged, unreadable or another version's. */
  load(): RootNotes;
  /** Whether a round that lists everything shall note it. Asked once a round: a yes counts as done. */
  isTurn(): boolean;
  /** Writes nothing when the file says the same. Throws for a failing disk. */
  save(notes: RootNotes): void;
}

/** A folder that changed since it was noted is listed, which takes 10 us: a day's changes may pile up. */
const NOTE_EVERY_MS = 86_400_000;

/**
 * A folder that changed this shortly before it was listed may change again within one tick of its file system's
 * clock, and no time would tell. The longest tick is FAT's.
 */
const RACY_MS = 2_000;

export function createFolderNotes({ files, clock, stateDir }: FolderNotesDeps): FolderNotes {
  const folder = join(stateDir, "cursors");
  const path = join(folder, "folders.json");
  let notedAtMs: number | undefined;
  return {
    load: () => parseNotes(readText(files, path)),
    isTurn() {
      const nowMs = clock.monotonicMs();
      if (notedAtMs !== undefined && nowMs - notedAtMs < NOTE_EVERY_MS) return false;
      notedAtMs = nowMs;
      return true;
    },
    save(notes) {
      const text = textOf(notes);
      if (text === readText(files, path)) return;
      files.ensureFolder(folder);
      files.replace(path, text);
    },
  };
}

/** A root that is walked to another depth has other folders noted. */
export function noteKey({ path, depth }: { readonly path: string; readonly depth: number }): string {
  return `${depth}:${path}`;
}

export function blankNote(name: string): FolderNote {
  return { name, ctimeMs: 0, mtimeMs: 0, files: 0, wanted: 0, folders: [] };
}

/** Whether a change after now will show in the folder's times. A file system that keeps none says 0 for ever. */
export function willShow(ctimeMs: number, nowMs: number): boolean {
  return ctimeMs > 0 && ctimeMs <= nowMs - RACY_MS;
}

/** Without notes everything is listed, so a file that cannot be read is as good as none. */
function readText(files: Files, path: string): string | undefined {
  try {
    return files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString("utf8");
  } catch (error) {
    if (error instanceof AppError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Name, ctime, mtime, files, wanted, folders. */
type Row = readonly [string, number, number, number, number, readonly unknown[]];

function textOf(notes: RootNotes): string {
  return `${JSON.stringify({ v: 1, by: VERSION, roots: [...notes.values()].map(rowOf) })}\n`;
}

function rowOf({ name, ctimeMs, mtimeMs, files, wanted, folders }: FolderNote): Row {
  return [name, ctimeMs, mtimeMs, files, wanted, folders.map(rowOf)];
}

/** One bad row and nothing of it is believed. */
function parseNotes(text: string | undefined): RootNotes {
  const notes: RootNotes = new Map();
  const value = text === undefined ? undefined : parseJson(text);
  if (!isFields(value)) return notes;
  const { v, by, roots } = value;
  if (v !== 1 || by !== VERSION || !Array.isArray(roots)) return notes;
  for (const row of roots) {
    const note = parseRow(row, LEVELS_MAX);
    if (note === undefined) return new Map();
    notes.set(note.name, note);
  }
  return notes;
}

/** No root is walked deeper; the bound is for a file that is not ours. */
const LEVELS_MAX = 16;

/**
 * Takes the row apart by index and asks nobody: patterns and small functions are compiled on their own as soon as some
 * thousand folders went through them, which costs several times what they do.
 */
function parseRow(row: unknown, levels: number): FolderNote | undefined {
  if (!Array.isArray(row) || levels === 0) return undefined;
  const cells: readonly unknown[] = row;
  const name = cells[0];
  const ctimeMs = cells[1];
  const mtimeMs = cells[2];
  const files = cells[3];
  const wanted = cells[4];
  const rows = cells[5];
  if (typeof name !== "string" || typeof ctimeMs !== "number" || typeof mtimeMs !== "number")
    return undefined;
  if (typeof files !== "number" || typeof wanted !== "number" || !Array.isArray(rows)) return undefined;
  // A folder's name leads to something in its parent and nowhere else; a root's is its key.
  const isInside = levels < LEVELS_MAX;
  if (isInside && (name.includes("/") || name === "" || name === "." || name === "..")) return undefined;
  const folders: FolderNote[] = [];
  for (let at = 0; at < rows.length; at++) {
    const folder = parseRow(rows[at], levels - 1);
    if (folder === undefined) return undefined;
    folders.push(folder);
  }
  return { name, ctimeMs, mtimeMs, files, wanted, folders };
}
