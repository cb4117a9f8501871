// A name of ours that leads to somebody else's file, so that a program finds it where it looks. Touches no target.
import * as fs from "node:fs";
import { removeFolder } from "./removal.ts";

/** Makes `path` lead to `target`, whatever was there before; whether the target exists does not matter. */
export function pointTo(path: string, target: string): void {
  removeFolder(path);
  fs.symlinkSync(target, path);
}
