// Reads a log that lies in rotated files: its last lines, and what is written while we look, across rotations. Never
// writes, never waits for a pipe in a file's place, and takes no line for longer than a bound.
import * as fs from "node:fs";
import type { Clock } from "./clock.ts";
import { wait } from "./clock.ts";
import { logParts } from "./log-file.ts";

export interface LogReaderDeps {
  /** Of the newest file. */
  readonly path: string;
  readonly clock: Clock;
}

export interface LogWish {
  readonly lines: number;
  readonly follow: boolean;
  readonly onLine: (line: string) => void;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

/** How soon a new line is shown; a person cannot tell it from at once. */
const LOOK_MS = 250;
const CHUNK_BYTES = 65_536;
/** Read backwards for the last lines; more would not fit into an answer. */
const TAIL_BYTES_MAX = 64 * 1024 * 1024;
/** A line without an end is given out in pieces. */
const LINE_BYTES_MAX = 100_000;
const LINE_FEED = 0x0a;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** False when there is no log, and then nothing is followed. */
export async function readLog({ path, clock }: LogReaderDeps, wish: LogWish): Promise<boolean> {
  let current = openNewest(path);
  if (current === undefined) return false;
  try {
    let at = sizeOf(current.fd);
    lastLines(path, { current, until: at }, wish.lines).forEach(wish.onLine);
    const lines = createLineCutter(wish.onLine);
    while (wish.follow && !wish.signal.aborted) {
      at = readOn(current, at, lines.push);
      const next = openNewer(path, current);
      if (next === undefined) {
        await wait(clock, LOOK_MS, wish.signal);
        continue;
      }
      // A last look: the writer may have gone on between our read and its rotation.
      readOn(current, at, lines.push);
      fs.closeSync(current.fd);
      current = next;
      at = 0;
    }
    return true;
  } finally {
    fs.closeSync(current.fd);
  }
}

/** A crash in the middle of a rotation leaves none with the plain name. */
function openNewest(path: string): Part | undefined {
  return logParts(path).reduce<Part | undefined>((found, part) => found ?? openPart(part), undefined);
}

interface Part {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

/** Undefined when there is none, or none that is a plain file. */
function openPart(path: string): Part | undefined {
  const facts = fs.lstatSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) return undefined;
  let fd: number;
  try {
    fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // Rotated away since the look: asked again soon.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const { dev, ino } = fs.fstatSync(fd);
  return { fd, dev, ino };
}

function isOther(path: string, part: Part): boolean {
  const facts = fs.lstatSync(path, { throwIfNoEntry: false });
  return facts?.isFile() === true && (facts.ino !== part.ino || facts.dev !== part.dev);
}

/**
 * The file written right after this one; the oldest when this one is gone. Undefined while this one is the newest, or
 * when the files moved on while we looked: then the next look finds it.
 */
function openNewer(path: string, current: Part): Part | undefined {
  const place = placeOf(path, current);
  const parts = logParts(path);
  const newer = (place < 0 ? parts : parts.slice(0, place)).filter((part) => isOther(part, current));
  const next = openPart(newer.at(-1) ?? "");
  if (next === undefined || placeOf(path, current) === place) return next;
  fs.closeSync(next.fd);
  return undefined;
}

function placeOf(path: string, part: Part): number {
  return logParts(path).findIndex((each) => {
    const facts = fs.lstatSync(each, { throwIfNoEntry: false });
    return facts !== undefined && facts.ino === part.ino && facts.dev === part.dev;
  });
}

interface Newest {
  readonly current: Part;
  readonly until: number;
}

function lastLines(path: string, { current, until }: Newest, count: number): string[] {
  const lines = tailOf(current.fd, until, count);
  for (const older of logParts(path).filter((part) => isOther(part, current))) {
    if (lines.length >= count) break;
    const part = openPart(older);
    if (part === undefined) continue;
    try {
      lines.unshift(...tailOf(part.fd, sizeOf(part.fd), count - lines.length));
    } finally {
      fs.closeSync(part.fd);
    }
  }
  return lines;
}

function tailOf(fd: number, until: number, count: number): string[] {
  const chunks: Buffer[] = [];
  let feeds = 0;
  for (let start = until; start > 0 && feeds <= count && until - start < TAIL_BYTES_MAX;) {
    const from = Math.max(0, start - CHUNK_BYTES);
    const chunk = readChunk(fd, from, start - from);
    for (const byte of chunk) if (byte === LINE_FEED) feeds++;
    chunks.unshift(chunk);
    start = from;
  }
  const lines = Buffer.concat(chunks).toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return count === 0 ? [] : lines.slice(-count);
}

/** Answers how far it came. A file that became shorter was emptied: it is read from its start. */
function readOn({ fd }: Part, at: number, take: (chunk: Buffer) => void): number {
  const until = sizeOf(fd);
  let from = until < at ? 0 : at;
  while (from < until) {
    const chunk = readChunk(fd, from, Math.min(CHUNK_BYTES, until - from));
    if (chunk.length === 0) break;
    take(chunk);
    from += chunk.length;
  }
  return from;
}

function readChunk(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, fs.readSync(fd, buffer, 0, length, from));
}

function sizeOf(fd: number): number {
  return fs.fstatSync(fd).size;
}

function createLineCutter(onLine: (line: string) => void): { push(chunk: Buffer): void } {
  let rest = Buffer.alloc(0);
  return {
    push(chunk) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
        onLine(rest.toString("utf8", 0, end));
        rest = rest.subarray(end + 1);
      }
      if (rest.length < LINE_BYTES_MAX) return;
      onLine(rest.toString("utf8"));
      rest = Buffer.alloc(0);
    },
  };
}
