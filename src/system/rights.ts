// What this process may do with a path, asked of the kernel, and taking other people's rights from a file of ours.
import * as fs from "node:fs";
import { systemCode } from "../domain/errors.ts";

export type Right = "read" | "write" | "run";

const BITS: Readonly<Record<Right, number>> = {
  read: fs.constants.R_OK,
  write: fs.constants.W_OK,
  run: fs.constants.X_OK,
};

/** False as well for what is not there. */
export function mayUse(path: string, right: Right): boolean {
  try {
    fs.accessSync(path, BITS[right]);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** Sets the mode of a regular file or a folder; a link is refused with `ELOOP` and leads nowhere. */
export function setMode(path: string, mode: number): void {
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
  const fd = fs.openSync(path, flags);
  try {
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}
