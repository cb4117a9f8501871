// Judges whether a folder is this user's alone. Small on purpose: every command that asks the daemon loads it.
import type { Files } from "./files.ts";

/** What lets another user put a socket into this folder; undefined when nothing does or nothing is there. */
export function whyNotPrivate(files: Files, folder: string): string | undefined {
  const facts = files.look(folder);
  if (facts === undefined) return undefined;
  if (facts.kind !== "folder") return `is a ${facts.kind}, not a folder`;
  const uid = process.getuid?.();
  if (uid !== undefined && facts.uid !== uid) return `belongs to user ${facts.uid}, not to you (${uid})`;
  if ((facts.mode & 0o022) !== 0) return `may be written by others (mode ${facts.mode.toString(8)})`;
  return undefined;
}
