// Names of topic files and memories: how we make them, and which ones we accept. Looks at the string only;
// whether a file is there, and what it is, is the folder's business.
import type { RefusalCode } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { MemoryDraft } from "../../domain/memories.ts";
import { shortHash } from "../../system/ids.ts";

export const INDEX_FILE = "MEMORY.md";

/** Words and characters of a file name beside its type; longer names only cost index space. */
const WORDS_MAX = 5;
const WORD_CHARS_MAX = 40;
/** Longest file name; leaves room for the temporary prefix within the 255 bytes of file systems. */
const FILE_CHARS_MAX = 120;
/** Numbered names tried before a hash decides. */
const NUMBERED_MAX = 20;

export interface NameContext {
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
  readonly isTaken: (file: string) => boolean;
}

/** `<type>_<latin words>.md`, or `<type>_<yyyymmdd>-<hash4>.md` where no Latin word is left. */
export function fileNameFor(draft: MemoryDraft, { today, isTaken }: NameContext): string {
  const words = latinWords(draft.name, draft.type);
  const found = words.length > 0 ? words : latinWords(draft.description, draft.type);
  const hash = (length: number) =>
    shortHash(JSON.stringify([draft.name, draft.description, draft.body]), length);
  const dated = (length: number) => `${draft.type}_${today.replaceAll("-", "")}-${hash(length)}.md`;
  if (found.length === 0) return isTaken(dated(4)) ? dated(12) : dated(4);
  const stem = `${draft.type}_${found.join("_")}`;
  for (let number = 1; number <= NUMBERED_MAX; number += 1) {
    const file = number === 1 ? `${stem}.md` : `${stem}_${number}.md`;
    if (!isTaken(file)) return file;
  }
  return `${stem}_${hash(8)}.md`;
}

/** Kebab-case name of a memory; letters of every script stay. "" when the text holds no letter or digit. */
export function slugOf(text: string): string {
  const words =
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = "";
  for (const word of words) {
    const next = slug === "" ? word : `${slug}-${word}`;
    if (next.length > MEMORY_LIMITS.nameCharsMax) break;
    slug = next;
  }
  // One word longer than the limit, as in scripts that do not separate words.
  return slug === "" ? cut(words[0] ?? "", MEMORY_LIMITS.nameCharsMax) : slug;
}

/** Why a new file must not have this name; undefined when it may. */
export function checkFileName(file: string): RefusalCode | undefined {
  const path = pathProblem(file);
  if (path !== undefined) return path;
  if (!/^[A-Za-z0-9_.-]+$/u.test(file) || file.length > FILE_CHARS_MAX) return "bad-name";
  return kindProblem(file) ?? (/^[A-Za-z0-9_]/u.test(file) ? undefined : "bad-name");
}

/** As `checkFileName` for a file that exists: its owner may have used any letters, blanks and brackets. */
export function checkExistingName(file: string): RefusalCode | undefined {
  const path = pathProblem(file);
  if (path !== undefined) return path;
  if (file !== file.normalize("NFC") || file.trim() !== file) return "bad-name";
  return kindProblem(file);
}

/** Anything that some layer could take for a path, a drive, a stream or an encoded form of one. */
function pathProblem(file: string): RefusalCode | undefined {
  if (file === "") return "bad-name";
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(file)) return "bad-name";
  const folded = file.normalize("NFKC");
  const encoded = /%(?:25)*(?:2e|2f|5c|00)/iu;
  if (/[/\\:]/u.test(folded) || encoded.test(folded) || /^\.\.(?:$|[^\p{L}\p{N}])/u.test(folded))
    return "bad-path";
  return undefined;
}

function kindProblem(file: string): RefusalCode | undefined {
  const folded = file.normalize("NFKC").toLowerCase();
  if (file.startsWith(".") || !file.endsWith(".md") || folded === INDEX_FILE.toLowerCase())
    return "not-a-memory-file";
  return file.length === ".md".length ? "bad-name" : undefined;
}

function latinWords(text: string, type: string): string[] {
  const plain = text.replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.match(/[a-z0-9]+/gu) ?? [];
  if (words[0] === type) words.shift();
  const telling = words.filter((word) => word.length > 1);
  // Digits alone, or single letters between words of another script, say nothing.
  if (!telling.some((word) => /[a-z]{2}/u.test(word))) return [];
  const kept: string[] = [];
  for (const word of telling.slice(0, WORDS_MAX)) {
    const next = cut(word, WORD_CHARS_MAX);
    if ([...kept, next].join("_").length > WORD_CHARS_MAX) break;
    kept.push(next);
  }
  return kept;
}

/** Cuts between characters, never inside one. */
function cut(text: string, charsMax: number): string {
  let kept = "";
  for (const character of text) {
    if (kept.length + character.length > charsMax) break;
    kept += character;
  }
  return kept;
}
