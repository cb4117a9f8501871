// `project move`: takes a project's memory to another folder. Copies and checks in a folder of its own, puts that in
// place, switches, and only then gives the old folder another name: killed anywhere, old or new is in force and whole,
// and a second move finishes. Never replaces a file.
import { basename, dirname, join } from "node:path";
import { AppError, messageOf, systemCode } from "../../domain/errors.ts";
import type { MoveReply } from "../../domain/projects.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { ProjectMove } from "../../intake/projects/register.ts";
import type { Places } from "../../intake/projects/places.ts";
import { folderIdOf } from "../../memory/journal/folder-id.ts";
import { copyKnowledge, takeHistoryAlong } from "../../memory/journal/relocate.ts";
import type { FileLocks, Lock } from "../../system/file-lock.ts";
import type { Files } from "../../system/files.ts";
import { TEMPORARY_PREFIX } from "../../system/files.ts";
import { placeFile, renameFree } from "../../system/placing.ts";
import { removeEmptyFolder, removeFolder } from "../../system/removal.ts";

export interface MoveDeps {
  readonly files: Files;
  readonly locks: FileLocks;
  readonly places: Places;
  readonly stateDir: string;
  /** Ends the jobs of a folder; resolves when none runs, false when one does not end. */
  settleJobs(memoryDir: string): Promise<boolean>;
}

/** A move as it was decided on. */
export interface Move {
  readonly project: ProjectRef;
  readonly from: string;
  readonly to: string;
  /** ISO time. */
  readonly at: string;
  readonly back: boolean;
  /** What was moved before is in force already, and only to be finished. */
  readonly unfinished: ProjectMove | undefined;
}

/** Where everything is now; real paths. */
export interface Moved {
  readonly to: string;
  readonly kept: string;
}

/** What lies in a memory folder, relative to it. */
export interface Content {
  readonly files: readonly string[];
  readonly conflicts: MoveReply["conflicts"];
}

/** Everything is done in one go, with nothing else running; larger folders are moved by hand. */
const FILES_MAX = 2_000;
const BYTES_MAX = 64 * 1_048_576;
const FILE_BYTES_MAX = 8 * 1_048_576;
/** Daily logs lie three folders down. */
const LEVELS_MAX = 6;
const LOCK_WAIT_MS = 10_000;

/** What would be moved, and what is in the way. Throws `unsafe-file` for what is no plain file. */
export function lookAtContent(
  { files }: Pick<MoveDeps, "files">,
  { from, to }: Pick<Move, "from" | "to">,
): Content {
  const found = listFiles(files, from);
  const conflicts = found.flatMap((name) => {
    const [mine, theirs] = [join(from, name), join(to, name)];
    if (files.look(theirs) === undefined) return [];
    return sameContent(files, mine, theirs) ? [] : [{ from: mine, to: theirs }];
  });
  return { files: found, conflicts };
}

function sameContent(files: Files, a: string, b: string): boolean {
  if (files.look(b)?.kind !== "file") return false;
  return readFile(files, a).equals(readFile(files, b));
}

function listFiles(files: Files, folder: string): string[] {
  const found: string[] = [];
  let bytes = 0;
  const visit = (prefix: string, level: number): void => {
    for (const name of (files.names(join(folder, prefix)) ?? []).toSorted()) {
      const path = join(prefix, name);
      const facts = files.look(join(folder, path));
      if (facts === undefined || name.startsWith(TEMPORARY_PREFIX)) continue;
      bytes += facts.kind === "file" ? facts.bytes : 0;
      if (facts.kind === "folder" && level < LEVELS_MAX) visit(path, level + 1);
      else if (facts.kind === "file") found.push(path);
      else throw notPlain(join(folder, path));
      if (found.length > FILES_MAX || bytes > BYTES_MAX) throw tooLarge(folder);
    }
  };
  visit("", 0);
  return found;
}

/** Throws `project-busy` (retry) where somebody else writes there, `project-move-failed` for a disk that refuses. */
export async function performMove(deps: MoveDeps, wanted: Move): Promise<Moved> {
  const held: Lock[] = [];
  const move = withRealPath(deps.files, wanted);
  try {
    for (const id of [move.from, move.to].map((place) => folderIdOf(place)).toSorted()) {
      const lock = await deps.locks.take(`memory-${id}`, { waitMs: LOCK_WAIT_MS });
      if (lock === undefined) throw busy(move);
      held.push(lock);
    }
    if (!(await deps.settleJobs(move.from))) throw busy(move);
    // From here on nothing is waited for, so that nothing comes in between.
    return move.unfinished === undefined
      ? moveNow(deps, move)
      : finish(deps, { ...move, note: move.unfinished });
  } finally {
    for (const lock of held) await lock.release();
  }
}

/** Our state knows a folder by its real path. */
function withRealPath(files: Files, move: Move): Move {
  const parent = dirname(move.to);
  files.ensureFolder(parent);
  return { ...move, to: join(files.real(parent) ?? parent, basename(move.to)) };
}

