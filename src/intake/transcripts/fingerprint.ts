// Proves that a byte offset still belongs to the file it was made for: sizes and times alone do not,
// because transcripts get rewritten in place, shrunk and replaced. Must never decide what to read.
import { READ_LIMITS } from "../../domain/limits.ts";
import type { ReadHandle } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";
import type { Cursor } from "./format.ts";

/** A cursor for `offset` of an open file, with the fingerprint of what lies before it. */
export function cursorAt(handle: ReadHandle, offset: number): Cursor {
  return { kind: "bytes", offset, fileId: handle.facts().fileId, fingerprint: fingerprint(handle, offset) };
}

/** Whether the bytes before the cursor are still the ones it was made after. */
export function stillFits(handle: ReadHandle, cursor: Cursor): boolean {
  const { fileId, bytes } = handle.facts();
  if (!Number.isSafeInteger(cursor.offset) || cursor.offset < 0) return false;
  if (cursor.offset === 0) return true;
  if (cursor.fileId !== fileId || cursor.offset > bytes) return false;
  return cursor.fingerprint === fingerprint(handle, cursor.offset);
}

/** Fills as much of `buffer` as the file has from `position` on; answers the bytes read. */
export function readFully(handle: ReadHandle, buffer: Buffer, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const at = { offset: filled, position: position + filled, length: buffer.length - filled };
    const got = handle.read(buffer, at);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

function fingerprint(handle: ReadHandle, offset: number): string {
  const bytes = Math.min(offset, READ_LIMITS.fingerprintBytes);
  const proof = Buffer.alloc(2 * bytes);
  readFully(handle, proof.subarray(0, bytes), 0);
  readFully(handle, proof.subarray(bytes), offset - bytes);
  return shortHash(proof);
}
