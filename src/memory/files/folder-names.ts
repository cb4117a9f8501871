// Tells from a name alone what an entry of a memory folder is: memory, index, a sync tool's copy, a leftover.
import { checkExistingName, INDEX_FILE } from "./file-name.ts";

export type EntryKind =
  | { readonly kind: "index" }
  | { readonly kind: "topic" }
  /** A sync tool's second version of a memory or of the index. */
  | { readonly kind: "conflict-copy" }
  /** A placeholder for `file`, which the cloud has not downloaded. */
  | { readonly kind: "placeholder"; readonly file: string }
  | { readonly kind: "no-memory"; readonly why: string }
  /** Not worth telling anybody: hidden files, our own, other file types. */
  | { readonly kind: "ignored" };

/** Syncthing, Dropbox (several languages), Nextcloud. */
const CONFLICT_NAME =
  /\.sync-conflict-\d{8}-\d{6}|conflicted copy|case conflict|Konfliktkopie|in Konflikt stehende Kopie|copie en conflit|copia en conflicto|競合コピー|冲突副本|衝突複本/iu;
/** iCloud and file managers number a second version: `name 2.md`, `name (1).md`. */
const NUMBERED_NAME = /^(.+?) (?:\d{1,3}|\(\d{1,3}\))\.md$/u;
const PLACEHOLDER_NAME = /^\.(.+)\.icloud$/u;
/** Backups and lock files of editors; 4913 is what vim writes to try a folder. */
const LEFTOVER_NAME = /~$|^\.#|^#.*#$|^4913$|\.md\.tmp|\.(?:bak|orig|swp|swo|part|crdownload)$|^~\$/u;

/** `hasFile` answers whether the folder holds a file of that name. */
export function entryKind(name: string, hasFile: (name: string) => boolean): EntryKind {
  if (name === INDEX_FILE) return { kind: "index" };
  const placeholder = PLACEHOLDER_NAME.exec(name)?.[1];
  if (placeholder?.endsWith(".md")) return { kind: "placeholder", file: placeholder.normalize("NFC") };
  if (LEFTOVER_NAME.test(name)) return { kind: "no-memory", why: "left behind by an editor or a sync tool" };
  if (name.startsWith(".")) return { kind: "ignored" };
  if (!/\.md$/iu.test(name)) return { kind: "ignored" };
  if (CONFLICT_NAME.test(name)) return { kind: "conflict-copy" };
  const first = NUMBERED_NAME.exec(name)?.[1];
  // A numbered name is a copy only beside its original; "chapter 2.md" alone is a memory.
  if (first !== undefined && (first === "MEMORY" || hasFile(`${first}.md`))) return { kind: "conflict-copy" };
  if (name !== name.normalize("NFC")) {
    return { kind: "no-memory", why: "its name is not in composed Unicode form (NFC)" };
  }
  if (name.toLowerCase() === INDEX_FILE.toLowerCase()) {
    return { kind: "no-memory", why: `another spelling of ${INDEX_FILE}` };
  }
  if (checkExistingName(name) !== undefined)
    return { kind: "no-memory", why: "its name is not a plain .md name" };
  return { kind: "topic" };
}
