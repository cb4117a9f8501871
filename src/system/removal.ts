// Removing folders: an empty one, or one of ours with everything in it. Never follows a link out of it.
import * as fs from "node:fs";
import { systemCode } from "../domain/errors.ts";

/** Removes a folder that has nothing in it; false when it is missing, in use or no folder. */
export function removeEmptyFolder(path: string): boolean {
  try {
    fs.rmdirSync(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EBUSY"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

/** Removes a folder of ours with all it holds. Of a link only the link goes. */
export function removeFolder(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}
