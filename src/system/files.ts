// Every durable file operation. Synchronous on purpose: our files are small, one tick cannot interleave
// with another job, and a walk costs a fifth of the promise API's CPU (measured).
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, systemCode } from "../domain/errors.ts";
import { markedName } from "./process-mark.ts";

/** The primitive calls everything below is made of, so that tests can fail the N-th one. */
export type FileOps = Pick<
  typeof fs,
  | "openSync"
  | "closeSync"
  | "readSync"
  | "writeSync"
  | "fsyncSync"
  | "fstatSync"
  | "lstatSync"
  | "statSync"
  | "readdirSync"
  | "renameSync"
  | "unlinkSync"
  | "mkdirSync"
  | "realpathSync"
  | "futimesSync"
  | "linkSync"
  | "fchmodSync"
  | "chmodSync"
  | "ftruncateSync"
>;

/** What is at a path, the link itself if it is one. */
export interface FileFacts {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** `<device>:<inode>`, the file's identity while it exists. */
  readonly fileId: string;
  readonly links: number;
  readonly mode: number;
  readonly uid: number;
}

/** One entry as its folder tells of it, without a look at the entry; a link is neither file nor folder. */
export type FolderEntry = Pick<fs.Dirent, "name" | "isFile" | "isDirectory">;

/** What one look at a path brings, unrefined: for walks over many files that need three numbers of it. */
export type FileStat = fs.Stats;

/** An open file that is only read. */
export interface ReadHandle {
  facts(): FileFacts;
  /** Bytes put into `buffer`; 0 at the end. */
  read(
    buffer: Buffer,
    at: { readonly offset: number; readonly position: number; readonly length: number },
  ): number;
  close(): void;
}

export interface Files {
  /** Facts of the path itself (links are not followed); undefined when nothing is there. */
  look(path: string): FileFacts | undefined;
  /** The same, unrefined; `factsOf` refines it. */
  stat(path: string): FileStat | undefined;
  /** Facts of what the path leads to; undefined when nothing is there. */
  follow(path: string): FileFacts | undefined;
  /** Real path with every link resolved; undefined when it does not exist. */
  real(path: string): string | undefined;
  /** Names in a folder; undefined when the folder does not exist. Other errors throw. */
  names(folder: string): string[] | undefined;
  /** Entries of a folder with their kinds; undefined when the folder does not exist. Other errors throw. */
  entries(folder: string): FolderEntry[] | undefined;
  /** Never hangs on a pipe. With `noFollow` a link fails with `ELOOP`. */
  openRead(path: string, options?: { readonly noFollow?: boolean }): ReadHandle;
  /**
   * Whole file up to `maxBytes`; undefined when it does not exist. Throws `too-large` beyond the bound,
   * `not-a-file` for a folder, pipe, socket or device.
   */
  read(path: string, maxBytes: number): Buffer | undefined;
  /** Replaces the whole file: temporary name, flush, rename, folder flush. Old or new content, never a mix. */
  replace(path: string, content: string | Buffer, options?: ReplaceOptions): void;
  /**
   * Appends whole lines. A line that a crash left without its end is closed first; a write that fails is taken
   * back, so that the file keeps whole lines. `flush` waits for the disk.
   */
  append(path: string, content: string, options?: { readonly flush?: boolean }): void;
  /** Creates the file only if nothing is there; false when something was. A failing write leaves nothing. */
  createExclusive(path: string, content: string): boolean;
  remove(path: string): void;
  /** Creates the folder and missing parents, mode 0700. */
  ensureFolder(path: string): void;
  /** Sets the modification time. */
  setModified(path: string, mtimeMs: number): void;
}

export interface ReplaceOptions {
  /** Waits for the disk. Default: yes. Without, a power cut may leave an empty file, or none. */
  readonly flush?: boolean;
  /** Modification time to give the new file before it appears. */
  readonly mtimeMs?: number;
  /** Called right before the rename; a false answer abandons the write and removes the temporary file. */
  readonly stillValid?: () => boolean;
}

/** Files named like this are ours and unfinished; safe to remove once they are an hour old. */
export const TEMPORARY_PREFIX = ".engramd-tmp-";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Fails when anything, even a dangling link, has the name already. */
const NEW_FILE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;

