// The one place that decides whether a name a model gave may be used. Knows strings only; opens nothing and never
// repeats a refused name.
import type { RefusalCode } from "../../domain/changes.ts";
import { checkExistingName, checkFileName } from "../../memory/files/file-name.ts";
import { entryKind } from "../../memory/files/folder-names.ts";

/** Why a name, pattern or tool was denied; a closed set that is safe to log. */
export type DenialCode = RefusalCode | "no-such-memory" | "bad-pattern" | "unknown-tool" | "too-many-calls";

export interface Denial {
  readonly why: DenialCode;
  /** One sentence the model can mend; holds nothing the model sent. */
  readonly message: string;
}

export type NameAnswer = { readonly file: string } | Denial;

/** The real name behind a spelling, for names the folder holds; undefined for all others. */
export type Lookup = (given: string) => string | undefined;

/** Longest file name of common file systems; a longer text is no name and is not looked at further. */
const NAME_CHARS_MAX = 255;

/** A file to read or edit: one the folder holds. Everything else does not exist here, wherever it may lie. */
export function nameToRead(given: string, lookup: Lookup): NameAnswer {
  const why = problemOf(given, checkExistingName);
  if (why !== undefined) return { why, message: `there is no such memory; ${advice(why)}` };
  const file = lookup(given);
  return file === undefined
    ? { why: "no-such-memory", message: "there is no such memory; glob with * lists the files" }
    : { file };
}

/**
 * A file to write: one the folder holds, or a plain new name that the folder will take for a memory. The gate asks
 * more of a new name (`rules/new-name.ts`).
 */
export function nameToWrite(given: string, lookup: Lookup): NameAnswer {
  const known = nameToRead(given, lookup);
  if ("file" in known) return known;
  const why = problemOf(given, checkFileName) ?? kindProblem(given, lookup);
  return why === undefined ? { file: given } : { why, message: `${advice(why)}; ${NEW_NAME}` };
}

function problemOf(given: string, check: (name: string) => RefusalCode | undefined): RefusalCode | undefined {
  return given.length > NAME_CHARS_MAX ? "bad-name" : check(given);
}

/** Names that look like a sync tool's copy or an editor's leftover would be written and never read again. */
function kindProblem(name: string, lookup: Lookup): RefusalCode | undefined {
  const { kind } = entryKind(name, (other) => lookup(other) !== undefined);
  return kind === "topic" ? undefined : "not-a-memory-file";
}

const NEW_NAME =
  "a new file is named like feedback_commit_style.md: its type, then Latin letters, digits and _, all in lower case";

function advice(why: RefusalCode): string {
  return why === "not-a-memory-file"
    ? "only plain .md files of this folder are memories; the index MEMORY.md is kept by the host"
    : "give one plain file name, without any folder";
}
