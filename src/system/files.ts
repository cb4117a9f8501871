// Every durable file operation. Synchronous on purpose: our files are small, one tick cannot interleave
// with another job, and a walk costs a fifth of the promise API's CPU (measured).
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../domain/errors.ts";
import { randomSuffix } from "./ids.ts";

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
  /** Facts of what the path leads to; undefined when nothing is there. */
  follow(path: string): FileFacts | undefined;
  /** Real path with every link resolved; undefined when it does not exist. */
  real(path: string): string | undefined;
  /** Names in a folder; undefined when the folder does not exist. Other errors throw. */
  names(folder: string): string[] | undefined;
  openRead(path: string): ReadHandle;
  /** Whole file up to `maxBytes`; undefined when it does not exist. Throws `too-large` beyond the bound. */
  read(path: string, maxBytes: number): Buffer | undefined;
  /** Replaces the whole file: temporary name, flush, rename, folder flush. Old or new content, never a mix. */
  replace(path: string, content: string | Buffer, options?: ReplaceOptions): void;
  /** Appends in one write; `flush` waits for the disk. */
  append(path: string, content: string, options?: { readonly flush?: boolean }): void;
  /** Creates the file only if nothing is there; false when something was. */
  createExclusive(path: string, content: string): boolean;
  remove(path: string): void;
  /** Creates the folder and missing parents, mode 0700. */
  ensureFolder(path: string): void;
  /** Sets the modification time. */
  setModified(path: string, mtimeMs: number): void;
}

export interface ReplaceOptions {
  /** Modification time to give the new file before it appears. */
  readonly mtimeMs?: number;
  /** Called right before the rename; a false answer abandons the write and removes the temporary file. */
  readonly stillValid?: () => boolean;
}

/** Files named like this are ours and unfinished; safe to remove once they are an hour old. */
export const TEMPORARY_PREFIX = ".engramd-tmp-";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export function createFiles(ops: FileOps = fs): Files {
  return {
    look: (path) => absentAsUndefined(() => factsOf(ops.lstatSync(path))),
    follow: (path) => absentAsUndefined(() => factsOf(ops.statSync(path))),
    real: (path) => absentAsUndefined(() => ops.realpathSync.native(path)),
    names: (folder) => absentAsUndefined(() => ops.readdirSync(folder)),
    openRead: (path) => openRead(ops, path),
    read: (path, maxBytes) => readWhole(ops, path, maxBytes),
    replace: (path, content, options) => replace(ops, { path, content, options: options ?? {} }),
    append: (path, content, options) => append(ops, { path, content, flush: options?.flush === true }),
    createExclusive: (path, content) => createExclusive(ops, path, content),
    remove: (path) => {
      absentAsUndefined(() => ops.unlinkSync(path));
    },
    ensureFolder: (path) => void ops.mkdirSync(path, { recursive: true, mode: FOLDER_MODE }),
    setModified: (path, mtimeMs) => setModified(ops, path, mtimeMs),
  };
}

function factsOf(stat: fs.Stats): FileFacts {
  const kind = stat.isFile()
    ? "file"
    : stat.isDirectory()
      ? "folder"
      : stat.isSymbolicLink()
        ? "link"
        : "other";
  return {
    kind,
    bytes: stat.size,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.ctimeMs,
    fileId: `${stat.dev}:${stat.ino}`,
    links: stat.nlink,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
  };
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

function openRead(ops: FileOps, path: string): ReadHandle {
  // O_NONBLOCK: a FIFO that took the file's name must not hang us.
  const fd = ops.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  return {
    facts: () => factsOf(ops.fstatSync(fd)),
    read: (buffer, at) => ops.readSync(fd, buffer, at.offset, at.length, at.position),
    close: () => ops.closeSync(fd),
  };
}

function readWhole(ops: FileOps, path: string, maxBytes: number): Buffer | undefined {
  const handle = absentAsUndefined(() => openRead(ops, path));
  if (handle === undefined) return undefined;
  try {
    const { bytes, kind } = handle.facts();
    if (kind !== "file")
      throw Object.assign(new Error(`${path} is not a regular file`), { code: "not-a-file" });
    if (bytes > maxBytes) {
      throw Object.assign(new Error(`${path} has ${bytes} bytes, more than ${maxBytes}`), {
        code: "too-large",
      });
    }
    const buffer = Buffer.alloc(bytes);
    let filled = 0;
    while (filled < bytes) {
      const got = handle.read(buffer, { offset: filled, position: filled, length: bytes - filled });
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  } finally {
    handle.close();
  }
}

interface ReplaceRequest {
  readonly path: string;
  readonly content: string | Buffer;
  readonly options: ReplaceOptions;
}

function replace(ops: FileOps, { path, content, options }: ReplaceRequest): void {
  const folder = dirname(path);
  const temporary = join(folder, `${TEMPORARY_PREFIX}${randomSuffix()}-${basename(path).slice(0, 100)}`);
  const flags = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
  try {
    const fd = ops.openSync(temporary, flags, FILE_MODE);
    try {
      writeAll(ops, fd, content);
      if (options.mtimeMs !== undefined) ops.futimesSync(fd, options.mtimeMs / 1000, options.mtimeMs / 1000);
      ops.fsyncSync(fd);
    } finally {
      ops.closeSync(fd);
    }
    if (options.stillValid !== undefined && !options.stillValid()) {
      throw Object.assign(new Error(`${path} changed while it was being written`), { code: "changed" });
    }
    ops.renameSync(temporary, path);
  } catch (error) {
    removeQuietly(ops, temporary);
    throw error;
  }
  flushFolder(ops, folder);
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
  const flags =
    fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW;
  const fd = ops.openSync(path, flags, FILE_MODE);
  try {
    writeAll(ops, fd, content);
    if (flush) ops.fsyncSync(fd);
  } finally {
    ops.closeSync(fd);
  }
}

function createExclusive(ops: FileOps, path: string, content: string): boolean {
  const flags = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = ops.openSync(path, flags, FILE_MODE);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeAll(ops, fd, content);
    ops.fsyncSync(fd);
  } finally {
    ops.closeSync(fd);
  }
  return true;
}

function setModified(ops: FileOps, path: string, mtimeMs: number): void {
  const fd = ops.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    ops.futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
  } finally {
    ops.closeSync(fd);
  }
}
