// The log in files of our own, for where nobody keeps what we print. Bounded by rotation: the newest file has the plain
// name, older ones end in .1, .2, ... A line is one open, write and close, so that a removed, replaced or rotated file
// needs no care. A full disk, a missing folder or a stranger in our place lose lines and are counted; nothing throws.
import * as fs from "node:fs";
import { messageOf } from "../domain/errors.ts";

export type LogFileOps = Pick<
  typeof fs,
  | "openSync"
  | "fstatSync"
  | "fchmodSync"
  | "readSync"
  | "writeSync"
  | "closeSync"
  | "renameSync"
  | "unlinkSync"
  | "lstatSync"
>;

export interface LogFileOptions {
  readonly path: string;
  /** Of all files together; asked at each line, as the settings may change. */
  readonly bytesMax: () => number;
  /** For tests. */
  readonly ops?: LogFileOps;
}

export interface LogFile {
  /** Appends one finished line; never throws. */
  write(line: string): void;
  /** Why the newest line could not be written; undefined when it was. */
  trouble(): string | undefined;
}

/** In our state folder. */
export const LOG_FILE = "engramd.log";
/** Beside it, where somebody else keeps what is printed and never rotates it. */
export const PRINTED_FILE = "engramd.err.log";
/** With five, a rotation drops a fifth of the history at most. */
const PARTS = 5;
const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** A pipe in our place must not make us wait for its reader. */
const FLAGS = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
const OWNER_ONLY = 0o600;
const LINE_FEED = 0x0a;

/** The files of a log that may exist, newest first. */
export function logParts(path: string): string[] {
  return Array.from({ length: PARTS }, (_, at) => (at === 0 ? path : `${path}.${at}`));
}

/** For a file that others append to and nobody rotates. It never throws: nothing depends on it. */
export function emptyIfLarge(path: string, bytesMax: number): void {
  try {
    const facts = fs.lstatSync(path, { throwIfNoEntry: false });
    if (facts?.isFile() === true && facts.size > bytesMax) fs.truncateSync(path);
  } catch {
    // It stays as it is; the next start tries again.
  }
}

interface State extends Required<LogFileOptions> {
  /** Lines that could not be written since the last one that could. */
  lost: number;
  trouble: string | undefined;
  /** Whether the file may end in half a line: a crash, or a disk that was full in the middle of one. */
  isTorn: boolean;
  /** The bound the older files were last cut to. */
  trimmedTo: number | undefined;
}

export function createLogFile({ path, bytesMax, ops = fs }: LogFileOptions): LogFile {
  const state: State = {
    path,
    bytesMax,
    ops,
    lost: 0,
    trouble: undefined,
    isTorn: true,
    trimmedTo: undefined,
  };
  return {
    write(line) {
      try {
        append(state, state.lost === 0 ? line : lostLine(state.lost) + line);
        state.lost = 0;
        state.trouble = undefined;
      } catch (error) {
        // Told with the next line that can be written. The log must not decide over the daemon's life.
        state.lost += 1;
        state.trouble = messageOf(error);
        state.isTorn = true;
      }
    },
    trouble: () => state.trouble,
  };
}

function lostLine(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: "warn", time, lines, msg: "log lines were lost" })}\n`;
}

function append(state: State, text: string): void {
  const bytes = Buffer.from(text);
  const bytesMax = state.bytesMax();
  const partBytes = Math.floor(bytesMax / PARTS);
  if (state.trimmedTo !== bytesMax) trim(state, bytesMax);
  if (withFile(state, (fd, size) => write(state, { fd, size, bytes, partBytes }))) return;
  rotate(state);
  trim(state, bytesMax);
  withFile(state, (fd, size) => write(state, { fd, size, bytes, partBytes: Infinity }));
}

interface Write {
  readonly fd: number;
  readonly size: number;
  readonly bytes: Buffer;
  readonly partBytes: number;
}

/** False when the file is full. */
function write(state: State, { fd, size, bytes, partBytes }: Write): boolean {
  const { ops } = state;
  if (size > 0 && size + bytes.length > partBytes) return false;
  const whole = state.isTorn && endsTorn(ops, fd, size) ? Buffer.concat([Buffer.from("\n"), bytes]) : bytes;
  const written = ops.writeSync(fd, whole);
  if (written < whole.length) throw new Error("half a line was written");
  state.isTorn = false;
  return true;
}

function endsTorn(ops: LogFileOps, fd: number, size: number): boolean {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  return ops.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
}

function withFile<T>({ ops, path }: State, use: (fd: number, size: number) => T): T {
  const fd = ops.openSync(path, FLAGS, OWNER_ONLY);
  try {
    const stats = ops.fstatSync(fd);
    if (!stats.isFile()) throw new Error("no plain file");
    if ((stats.mode & 0o777) !== OWNER_ONLY) ops.fchmodSync(fd, OWNER_ONLY);
    return use(fd, stats.size);
  } finally {
    ops.closeSync(fd);
  }
}

/** Each step is one rename: a crash between two leaves a gap in the numbers, and the next rotation fills it. */
function rotate({ ops, path }: State): void {
  const parts = logParts(path);
  const gap = parts.findIndex((part) => sizeOf(ops, part) === undefined);
  for (let at = gap < 0 ? parts.length - 1 : gap; at > 0; at--) {
    ops.renameSync(parts[at - 1] ?? path, parts[at] ?? path);
  }
}

/** Removes what was kept under a larger bound; the newest file has a part of it to itself. */
function trim(state: State, bytesMax: number): void {
  const { ops, path } = state;
  let left = bytesMax - Math.floor(bytesMax / PARTS);
  for (const part of logParts(path).slice(1)) {
    const size = sizeOf(ops, part);
    left -= size ?? 0;
    if (left < 0 && size !== undefined) ops.unlinkSync(part);
  }
  state.trimmedTo = bytesMax;
}

function sizeOf(ops: LogFileOps, path: string): number | undefined {
  return ops.lstatSync(path, { throwIfNoEntry: false })?.size;
}
