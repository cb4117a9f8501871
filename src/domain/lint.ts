// The document of `lint`: what is wrong in memory folders, found without a model. A contract: add, never rename.
import type { RunId } from "./changes.ts";

/** Closed set of what can be found; printed as stored. */
export const FINDING_CODES = [
  "dead-index-line",
  "orphan-file",
  "long-index-line",
  "too-many-index-lines",
  "index-too-large",
  "index-full",
  "unreadable-file",
  "conflict-copy",
  "broken-frontmatter",
  "missing-frontmatter",
  "missing-name",
  "missing-description",
  "missing-type",
  "missing-reasons",
  "exact-duplicate",
  "near-duplicate",
  "too-many-to-compare",
  "dead-link",
  "relative-date",
  "line-citation",
  "vanished-path",
  "vanished-command",
  "vanished-package",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** File name inside the memory folder. */
  readonly file: string;
  /** Line of that file, from 1; null where the whole file is meant. */
  readonly line: number | null;
  /** What is wrong and what to do; made safe to print. */
  readonly message: string;
  /** `lint --fix` mends it. */
  readonly fixable: boolean;
}

export interface LintRequest {
  /** Absolute path inside the project; absent with `all`. */
  readonly project?: string;
  readonly all?: boolean;
}

export interface ProjectFinding extends Finding {
  /** Root of the project. */
  readonly project: string;
}

export interface LintReply {
  readonly v: 1;
  /** After a fix: what is left. */
  readonly findings: readonly ProjectFinding[];
  /** Only after a fix: what was mended, and the runs that did it, which `undo` puts back. */
  readonly fixed?: readonly ProjectFinding[];
  readonly runs?: readonly RunId[];
  /** Only after a fix: folders that were left alone, and why. */
  readonly kept?: readonly KeptFolder[];
}

export interface KeptFolder {
  readonly project: string;
  readonly why: string;
}
