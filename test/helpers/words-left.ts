// Which files below some folders hold certain words: in their bytes or in their own names, whatever letter case.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Paths of the files that hold any of `words`, with the word; folders that do not exist hold none. */
export function wordsLeft(folders: readonly string[], words: readonly string[]): string[] {
  const needles = words.flatMap((word) => [word.normalize("NFC"), word.normalize("NFD")]);
  return folders.filter((folder) => existsSync(folder)).flatMap((folder) => inFolder(folder, needles));
}

function inFolder(folder: string, needles: readonly string[]): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? readFileSync(path).toString("utf8") : "";
    const all = `${relative(folder, path)}\n${text}`.toLowerCase();
    const found = needles.find((needle) => all.includes(needle.toLowerCase()));
    return found === undefined ? [] : [`${path}: ${found}`];
  });
}
