// Whole lines out of a growing file, from a cursor, in bounded memory. Splits on LF bytes only and hands on
// bytes; must never decode, parse or keep what it read.
import { AppError, systemCode } from "../../domain/errors.ts";
import { READ_LIMITS } from "../../domain/limits.ts";
import type { Files, ReadHandle } from "../../system/files.ts";
import { isUtf8 } from "../../system/utf8.ts";
import { cursorAt, readFully, stillFits } from "./fingerprint.ts";
import type { Cursor } from "./format.ts";
import { isWholeObject } from "./json-walk.ts";

/** One line without its line end; the bytes are only valid during the call. */
export interface Line {
  readonly bytes: Buffer;
  /** Offset in the file just after the line and its line end. */
  readonly endOffset: number;
  /** False: decoding puts replacement characters where the bytes are not UTF-8. */
  readonly validUtf8: boolean;
}

export interface LinesRead {
  readonly next: Cursor;
  /** Stopped at the bound of a slice, not at the end of the file. */
  readonly more: boolean;
  readonly lines: number;
  /** Lines longer than `READ_LIMITS.lineBytesMax`. */
  readonly skipped: number;
  readonly restarted: boolean;
}

interface Listener {
  readonly onLine: (line: Line) => void;
}

export interface LinesRequest extends Listener {
  readonly files: Files;
  readonly path: string;
  readonly from: Cursor | undefined;
}

const LF = 0x0a;

/**
 * Reads at most `READ_LIMITS.sliceBytes` plus one line. A last line without LF is taken only when it is a whole
 * object, else left for later. A line over the bound is dropped piece by piece: a cursor may stand inside it,
 * and the next read goes on to its end. Throws `source-gone` when the file is not there or not a regular file.
 */
export function readLines({ files, path, from, onLine }: LinesRequest): LinesRead {
  const handle = openSource(files, path);
  try {
    const fits = from === undefined || stillFits(handle, from);
    const start = fits ? (from?.offset ?? 0) : 0;
    const { offset, ...read } = readFrom(handle, { start, onLine });
    return { ...read, next: cursorAt(handle, offset), restarted: !fits };
  } finally {
    handle.close();
  }
}

/** A cursor at an offset where a line ended when it was read. Undefined when the file is gone. */
export function lineCursor(
  files: Files,
  { path, offset }: { readonly path: string; readonly offset: number },
): Cursor | undefined {
  return ifPresent(files, path, (handle) => cursorAt(handle, offset));
}

/** A cursor after the last whole line. Undefined when the file is gone. */
export function endOfLines(files: Files, path: string): Cursor | undefined {
  return ifPresent(files, path, (handle) => {
    const size = handle.facts().bytes;
    const floor = Math.max(0, size - READ_LIMITS.lineBytesMax);
    const buffer = Buffer.allocUnsafe(Math.min(READ_LIMITS.chunkBytes, size));
    for (let end = size; end > floor; end -= buffer.length) {
      const begin = Math.max(0, end - buffer.length);
      const got = readFully(handle, buffer.subarray(0, end - begin), begin);
      const newline = buffer.subarray(0, got).lastIndexOf(LF);
      if (newline !== -1) return cursorAt(handle, begin + newline + 1);
    }
    // No line end within the longest line we would read: what stands there will be dropped anyway.
    return cursorAt(handle, floor === 0 ? 0 : size);
  });
}

/**
 * A quick look at the whole lines from `offset` on, at most `READ_LIMITS.peekBytesMax` bytes: where more is
 * there, half of that at the offset and half at the file's end. Undefined when the file is gone.
 */
export function peekLines({ files, path, offset, onLine }: PeekRequest): true | undefined {
  return ifPresent(files, path, (handle) => {
    const size = handle.facts().bytes;
    const half = READ_LIMITS.peekBytesMax / 2;
    const start = Math.min(offset, size);
    if (size - start <= 2 * half) emitSpan(handle, { start, end: size, onLine });
    else {
      emitSpan(handle, { start, end: start + half, onLine });
      emitSpan(handle, { start: size - half, end: size, onLine });
    }
    return true;
  });
}

/** The whole lines of the last `READ_LIMITS.lookBackBytes` before `offset`; none when the file is gone. */
export function linesBefore({ files, path, offset, onLine }: PeekRequest): void {
  ifPresent(files, path, (handle) => {
    const end = Math.min(offset, handle.facts().bytes);
    emitSpan(handle, { start: Math.max(0, end - READ_LIMITS.lookBackBytes), end, onLine });
  });
}

export interface PeekRequest extends Omit<LinesRequest, "from"> {
  readonly offset: number;
}

interface Progress {
  readonly offset: number;
  readonly more: boolean;
  readonly lines: number;
  readonly skipped: number;
}

