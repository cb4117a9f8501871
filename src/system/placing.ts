// Puts a whole file or folder where nothing is yet. Never replaces anything, and a crash leaves all of it or nothing.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../domain/errors.ts";
import type { Files } from "./files.ts";
import { TEMPORARY_PREFIX } from "./files.ts";
import { markedName } from "./process-mark.ts";

export interface PlacedFile {
  readonly path: string;
  readonly content: Buffer;
  readonly mtimeMs: number;
}

/** What file systems without hard links say. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** False when something has the name already. */
export function placeFile(files: Files, { path, content, mtimeMs }: PlacedFile): boolean {
  if (files.look(path) !== undefined) return false;
  const unfinished = join(dirname(path), `${TEMPORARY_PREFIX}${markedName("placing")}`);
  files.replace(unfinished, content, { mtimeMs });
  try {
    fs.linkSync(unfinished, path);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    if (files.look(path) !== undefined) return false;
    files.replace(path, content, { mtimeMs });
    return true;
  } finally {
    files.remove(unfinished);
  }
}

/** Gives a folder or file another name beside the old one. False when it is gone, or something has the new name. */
export function renameFree(files: Files, from: string, to: string): boolean {
  if (files.look(from) === undefined || files.look(to) !== undefined) return false;
  fs.renameSync(from, to);
  flushFolder(dirname(to));
  return true;
}

function flushFolder(folder: string): void {
  const fd = fs.openSync(folder, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
