// One spelling for one path: which paths belong to this file system and how each is written down.
// Pure: never looks at the disk.
import { posix } from "node:path";
import { PATH_CHARS_MAX } from "../../domain/limits.ts";

export type SpelledPath =
  /** May exist here. `exact` keeps the writer's Unicode form, `path` is NFC. */
  | { readonly style: "local"; readonly path: string; readonly exact: string }
  /** A path of another machine (Windows drive, UNC, WSL share); must never be opened here. */
  | { readonly style: "foreign"; readonly path: string }
  /** Names no place at all (empty, relative, NUL inside, endless). */
  | { readonly style: "unusable"; readonly path: string };

/** Reads a working directory as a transcript spells it. Total: any string has an answer. */
export function spellPath(raw: string): SpelledPath {
  const text = raw.slice(0, PATH_CHARS_MAX).normalize("NFC");
  if (raw.length > PATH_CHARS_MAX || raw.includes("\0")) return unusable(text);
  if (/^[A-Za-z]:/.test(text)) return { style: "foreign", path: spellDrive(text) };
  if (/^(\\\\|\/\/)/.test(text)) return { style: "foreign", path: spellShare(text) };
  if (!text.startsWith("/")) return unusable(text);
  return { style: "local", path: tidy(text), exact: tidy(raw) };
}

function unusable(text: string): SpelledPath {
  return { style: "unusable", path: text.replaceAll("\0", "") };
}

function tidy(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}

/** `c:/git/x/` and `C:\git\x` are one folder; the case of the rest may matter, so it stays. */
function spellDrive(text: string): string {
  const drive = text.slice(0, 1).toUpperCase();
  const rest = text.slice(2).replace(/[\\/]+/g, "\\");
  return rest === "" || rest === "\\" ? `${drive}:\\` : `${drive}:${withoutTail(rest)}`;
}

function spellShare(text: string): string {
  return `\\\\${withoutTail(text.replace(/^[\\/]+/, "").replace(/[\\/]+/g, "\\"))}`;
}

function withoutTail(path: string): string {
  return path.endsWith("\\") ? path.slice(0, -1) : path;
}