function readFrom(handle: ReadHandle, { start, onLine }: { readonly start: number } & Listener): Progress {
  const size = handle.facts().bytes;
  let buffer = Buffer.allocUnsafe(Math.min(READ_LIMITS.chunkBytes, Math.max(1, size - start)));
  let offset = start;
  let lines = 0;
  let skipped = 0;
  let inside = !startsLine(handle, start);
  while (offset < size && offset - start < READ_LIMITS.sliceBytes) {
    const got = buffer.subarray(0, readFully(handle, buffer, offset));
    // Shorter than asked for: the file was cut while it was being read.
    const isEnd = got.length < buffer.length || offset + got.length >= size;
    if (inside) {
      const newline = got.indexOf(LF);
      inside = newline === -1;
      offset += inside ? got.length : newline + 1;
      if (inside && isEnd) return { offset, more: false, lines, skipped };
      continue;
    }
    const emitted = emitLines({ bytes: got, offset }, onLine);
    offset += emitted.used;
    lines += emitted.lines;
    const rest = got.subarray(emitted.used);
    if (rest.length > READ_LIMITS.lineBytesMax) {
      skipped += 1;
      lines += 1;
      offset += rest.length;
      inside = true;
    } else if (isEnd) {
      if (!emitWholeTail({ bytes: rest, offset }, onLine)) return { offset, more: false, lines, skipped };
      return { offset: offset + rest.length, more: false, lines: lines + 1, skipped };
    } else if (emitted.used === 0) {
      buffer = Buffer.allocUnsafe(Math.min(2 * buffer.length, READ_LIMITS.lineBytesMax + 1));
    }
  }
  return { offset, more: offset < size, lines, skipped };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function emitSpan(handle: ReadHandle, { start, end, onLine }: Span & Listener): void {
  const buffer = Buffer.allocUnsafe(end - start);
  const bytes = buffer.subarray(0, readFully(handle, buffer, start));
  const atLine = startsLine(handle, start);
  const first = atLine ? 0 : bytes.indexOf(LF) + 1;
  if (!atLine && first === 0) return;
  const used = first + emitLines({ bytes: bytes.subarray(first), offset: start + first }, onLine).used;
  emitWholeTail({ bytes: bytes.subarray(used), offset: start + used }, onLine);
}

/** Bytes of the file, and where in it they begin. */
interface Piece {
  readonly bytes: Buffer;
  readonly offset: number;
}

/** Hands on every line that ends in the piece. */
function emitLines(piece: Piece, onLine: Listener["onLine"]): { used: number; lines: number } {
  const used = piece.bytes.lastIndexOf(LF) + 1;
  // One check per piece is nearly free; single lines are looked at only where it fails.
  const allUtf8 = isUtf8(piece.bytes.subarray(0, used));
  let begin = 0;
  let lines = 0;
  while (begin < used) {
    const newline = piece.bytes.indexOf(LF, begin);
    const bytes = piece.bytes.subarray(begin, newline);
    begin = newline + 1;
    lines += 1;
    if (isBlank(bytes)) continue;
    onLine({ bytes, endOffset: piece.offset + begin, validUtf8: allUtf8 || isUtf8(bytes) });
  }
  return { used, lines };
}

function emitWholeTail({ bytes, offset }: Piece, onLine: Listener["onLine"]): boolean {
  if (bytes.length === 0 || !isWholeObject(bytes)) return false;
  onLine({ bytes, endOffset: offset + bytes.length, validUtf8: isUtf8(bytes) });
  return true;
}

/** Empty but for blanks and the CR of a CRLF. */
function isBlank(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at += 1;
  return at === bytes.length;
}

function startsLine(handle: ReadHandle, offset: number): boolean {
  if (offset === 0) return true;
  const before = Buffer.alloc(1);
  return readFully(handle, before, offset - 1) === 1 && before[0] === LF;
}

function openSource(files: Files, path: string): ReadHandle {
  let handle: ReadHandle;
  try {
    handle = files.openRead(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENXIO") throw gone(path, error);
    throw error;
  }
  if (handle.facts().kind === "file") return handle;
  handle.close();
  throw gone(path, undefined);
}

function ifPresent<T>(files: Files, path: string, use: (handle: ReadHandle) => T): T | undefined {
  let handle: ReadHandle;
  try {
    handle = openSource(files, path);
  } catch (error) {
    if (systemCode(error) === "source-gone") return undefined;
    throw error;
  }
  try {
    return use(handle);
  } finally {
    handle.close();
  }
}

function gone(path: string, cause: unknown): AppError {
  return new AppError({
    code: "source-gone",
    message: `no transcript at ${JSON.stringify(path)} any more`,
    cause,
  });
}