/** Removes what a broken off move has copied; the old folder was in force all the time. */
export function abandonMove({ places }: MoveDeps, project: ProjectRef, last: ProjectMove): void {
  removeFolder(stagingOf(last.to));
  places.moves.noteMove(project, { ...last, from: last.to, to: last.from, back: !last.back, step: "done" });
  places.save();
}

/** Where a move copies to before anything is in force. */
export function stagingOf(to: string): string {
  return join(dirname(to), `${TEMPORARY_PREFIX}moving-${basename(to)}`);
}

function moveNow(deps: MoveDeps, move: Move): Moved {
  const { files, places, stateDir } = deps;
  const { project, from, to, at, back } = move;
  const kept = freeName(files, `${from}.moved-${at.slice(0, "YYYY-MM-DD".length).replaceAll("-", "")}`);
  const note: ProjectMove = { from, to, at, kept, back, step: "copying" };
  places.moves.noteMove(project, note);
  places.save();
  const staging = stagingOf(to);
  removeFolder(staging);
  files.ensureFolder(staging);
  copyChecked(files, { from, to: staging });
  putInPlace(files, { staging, to });
  copyKnowledge({ files, stateDir, from, to });
  const switched: ProjectMove = { ...note, step: "switched" };
  places.moves.move(project, to, switched);
  places.save();
  return finish(deps, { ...move, note: switched });
}

/** The new folder is in force; what is left is to be done as often as it takes. */
function finish(
  { files, places, stateDir }: MoveDeps,
  { project, note }: Move & { readonly note: ProjectMove },
): Moved {
  const { from, to, kept } = note;
  takeHistoryAlong({ files, stateDir, from, to });
  const old = putAside(files, from, kept);
  places.moves.noteMove(project, { ...note, kept: old, step: "done" });
  places.save();
  places.recheck();
  return { kept: old, to };
}

/** Where the old folder is then: a volume of its own cannot get another name, and is no reason never to be done. */
function putAside(files: Files, from: string, kept: string): string {
  try {
    renameFree(files, from, kept);
    return kept;
  } catch (error) {
    if (!["EBUSY", "EXDEV"].includes(systemCode(error) ?? "")) throw error;
    return from;
  }
}

interface Way {
  readonly from: string;
  readonly to: string;
}

/** Reads back every file: a disk that lies must not cost a memory. */
function copyChecked(files: Files, { from, to }: Way): void {
  for (const name of listFiles(files, from)) {
    const path = join(to, name);
    const content = readFile(files, join(from, name));
    files.ensureFolder(dirname(path));
    files.replace(path, content, { mtimeMs: files.look(join(from, name))?.mtimeMs ?? 0 });
    if (!readFile(files, path).equals(content)) throw failed(`${path} is not what was written`);
    if (!readFile(files, join(from, name)).equals(content))
      throw failed(`${join(from, name)} changes right now`);
  }
}

/** In one step where nothing is there yet, else file by file, each only where its name is free. */
function putInPlace(files: Files, { staging, to }: { readonly staging: string; readonly to: string }): void {
  removeEmptyFolder(to);
  if (renameFree(files, staging, to)) return;
  for (const name of listFiles(files, staging)) {
    const path = join(to, name);
    const content = readFile(files, join(staging, name));
    files.ensureFolder(dirname(path));
    const mtimeMs = files.look(join(staging, name))?.mtimeMs ?? 0;
    if (placeFile(files, { path, content, mtimeMs }) || sameContent(files, join(staging, name), path))
      continue;
    throw failed(`${path} appeared meanwhile`);
  }
  removeFolder(staging);
}

function readFile(files: Files, path: string): Buffer {
  try {
    return files.read(path, FILE_BYTES_MAX) ?? Buffer.alloc(0);
  } catch (error) {
    throw failed(messageOf(error), error);
  }
}

const NAMES_MAX = 100;

function freeName(files: Files, wanted: string): string {
  for (let count = 1; count <= NAMES_MAX; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (files.look(name) === undefined) return name;
  }
  throw failed(`${wanted} and ${NAMES_MAX} names like it are taken`);
}

function busy({ from }: Move): AppError {
  return new AppError({
    code: "project-busy",
    message: `somebody writes in ${from} right now`,
    fix: "try again in a moment",
    disposition: "retry",
  });
}

function failed(why: string, cause?: unknown): AppError {
  return new AppError({
    code: "project-move-failed",
    message: `the memory was not moved: ${why}`,
    fix: "nothing is lost; try again",
    disposition: "retry",
    cause,
  });
}

function notPlain(path: string): AppError {
  return new AppError({
    code: "unsafe-file",
    message: `${path} is no plain file`,
    fix: "move it out of the memory folder, then try again",
  });
}

function tooLarge(folder: string): AppError {
  return new AppError({
    code: "project-too-large",
    message: `${folder} has more than ${FILES_MAX} files or ${BYTES_MAX / 1_048_576} MiB`,
    fix: "tidy it first: nothing of that size is memory",
  });
}
