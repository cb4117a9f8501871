// One folder held open by its descriptor, so that a swapped path can never lead elsewhere.
// On Linux every name is reached through /proc/self/fd/N (Node has no openat); elsewhere the
// folder's identity is compared before each call.
import * as fs from "node:fs";
import { AppError } from "../domain/errors.ts";
import type { FileFacts, Files, ReplaceOptions } from "./files.ts";

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
  remove(name: string): void;
  close(): void;
}

/** Opens an existing folder by its real path. Undefined when it does not exist. */
export function openFolder(files: Files, path: string): Folder | undefined {
  const real = files.real(path);
  if (real === undefined) return undefined;
  const fd = fs.openSync(real, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  const stat = fs.fstatSync(fd);
  const fileId = `${stat.dev}:${stat.ino}`;
  const base = process.platform === "linux" ? `/proc/self/fd/${fd}` : real;
  const at = (name: string) => {
    assertPlainName(name);
    if (base === real && files.look(real)?.fileId !== fileId) throw swapped(real);
    return `${base}/${name}`;
  };
  return {
    path: real,
    fileId,
    names: () => files.names(base) ?? [],
    look: (name) => files.look(at(name)),
    read: (name, maxBytes) => readSafely(files, { path: at(name), name, maxBytes }),
    replace: (name, content, options) => {
      refuseOddTarget(files, at(name), name);
      files.replace(at(name), content, options);
    },
    remove: (name) => {
      refuseOddTarget(files, at(name), name);
      files.remove(at(name));
    },
    close: () => fs.closeSync(fd),
  };
}

function assertPlainName(name: string): void {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
    throw new AppError({ code: "bad-name", message: `not a plain file name: ${JSON.stringify(name)}` });
  }
}

function refuseOddTarget(files: Files, path: string, name: string): void {
  const facts = files.look(path);
  if (facts !== undefined && facts.kind !== "file") throw unsafe(name, `is a ${facts.kind}`);
}

interface SafeRead {
  readonly path: string;
  readonly name: string;
  readonly maxBytes: number;
}

function readSafely(
  files: Files,
  { path, name, maxBytes }: SafeRead,
): { content: Buffer; facts: FileFacts } | undefined {
  const facts = files.look(path);
  if (facts === undefined) return undefined;
  if (facts.kind !== "file") throw unsafe(name, `is a ${facts.kind}`);
  // A hard link may lead to a file outside; reading it would leak it into memory.
  if (facts.links > 1) throw unsafe(name, "has more than one hard link");
  const content = files.read(path, maxBytes);
  const after = files.look(path);
  if (content === undefined || after === undefined || after.fileId !== facts.fileId) return undefined;
  return { content, facts };
}

function unsafe(name: string, why: string): AppError {
  return new AppError({
    code: "unsafe-file",
    message: `${JSON.stringify(name)} ${why}`,
    disposition: "give-up",
  });
}

function swapped(path: string): AppError {
  return new AppError({
    code: "folder-swapped",
    message: `${path} was replaced by another folder`,
    disposition: "retry",
  });
}