export function createFiles(ops: FileOps = fs): Files {
  const stat = createStat(ops);
  return {
    look(path) {
      const found = stat(path);
      return found && factsOf(found);
    },
    stat,
    follow: (path) => absentAsUndefined(() => factsOf(ops.statSync(path))),
    real: (path) => absentAsUndefined(() => ops.realpathSync.native(path)),
    names: (folder) => absentAsUndefined(() => ops.readdirSync(folder)),
    entries: (folder) => entriesOf(ops, folder),
    openRead: (path, options) => openRead(ops, path, options?.noFollow === true),
    read: (path, maxBytes) => readWhole(ops, path, maxBytes),
    replace: (path, content, options) => replace(ops, { path, content, options: options ?? {} }),
    append: (path, content, options) => append(ops, { path, content, flush: options?.flush === true }),
    createExclusive: (path, content) => createExclusive(ops, path, content),
    remove: (path) => absentAsUndefined(() => ops.unlinkSync(path)),
    ensureFolder: (path) => ensureFolder(ops, path),
    setModified: (path, mtimeMs) => setModified(ops, path, mtimeMs),
  };
}

export function factsOf(stat: FileStat): FileFacts {
  return {
    kind: kindOf(stat),
    bytes: stat.size,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.ctimeMs,
    fileId: `${stat.dev}:${stat.ino}`,
    links: stat.nlink,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
  };
}

function kindOf(stat: FileStat): FileFacts["kind"] {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  return stat.isSymbolicLink() ? "link" : "other";
}

const ABSENT_IS_FINE = { throwIfNoEntry: false } as const;

/** What runs once per file of every sweep: one function, no closure a call, no exception for a missing file. */
function createStat(ops: FileOps): Files["stat"] {
  return (path) => {
    try {
      return ops.lstatSync(path, ABSENT_IS_FINE);
    } catch (error) {
      if (systemCode(error) === "ENOTDIR") return undefined;
      throw error;
    }
  };
}

const WITH_KINDS = { withFileTypes: true } as const;

/**
 * Where the file system keeps no kinds in its listings, Node looks at each entry itself and fails as a whole
 * when one is gone by then. So an absence is only believed of a folder that is not there on a second look.
 */
function entriesOf(ops: FileOps, folder: string): FolderEntry[] | undefined {
  const entries = absentAsUndefined(() => ops.readdirSync(folder, WITH_KINDS));
  if (entries !== undefined) return entries;
  const stat = createStat(ops);
  return absentAsUndefined(() => ops.readdirSync(folder))?.map((name) => {
    const found = stat(join(folder, name));
    return { name, isFile: () => found?.isFile() === true, isDirectory: () => found?.isDirectory() === true };
  });
}

function absentAsUndefined<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function openRead(ops: FileOps, path: string, noFollow: boolean): ReadHandle {
  // O_NONBLOCK: a FIFO that took the file's name must not hang us.
  const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | (noFollow ? fs.constants.O_NOFOLLOW : 0);
  const fd = ops.openSync(path, flags);
  return {
    facts: () => factsOf(ops.fstatSync(fd)),
    read: (buffer, at) => ops.readSync(fd, buffer, at.offset, at.length, at.position),
    close: () => ops.closeSync(fd),
  };
}

function readWhole(ops: FileOps, path: string, maxBytes: number): Buffer | undefined {
  // Most of our files are not there most of the time, and an error costs ten times what a look does (measured).
  const handle = absentAsUndefined(() => ops.statSync(path, ABSENT_IS_FINE) && openRead(ops, path, false));
  if (handle === undefined) return undefined;
  try {
    return readAll(handle, { path, maxBytes });
  } finally {
    handle.close();
  }
}

/** Everything an open file holds; throws `not-a-file` or `too-large`. `path` is for messages only. */
export function readAll(handle: ReadHandle, { path, maxBytes }: { path: string; maxBytes: number }): Buffer {
  const { bytes, kind } = handle.facts();
  if (kind !== "file") throw new AppError({ code: "not-a-file", message: `${path} is not a regular file` });
  if (bytes > maxBytes) {
    throw new AppError({ code: "too-large", message: `${path} has ${bytes} bytes, more than ${maxBytes}` });
  }
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const got = handle.read(buffer, { offset: filled, position: filled, length: bytes - filled });
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}

interface ReplaceRequest {
  readonly path: string;
  readonly content: string | Buffer;
  readonly options: ReplaceOptions;
}

