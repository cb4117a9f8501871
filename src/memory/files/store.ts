// Reads a memory folder as a whole: memories, index, and what only looks like one. One bad file never spoils the
// rest. Never writes, and never follows a link.
import { AppError, messageOf, systemCode } from "../../domain/errors.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash, Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import type { Folder } from "../../system/folder.ts";
import { atOnce, type Steps } from "../../system/breather.ts";
import { contentHash } from "../../system/ids.ts";
import { isUtf8 } from "../../system/utf8.ts";
import { INDEX_FILE } from "./file-name.ts";
import { entryKind } from "./folder-names.ts";
import { parseTopicFile } from "./topic-file.ts";

export interface NotMemory {
  readonly file: string;
  /** For a person. */
  readonly why: string;
  /** The system's code when reading failed: the file may be a memory all the same. */
  readonly code?: string;
}

export interface FolderView {
  /** By file name. */
  readonly memories: readonly Memory[];
  readonly index: {
    /** Undefined: no index yet, or `problem` tells why it must not be touched. */
    readonly text: string | undefined;
    readonly hash: ContentHash | undefined;
    /** Why the index is there and cannot be read; it must then not be written either. */
    readonly problem: string | undefined;
  };
  readonly conflictCopies: readonly string[];
  /** Memories whose file the cloud has not downloaded; they are not gone. */
  readonly unavailable: readonly string[];
  readonly notMemories: readonly NotMemory[];
  /** Number of the line each memory's body begins in, from 1. */
  readonly bodyLines: ReadonlyMap<string, number>;
  /** Entries beyond `MEMORY_LIMITS.folderFilesMax`, not looked at. */
  readonly unread: number;
}

/** Throws only when the folder itself cannot be listed. `listed`: its names, when they were just read. */
export function readFolder(folder: Folder, listed?: readonly string[]): FolderView {
  return atOnce(readingFolder(folder, listed));
}

/** The same, a step a file. What changes in the folder between two steps may be seen or not. */
export function* readingFolder(
  folder: Folder,
  listed: readonly string[] = folder.names(),
): Steps<FolderView> {
  const all = listed.toSorted();
  const names = all.slice(0, MEMORY_LIMITS.folderFilesMax);
  const present = new Set(all);
  const memories: Memory[] = [];
  const conflictCopies: string[] = [];
  const unavailable: string[] = [];
  const notMemories: NotMemory[] = [];
  const bodyLines = new Map<string, number>();
  for (const name of names) {
    const entry = entryKind(name, (other) => present.has(other));
    if (entry.kind === "conflict-copy") conflictCopies.push(name);
    if (entry.kind === "placeholder" && !present.has(entry.file)) unavailable.push(entry.file);
    if (entry.kind === "no-memory") notMemories.push({ file: name, why: entry.why });
    if (entry.kind !== "topic") continue;
    yield;
    const read = readText(folder, name, MEMORY_LIMITS.topicBytesMax);
    if (read === undefined) continue;
    if ("why" in read) {
      notMemories.push({ file: name, ...read });
      continue;
    }
    const { eol: _, bodyLine, ...topic } = parseTopicFile(read.text);
    bodyLines.set(name, bodyLine);
    memories.push({ file: name, ...topic, hash: read.hash, mtimeMs: read.mtimeMs });
  }
  const index = present.has(INDEX_FILE)
    ? readText(folder, INDEX_FILE, MEMORY_LIMITS.indexReadBytesMax)
    : undefined;
  if (index !== undefined && "why" in index) notMemories.push({ file: INDEX_FILE, ...index });
  return {
    memories,
    index: {
      text: index !== undefined && "text" in index ? index.text : undefined,
      hash: index !== undefined && "text" in index ? index.hash : undefined,
      problem: index !== undefined && "why" in index ? index.why : undefined,
    },
    conflictCopies,
    unavailable,
    notMemories,
    bodyLines,
    unread: all.length - names.length,
  };
}

type ReadText =
  | { readonly text: string; readonly hash: ContentHash; readonly mtimeMs: Instant }
  | { readonly why: string; readonly code?: string };

/** Undefined: gone since the folder was listed. */
function readText(folder: Folder, name: string, bytesMax: number): ReadText | undefined {
  try {
    const facts = folder.look(name);
    if (facts === undefined) return undefined;
    if (facts.kind !== "file")
      return { why: facts.kind === "other" ? "is a pipe or a device" : `is a ${facts.kind}` };
    if (facts.bytes > bytesMax) return { why: `has ${facts.bytes} bytes, more than ${bytesMax}` };
    const read = folder.read(name, bytesMax);
    if (read === undefined) return undefined;
    const text = decode(read.content);
    if (text === undefined) return { why: "is not UTF-8 text" };
    return { text, hash: contentHash(read.content), mtimeMs: read.facts.mtimeMs };
  } catch (error) {
    const code = error instanceof AppError ? undefined : systemCode(error);
    if (code === undefined) return { why: messageOf(error) };
    // The system's own sentence names a path nobody else knows.
    const isDenied = code === "EACCES" || code === "EPERM";
    return { why: `${isDenied ? "you have no right to read it" : "it cannot be read"} (${code})`, code };
  }
}

/** Undefined when decoding would lose bytes: such a file could not be edited safely. */
function decode(content: Buffer): string | undefined {
  const text = content.toString("utf8");
  return text.includes("\0") || !isUtf8(content) ? undefined : text;
}
