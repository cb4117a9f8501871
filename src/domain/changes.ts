// What any producer may ask of a memory folder, and what the gate answers.
import type { ContentHash, MemoryDraft } from "./memories.ts";
import type { Instant } from "./records.ts";
import type { ProjectRef, SessionRef } from "./sessions.ts";

/** `<time>-<random>`; sorts by time. */
export type RunId = string;

/** The quoted words, and whose they are, that support a proposal. */
export interface Evidence {
  readonly session: SessionRef;
  /** Of a memory or an instruction file: its name. */
  readonly recordId: string;
  /** `instruction`: a file of rules; it supports no text, only the removal of what it overrules. */
  readonly by: "user" | "assistant" | "tool" | "log" | "memory" | "instruction";
  readonly quote: string;
  /** When it was said; undefined when the transcript does not tell. */
  readonly at: Instant | undefined;
}

/** Why a memory goes. `forgotten`: a person's own command, nothing else. */
export type RemovalReason = "superseded" | "duplicate" | "wrong" | "stale" | "forgotten";

export type MemoryChange =
  | {
      readonly op: "create";
      readonly file: string;
      readonly memory: MemoryDraft;
      readonly evidence: readonly Evidence[];
    }
  | {
      readonly op: "update";
      readonly file: string;
      readonly basis: ContentHash;
      readonly memory: MemoryDraft;
      readonly evidence: readonly Evidence[];
    }
  /** The same fact was stated again: only bookkeeping fields move. */
  | {
      readonly op: "confirm";
      readonly file: string;
      readonly basis: ContentHash;
      readonly evidence: readonly Evidence[];
    }
  | {
      readonly op: "delete";
      readonly file: string;
      readonly basis: ContentHash;
      readonly reason: RemovalReason;
      readonly evidence: readonly Evidence[];
    }
  /** The person takes some of the records back; the memory stands on the others. Only a person's command asks this. */
  | {
      readonly op: "withdraw";
      readonly file: string;
      readonly basis: ContentHash;
      readonly records: readonly string[];
      /** When the newest of the other records was said, where we know. */
      readonly saidAt: Instant | undefined;
      readonly evidence: readonly Evidence[];
    };

/** Who made a change set. `person`: a command the person typed. */
export type Producer = "offline" | "model" | "person" | "upkeep";

/** The proposals of one run, committed all or not at all. */
export interface ChangeSet {
  readonly run: RunId;
  readonly kind: string;
  readonly trigger: string;
  readonly project: ProjectRef;
  readonly memoryDir: string;
  readonly changes: readonly MemoryChange[];
  readonly producer: Producer;
}

/** Closed set of reasons a proposal is refused; printed as stored. */
export type RefusalCode =
  | "bad-name"
  | "bad-path"
  | "bad-frontmatter"
  | "empty"
  | "too-large"
  | "not-a-memory-file"
  | "no-evidence"
  | "unsupported"
  | "secret"
  | "permission-text"
  /** It tells somebody to do what only a tool, a page or an assistant asked for. */
  | "foreign-order"
  | "excluded-kind"
  /** An instruction file of the project says it already. */
  | "restated"
  | "already-known"
  | "already-recorded"
  | "removed-before"
  | "changed-since-read"
  /** Newer words of the person already stand in that file. */
  | "older-than-known"
  /** The file belongs to another project that shares the folder. */
  | "other-project"
  | "ambiguous-name"
  | "unsafe-file"
  | "loss";

export type Verdict =
  | { readonly change: MemoryChange; readonly accepted: true }
  | {
      readonly change: MemoryChange;
      readonly accepted: false;
      readonly reason: RefusalCode;
      /** One sentence a person (or a model) can act on; never holds a secret. */
      readonly message: string;
    };

/** A statement too weak to be saved by itself; waits for a second sighting or a person. */
export interface Candidate {
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
  readonly cue: string;
}
