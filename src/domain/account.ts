// The documents of `why`, `news`, `ignore` and `cancel`: engramd accounts for what it did. A contract: add, never rename.
import type { MemoryType } from "./memories.ts";

/** A code, and the sentence it means. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export interface WhyRequest {
  /** A session (id, unique beginning, or absolute path of its transcript), or the name or file of a memory. */
  readonly what: string;
  /** Absolute path inside the project whose memories are meant. */
  readonly project: string;
}

export type WhyReply = SessionStory | MemoryStory;

export type MessageOutcome =
  | "saved"
  | "updated"
  | "confirmed"
  /** It taught a memory that a person took away. */
  | "taken-back"
  | "candidate"
  | "refused"
  | "skipped"
  | "waiting"
  /** It was read, and held nothing to keep. */
  | "nothing";

export interface MessageStory {
  /** The transcript's own id of it. */
  readonly record: string;
  readonly at: string | null;
  /** The beginning of what was typed; secrets masked. */
  readonly text: string;
  readonly outcome: MessageOutcome;
  readonly reason: Reason | null;
  /** What a waiting message waits for ends then; null: nobody knows, or it does not wait. */
  readonly until: string | null;
  readonly memories: readonly {
    readonly file: string;
    readonly op: string;
    readonly run: string;
    /** It is not there any more. */
    readonly gone: boolean;
  }[];
}

export interface SessionStory {
  readonly v: 1;
  readonly about: "session";
  readonly session: string;
  readonly agent: string;
  readonly project: string | null;
  readonly transcripts: readonly string[];
  /** A person took it back: nothing more is learnt from it. */
  readonly ignored: boolean;
  /** Oldest first. */
  readonly messages: readonly MessageStory[];
  /** Older messages that are not shown. */
  readonly more: number;
  /** Bytes at the beginning that were not looked at. */
  readonly unseenBytes: number;
}

export interface WhyEvidence {
  readonly record: string;
  readonly session: string;
  readonly by: string;
  readonly at: string | null;
  /** The words, as the transcript has them now; null where it is gone or was not looked at. */
  readonly quote: string | null;
  /** Why there are no words. */
  readonly missing: string | null;
  readonly op: string;
  readonly run: string;
}

export interface MemoryStory {
  readonly v: 1;
  readonly about: "memory";
  readonly name: string;
  readonly file: string;
  readonly project: string;
  readonly type: MemoryType | null;
  /** It is not there any more. */
  readonly gone: boolean;
  /** Who wrote what it says. */
  readonly made: "from-sessions" | "on-request" | "by-hand";
  /** The same as a sentence. */
  readonly message: string;
  /** What it rests on, oldest first. */
  readonly evidence: readonly WhyEvidence[];
  /** What was done to it, oldest first. */
  readonly changes: readonly {
    readonly at: string;
    readonly run: string;
    readonly kind: string;
    readonly op: string;
    readonly by: ChangedBy;
    readonly trigger: string;
  }[];
  /** Evidence and changes that are not shown. */
  readonly more: number;
}

/** `person`: a command; `hand`: the file was edited, by a person or by the host agent. */
export type ChangedBy = "rules" | "model" | "person" | "hand" | "engramd";

export interface NewsRequest {
  /** A person reads the answer: the next one begins here. */
  readonly looked?: boolean;
  /** Only this project (absolute path inside it). */
  readonly project?: string;
}

export interface NewsItem {
  readonly what: "learned" | "changed" | "removed";
  readonly file: string;
  readonly name: string;
  readonly type: MemoryType | null;
  readonly description: string | null;
  readonly at: string;
  readonly by: ChangedBy;
  readonly run: string;
  /** The command that takes it back; null: there is none. */
  readonly undo: string | null;
}

export interface NewsReply {
  readonly v: 1;
  /** News of after this time. */
  readonly since: string;
  /** Nobody has looked before: the last days. */
  readonly first: boolean;
  readonly projects: readonly {
    readonly project: string;
    readonly memoryDir: string;
    readonly since: string;
    /** Newest first. */
    readonly items: readonly NewsItem[];
    /** Memories whose fact was stated again. */
    readonly confirmed: number;
    /** Items that are not shown. */
    readonly more: number;
  }[];
  /** Memory folders that have news and cannot be read: it stays news until it can be told. */
  readonly notShown?: readonly {
    readonly memoryDir: string;
    readonly project: string;
    readonly why: string;
  }[];
  /** Why it could not be noted that a person looked: the same is news again the next time. */
  readonly notNoted?: string;
}

export interface IgnoreRequest {
  /** Session id, unique beginning, or absolute path of its transcript. */
  readonly session: string;
}

export interface IgnoreReply {
  readonly v: 1;
  readonly outcome: "ignored" | "already-ignored";
  readonly session: string;
  /** Null: engramd has not met this session. */
  readonly agent: string | null;
  readonly removed: readonly IgnoredFile[];
  readonly kept: readonly (IgnoredFile & { readonly reason: Reason })[];
  /** Candidates that went. */
  readonly candidates: number;
  readonly message: string;
}

export interface IgnoredFile {
  readonly file: string;
  readonly name: string;
  readonly project: string;
}

export interface CancelRequest {
  /** Id of a run, or of a job that waits for its run. */
  readonly run: string;
}

export interface CancelReply {
  readonly v: 1;
  /**
   * `cancelled`: it has ended, or will not begin. `stopping`: it was told to end and has not yet. `finished`: it was
   * done before it could be stopped.
   */
  readonly outcome: "cancelled" | "stopping" | "finished";
  readonly run: string;
  readonly kind: string;
  readonly project: string;
  readonly message: string;
}
