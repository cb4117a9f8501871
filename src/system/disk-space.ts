// How much room is left where a path lies.
import { statfsSync } from "node:fs";
import { systemCode } from "../domain/errors.ts";

/** Bytes this user may still write there; undefined for a path that is not there. */
export function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
