// The documents of `review`: what waits for a person, and what became of it. A contract: add, never rename.
import type { Reason } from "./account.ts";
import type { MemoryType } from "./memories.ts";

export interface InboxRequest {
  /** Only this project (absolute path inside it); absent: all. */
  readonly project?: string;
  /** One item with its texts: its id or a unique beginning of it. */
  readonly id?: string;
}

export interface InboxChange {
  readonly op: "create" | "update" | "confirm" | "delete";
  /** Null for a new memory: its file is named when it is accepted. */
  readonly file: string | null;
  readonly name: string | null;
  readonly type: MemoryType | null;
  readonly description: string | null;
  /** What it would change in the folder as it is now, as a unified diff; null in a list. */
  readonly patch: string | null;
}

export interface InboxEvidence {
  readonly session: string;
  readonly agent: string;
  readonly record: string;
  readonly by: string;
  readonly quote: string;
  readonly at: string | null;
}

export interface InboxItemView {
  /** What `review accept` and `review reject` take. */
  readonly id: string;
  readonly kind: "proposal" | "candidate" | "quarantine";
  readonly project: string;
  readonly memoryDir: string;
  /** Why it waits. */
  readonly why: Reason;
  /** ISO times: when it came, when words for it came last, when it goes by itself. */
  readonly since: string;
  readonly seen: string;
  readonly expires: string;
  readonly changes: readonly InboxChange[];
  /** Whose words it rests on; in a list the first of them. */
  readonly evidence: readonly InboxEvidence[];
  /** Sessions it was said in. */
  readonly sessions: number;
  /** Why it cannot be accepted as things are now; null where nothing is known against it, and in a list. */
  readonly blocked: Reason | null;
}

export interface InboxReply {
  readonly v: 1;
  /** Proposals first, the newest of each kind first. */
  readonly items: readonly InboxItemView[];
  /** Items that went by themselves since the projects are known: their time was over, or there were too many. */
  readonly expired: number;
  readonly dropped: number;
}

/** Ids, or all of a project. */
export interface DecideRequest {
  /** Ids or unique beginnings of them, joined by commas. */
  readonly ids?: string;
  readonly all?: boolean;
  /** Absolute path inside the project; needed with `all`. */
  readonly project?: string;
}

export interface DecidedItem {
  readonly id: string;
  /**
   * `known`: a memory says it already. `refused`: it cannot be accepted as things are now; it stays. `rejected`: it never
   * comes back from the same words.
   */
  readonly outcome: "accepted" | "known" | "refused" | "rejected";
  readonly project: string;
  readonly description: string;
  readonly files: readonly string[];
  /** The run that wrote it, for `engramd undo`. */
  readonly run: string | null;
  readonly reason: Reason | null;
}

export interface DecideReply {
  readonly v: 1;
  readonly items: readonly DecidedItem[];
  readonly message: string;
}
