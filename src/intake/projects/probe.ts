// Questions about paths that come from strangers: what may not or cannot be looked at counts as absent.
// Never writes, never reads more than it was allowed to.
import { systemCode } from "../../domain/errors.ts";
import type { FileFacts, Files } from "../../system/files.ts";

/** Answers of the system that say "there is nothing here for you" about a path out of a transcript. */
const UNREACHABLE = new Set([
  "EACCES",
  "EPERM",
  "ELOOP",
  "ENAMETOOLONG",
  "EINVAL",
  "ENXIO",
  "EISDIR",
  "ENODEV",
  "ERR_INVALID_ARG_VALUE",
  "not-a-file",
  "too-large",
]);

export interface Probe {
  /** Kind of what the path leads to. */
  kind(path: string): FileFacts["kind"] | undefined;
  /** Whether the path itself is a link, wherever it leads. */
  isLink(path: string): boolean;
  /** `<device>:<inode>` of what the path leads to. */
  fileId(path: string): string | undefined;
  /** The path without links. */
  real(path: string): string | undefined;
  names(folder: string): readonly string[];
  /** A small file's text; undefined when absent, too large or no regular file. */
  text(path: string, maxBytes: number): string | undefined;
}

export function createProbe(files: Files): Probe {
  return {
    kind: (path) => quietly(() => files.follow(path)?.kind),
    isLink: (path) => quietly(() => files.look(path)?.kind) === "link",
    fileId: (path) => quietly(() => files.follow(path)?.fileId),
    real: (path) => quietly(() => files.real(path)),
    names: (folder) => quietly(() => files.names(folder)) ?? [],
    text: (path, maxBytes) => quietly(() => files.read(path, maxBytes))?.toString("utf8"),
  };
}

/** Runs one question; the listed system answers mean undefined, anything else is thrown. */
export function quietly<T>(ask: () => T | undefined): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (UNREACHABLE.has(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