function replace(ops: FileOps, { path, content, options }: ReplaceRequest): void {
  const folder = dirname(path);
  const temporary = join(folder, temporaryName(path));
  const fd = ops.openSync(temporary, NEW_FILE, FILE_MODE);
  try {
    try {
      setFileMode(ops, fd);
      writeAll(ops, fd, content);
      if (options.mtimeMs !== undefined) ops.futimesSync(fd, options.mtimeMs / 1000, options.mtimeMs / 1000);
      if (options.flush !== false) ops.fsyncSync(fd);
    } finally {
      ops.closeSync(fd);
    }
    if (options.stillValid !== undefined && !options.stillValid()) {
      throw new AppError({
        code: "changed",
        message: `${path} changed while it was being written`,
        disposition: "retry",
      });
    }
    ops.renameSync(temporary, path);
  } catch (error) {
    removeQuietly(ops, temporary);
    throw error;
  }
  if (options.flush !== false) flushFolder(ops, folder);
}

/** Ends in the file's own name so that a person can tell what it was; plain ASCII keeps it below 255 bytes. */
function temporaryName(path: string): string {
  return `${TEMPORARY_PREFIX}${markedName(
    basename(path)
      .replace(/[^\w.-]/g, "_")
      .slice(0, 100),
  )}`;
}

/** A umask that takes rights from the owner would leave files we cannot open again. */
function setFileMode(ops: FileOps, fd: number): void {
  if ((ops.fstatSync(fd).mode & 0o777) !== FILE_MODE) ops.fchmodSync(fd, FILE_MODE);
}

/** Clean-up on the failure path; the first error is the one to report. */
function removeQuietly(ops: FileOps, path: string): void {
  try {
    ops.unlinkSync(path);
  } catch {
    // Left behind under our temporary prefix; swept at the next start.
  }
}

function writeAll(ops: FileOps, fd: number, content: string | Buffer): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  let done = 0;
  while (done < bytes.length) done += ops.writeSync(fd, bytes, done, bytes.length - done);
}

function flushFolder(ops: FileOps, folder: string): void {
  const fd = ops.openSync(folder, fs.constants.O_RDONLY);
  try {
    ops.fsyncSync(fd);
  } finally {
    ops.closeSync(fd);
  }
}

interface AppendRequest {
  readonly path: string;
  readonly content: string;
  readonly flush: boolean;
}

function append(ops: FileOps, { path, content, flush }: AppendRequest): void {
  // Readable, because the last byte decides whether the last line is whole.
  const flags =
    fs.constants.O_RDWR |
    fs.constants.O_CREAT |
    fs.constants.O_APPEND |
    fs.constants.O_NOFOLLOW |
    fs.constants.O_NONBLOCK;
  const fd = ops.openSync(path, flags, FILE_MODE);
  try {
    const stat = ops.fstatSync(fd);
    if (!stat.isFile()) throw new AppError({ code: "not-a-file", message: `${path} is not a regular file` });
    if (stat.size === 0) setFileMode(ops, fd);
    const torn = stat.size > 0 && !content.startsWith("\n") && lastByte(ops, fd, stat.size) !== LINE_FEED;
    try {
      writeAll(ops, fd, torn ? `\n${content}` : content);
    } catch (error) {
      truncateQuietly(ops, fd, stat.size);
      throw error;
    }
    if (flush) ops.fsyncSync(fd);
  } finally {
    ops.closeSync(fd);
  }
}

const LINE_FEED = 0x0a;

function lastByte(ops: FileOps, fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return ops.readSync(fd, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

/** Clean-up on the failure path; the first error is the one to report. */
function truncateQuietly(ops: FileOps, fd: number, size: number): void {
  try {
    ops.ftruncateSync(fd, size);
  } catch {
    // The torn line stays; the next append closes it and readers skip it.
  }
}

function createExclusive(ops: FileOps, path: string, content: string): boolean {
  let fd: number;
  try {
    fd = ops.openSync(path, NEW_FILE, FILE_MODE);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    try {
      setFileMode(ops, fd);
      writeAll(ops, fd, content);
      ops.fsyncSync(fd);
    } finally {
      ops.closeSync(fd);
    }
  } catch (error) {
    removeQuietly(ops, path);
    throw error;
  }
  return true;
}

/** One folder at a time, because the mode of each has to hold whatever the umask took away. */
function ensureFolder(ops: FileOps, path: string): void {
  if (absentAsUndefined(() => ops.statSync(path))?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) ensureFolder(ops, parent);
  try {
    ops.mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Somebody else may have made it since.
    if (systemCode(error) === "EEXIST" && ops.statSync(path).isDirectory()) return;
    throw error;
  }
  if ((ops.statSync(path).mode & 0o777) !== FOLDER_MODE) ops.chmodSync(path, FOLDER_MODE);
}

function setModified(ops: FileOps, path: string, mtimeMs: number): void {
  const fd = ops.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    ops.futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
  } finally {
    ops.closeSync(fd);
  }
}
