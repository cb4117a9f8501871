// What one memory is: types, headers, drafts. Rules about how they are written live in memory/.
import type { Instant } from "./records.ts";

/** The closed set of memory types. */
export const MEMORY_TYPES = ["user", "feedback", "project", "reference"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** SHA-256 of a file's bytes, lower-case hex. */
export type ContentHash = string;

/** What a producer wants a topic file to say; the host adds every bookkeeping field. */
export interface MemoryDraft {
  /** Kebab-case slug. */
  readonly name: string;
  /** One line; decides relevance. */
  readonly description: string;
  readonly type: MemoryType;
  /** Markdown without frontmatter. */
  readonly body: string;
}

/** How a topic file's frontmatter was found. */
export type FrontmatterState = "ok" | "none" | "malformed";

/** Everything engramd knows about one topic file. Unknown means undefined, never a guess. */
export interface Memory {
  /** File name inside the memory folder, NFC. */
  readonly file: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly type: MemoryType | undefined;
  readonly body: string;
  readonly frontmatter: FrontmatterState;
  readonly hash: ContentHash;
  readonly mtimeMs: Instant;
  /** Local calendar date (`YYYY-MM-DD`) the fact was last stated or checked. */
  readonly confirmed: string | undefined;
  readonly modified: string | undefined;
  readonly originSessionId: string | undefined;
  /** Record ids named in the file (at most three kept by us). */
  readonly evidence: readonly string[];
  /** Path of origin, written only where several projects share one folder. */
  readonly origin: string | undefined;
  /** Names of `[[links]]` in the body. */
  readonly links: readonly string[];
}
