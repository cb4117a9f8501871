// One folder held open by its descriptor, so that a swapped path can never lead elsewhere.
// On Linux every name is reached through /proc/self/fd/N (Node has no openat); elsewhere, and where /proc is missing, the
// folder's identity is compared before each call.
import * as fs from "node:fs";
import { AppError, systemCode } from "../domain/errors.ts";
import { readAll } from "./files.ts";
import type { FileFacts, Files, ReadHandle, ReplaceOptions } from "./files.ts";
import { placeFile } from "./placing.ts";

/** Only Linux leads through them to what was opened, and only where the kernel's files are mounted. */
const DESCRIPTORS = "/proc/self/fd";

/** Flat access to one folder: names only, never paths. Throws `unsafe-file` for links, pipes and hard links. */
export interface Folder {
  /** Real path at the time it was opened; for messages, never for opening. */
  readonly path: string;
  readonly fileId: string;
  names(): string[];
  look(name: string): FileFacts | undefined;
  /** Content and facts of a regular file with one link; undefined when nothing is there. */
  read(name: string, maxBytes: number): { readonly content: Buffer; readonly facts: FileFacts } | undefined;
  replace(name: string, content: string | Buffer, options?: ReplaceOptions): void;
  /** A whole new file where nothing is yet; false when something has the name, or came to have it meanwhile. */
  create(name: string, content: Buffer, options: { readonly mtimeMs: number }): boolean;
  /** Whole lines at the end, in one write; as `Files.append`. */
  append(name: string, content: string): void;
  remove(name: string): void;
  /** Keeps the file that has the name now within reach, whatever becomes of the name. Undefined when nothing is there. */
  hold(name: string): HeldFile | undefined;
  close(): void;
}

/** One file by its descriptor. */
export interface HeldFile {
  /** What it holds now; somebody who opened it before may still be writing to it. */
  content(maxBytes: number): Buffer;
  /** As they are now. */
  facts(): FileFacts;
  close(): void;
}

/** What something is, as the end of a sentence about it. */
export function kindText(kind: FileFacts["kind"]): string {
  return kind === "other" ? "is no regular file" : `is a ${kind}`;
}

/**
 * Opens an existing folder by its real path. Undefined when it does not exist; throws `folder-swapped` when the
 * path leads elsewhere (a link has taken a place on it) or did so while it was being opened, `unsafe-file` when it is
 * no folder.
 */
export function openFolder(files: Files, path: string): Folder | undefined {
  const real = files.real(path);
  if (real === undefined) return undefined;
  if (real !== path) throw swapped(path);
  const fd = openDescriptor(real);
  const stat = fs.fstatSync(fd);
  const fileId = `${stat.dev}:${stat.ino}`;
  const led = ledTo(fd);
  // A parent may have become a link between the two calls above.
  if (led !== undefined && led !== real) {
    fs.closeSync(fd);
    throw swapped(real);
  }
  const base = led === undefined ? real : `${DESCRIPTORS}/${fd}`;
  const assertSame = () => {
    if (base === real && files.look(real)?.fileId !== fileId) throw swapped(real);
  };
  const at = (name: string) => {
    assertPlainName(name);
    assertSame();
    return `${base}/${name}`;
  };
  return {
    path: real,
    fileId,
    names() {
      assertSame();
      return files.names(base) ?? [];
    },
    look: (name) => files.look(at(name)),
    read: (name, maxBytes) => readSafely(files, { path: at(name), name, maxBytes }),
    replace(name, content, options) {
      refuseOddTarget(files, at(name), name);
      files.replace(at(name), content, options);
    },
    create: (name, content, { mtimeMs }) => placeFile(files, { path: at(name), content, mtimeMs }),
    append(name, content) {
      refuseOddTarget(files, at(name), name);
      refuseShared(files, at(name), name);
      files.append(at(name), content, { flush: true });
    },
    remove(name) {
      refuseOddTarget(files, at(name), name);
      files.remove(at(name));
    },
    hold: (name) => holdFile(files, at(name), name),
    close: () => fs.closeSync(fd),
  };
}

function holdFile(files: Files, path: string, name: string): HeldFile | undefined {
  const handle = openUnfollowed(files, path, name);
  if (handle === undefined) return undefined;
  const { kind } = handle.facts();
  if (kind !== "file") {
    handle.close();
    throw unsafe(name, kindText(kind));
  }
  return {
    content: (maxBytes) => readAll(handle, { path: name, maxBytes }),
    facts: handle.facts,
    close: handle.close,
  };
}

/** Real path of what is open, as the kernel tells it; undefined where it does not. */
function ledTo(fd: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return fs.readlinkSync(`${DESCRIPTORS}/${fd}`);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    fs.closeSync(fd);
    throw error;
  }
}

function openDescriptor(real: string): number {
  try {
    return fs.openSync(real, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    // ENOTDIR is also what Linux says of a link when a folder was asked for.
    const code = systemCode(error);
    if (code === "ENOTDIR" && fs.lstatSync(real).isFile()) throw notFolder(real);
    if (code === "ENOTDIR" || code === "ELOOP" || code === "ENOENT") throw swapped(real);
    throw error;
  }
}

function assertPlainName(name: string): void {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
    throw new AppError({ code: "bad-name", message: `not a plain file name: ${JSON.stringify(name)}` });
  }
}

function refuseOddTarget(files: Files, path: string, name: string): void {
  const facts = files.look(path);
  if (facts !== undefined && facts.kind !== "file") throw unsafe(name, kindText(facts.kind));
}

/** A second name may stand outside. */
function refuseShared(files: Files, path: string, name: string): void {
  if ((files.look(path)?.links ?? 1) > 1) throw unsafe(name, "has more than one hard link");
}

interface SafeRead {
  readonly path: string;
  readonly name: string;
  readonly maxBytes: number;
}

/** Judges the open file, not the name: between a look and an open the name may come to lead elsewhere. */
function readSafely(
  files: Files,
  { path, name, maxBytes }: SafeRead,
): { content: Buffer; facts: FileFacts } | undefined {
  const handle = openUnfollowed(files, path, name);
  if (handle === undefined) return undefined;
  try {
    const facts = handle.facts();
    if (facts.kind !== "file") throw unsafe(name, kindText(facts.kind));
    // A hard link may lead to a file outside; reading it would leak it into memory.
    if (facts.links > 1) throw unsafe(name, "has more than one hard link");
    return { content: readAll(handle, { path: name, maxBytes }), facts };
  } finally {
    handle.close();
  }
}

function openUnfollowed(files: Files, path: string, name: string): ReadHandle | undefined {
  try {
    return files.openRead(path, { noFollow: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw unsafe(name, "is a link");
    // What a socket or a device without a driver says.
    if (code === "ENXIO") throw unsafe(name, "is not a regular file");
    throw error;
  }
}

function unsafe(name: string, why: string): AppError {
  return new AppError({
    code: "unsafe-file",
    message: `${JSON.stringify(name)} ${why}`,
    fix: "move it away, or put a plain one in its place",
    disposition: "give-up",
  });
}

function notFolder(path: string): AppError {
  return new AppError({
    code: "unsafe-file",
    message: `${path} is not a folder`,
    fix: "move it away, or put the folder back where it was",
    // Nothing was read or written, and the person may mend it at any time.
    disposition: "retry",
  });
}

function swapped(path: string): AppError {
  return new AppError({
    code: "folder-swapped",
    message: `${path} was replaced by another folder`,
    fix: "put the folder back where it was",
    disposition: "retry",
  });
}
