// Takes words out of the files of our log: each is overwritten where it stands, byte for byte, so that no line and no
// file changes its length, whoever appends meanwhile. Killed anywhere it can be repeated.
import * as fs from "node:fs";
import { join } from "node:path";
import { LOG_FILE, logParts } from "./log-file.ts";

const CHUNK_BYTES = 1_048_576;
const FILLER = "purged";
const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** How often the words stood in the files of our log in `folder`. Throws what the disk says. */
export function eraseFromLog(folder: string, words: readonly string[]): number {
  const needles = words
    .filter((word) => word !== "")
    // The longer first: a name may be a part of another.
    .toSorted((a, b) => b.length - a.length)
    // As it stands in a line of JSON.
    .map((word) => Buffer.from(JSON.stringify(word).slice(1, -1)));
  if (needles.length === 0) return 0;
  return logParts(join(folder, LOG_FILE)).reduce((sum, part) => sum + eraseFrom(part, needles), 0);
}

function eraseFrom(path: string, needles: readonly Buffer[]): number {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return 0;
  const fd = fs.openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    const longest = Math.max(...needles.map((needle) => needle.length));
    const buffer = Buffer.alloc(CHUNK_BYTES + longest);
    let found = 0;
    for (let at = 0; ; at += CHUNK_BYTES) {
      const bytes = fs.readSync(fd, buffer, 0, buffer.length, at);
      if (bytes === 0) break;
      found += eraseChunk(fd, { chunk: buffer.subarray(0, bytes), at, needles });
    }
    if (found > 0) fs.fsyncSync(fd);
    return found;
  } finally {
    fs.closeSync(fd);
  }
}

interface Chunk {
  readonly chunk: Buffer;
  /** Where it begins in the file. */
  readonly at: number;
  readonly needles: readonly Buffer[];
}

function eraseChunk(fd: number, { chunk, at, needles }: Chunk): number {
  let found = 0;
  for (const needle of needles) {
    const filler = Buffer.from(FILLER.padEnd(needle.length, "-").slice(0, needle.length));
    for (let from = chunk.indexOf(needle); from !== -1; from = chunk.indexOf(needle, from)) {
      fs.writeSync(fd, filler, 0, filler.length, at + from);
      filler.copy(chunk, from);
      from += filler.length;
      found += 1;
    }
  }
  return found;
}
