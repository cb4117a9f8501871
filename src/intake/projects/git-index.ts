// Whether git tracks one file, read from the index itself. When the index cannot tell, the answer is yes:
// a file that may have come with the repository is treated as if it had.
import { join } from "node:path";
import type { Files } from "../../system/files.ts";
import type { Probe } from "./probe.ts";
import { quietly } from "./probe.ts";

/** Index of about 600,000 files; a larger one counts as "cannot tell". */
const INDEX_BYTES_MAX = 64 * 1024 * 1024;
/** Fixed part of an entry before its flags, and the flags themselves. */
const ENTRY_BYTES = 62;
const EXTENDED_FLAG = 0x4000;
const HEADER_BYTES = 12;

/** `path` is relative to the top of the working tree, with `/`. */
export function isTracked(
  { files, probe }: { readonly files: Files; readonly probe: Probe },
  { gitFolder, path }: { readonly gitFolder: string; readonly path: string },
): boolean {
  const file = join(gitFolder, "index");
  if (probe.kind(file) === undefined) return false;
  // A split index keeps most names in a second file that only git can join correctly.
  if (probe.names(gitFolder).some((name) => name.startsWith("sharedindex."))) return true;
  const index = quietly(() => files.read(file, INDEX_BYTES_MAX));
  return index === undefined || indexNames(index, path);
}

/** Whether the bytes of an index name `path`; true as well for bytes that are no index. */
export function indexNames(index: Buffer, path: string): boolean {
  if (index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return true;
  const version = index.readUInt32BE(4);
  if (version === 2 || version === 3) return index.includes(Buffer.from(`${path}\0`));
  return version === 4 ? compressedNames(index, path) : true;
}

/** Version 4 writes each name as "drop N bytes of the last one, add these". */
function compressedNames(index: Buffer, path: string): boolean {
  const wanted = Buffer.from(path);
  const count = index.readUInt32BE(8);
  let name: Buffer = Buffer.alloc(0);
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry++) {
    if (at + ENTRY_BYTES > index.length) return true;
    const extended = (index.readUInt16BE(at + ENTRY_BYTES - 2) & EXTENDED_FLAG) !== 0;
    const drop = dropLength(index, at + ENTRY_BYTES + (extended ? 2 : 0));
    const end = index.indexOf(0, drop.next);
    if (end < 0 || drop.value > name.length) return true;
    name = Buffer.concat([name.subarray(0, name.length - drop.value), index.subarray(drop.next, end)]);
    if (name.equals(wanted)) return true;
    at = end + 1;
  }
  return false;
}

/** Git's offset encoding: seven bits a byte, each continuation adds one. */
function dropLength(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < index.length && value < INDEX_BYTES_MAX) {
    byte = index[at++] ?? 0;
    value = ((value + 1) << 7) + (byte & 0x7f);
  }
  return { value, next: at };
}
