// The documents of `history`, `diff` and `undo`: what ran, what it changed, and putting it back. A contract: add, never
// rename.
import type { ConsolidationSize } from "./consolidation.ts";

export interface HistoryRequest {
  /** Only runs that touched this memory: its name or file. Needs `project`. */
  readonly name?: string;
  /** Only this project (absolute path inside it); absent: all. */
  readonly project?: string;
  /** At most so many runs; default 100. */
  readonly limit?: number;
}

/** How large a memory folder was before a run and after it; of dreams and distillations. */
export interface Sizes {
  readonly before?: ConsolidationSize;
  readonly after?: ConsolidationSize;
}

export interface HistoryRun extends Sizes {
  readonly id: string;
  /** `extract`, `remember`, `forget`, `ignore`, `undo`; `edit` for what was done by hand. */
  readonly kind: string;
  readonly trigger: string;
  /** ISO time of its last change, or of its end. */
  readonly at: string;
  readonly project: string;
  readonly outcome: string;
  readonly files: readonly string[];
  /** What it did to each (with `name`: to that one) and why, in one sentence; absent where the history does not hold it any more. */
  readonly changes?: readonly { readonly file: string; readonly op: string; readonly why: string }[];
  /** Why a dream or a distillation failed: a code. */
  readonly reason?: string;
  readonly usd: number;
  /** Paid for by a subscription. */
  readonly plan?: true;
  /** `engramd undo` would put something back. */
  readonly undoable: boolean;
  /** It was put back, in all it had changed. */
  readonly undone: boolean;
  /** All that is left of it is that it was: what it had changed was purged. */
  readonly purged: boolean;
}

export interface HistoryReply {
  readonly v: 1;
  /** Newest first. */
  readonly runs: readonly HistoryRun[];
}

export interface DiffRequest {
  /** Id of a run. */
  readonly run: string;
}

export interface FileDiff {
  readonly file: string;
  readonly memoryDir: string;
  readonly op: string;
  /** Hashes of the whole file; null where there was none, or is none any more. */
  readonly before: string | null;
  readonly after: string | null;
  /** The change as a unified diff; secrets masked. Null: `why` tells. */
  readonly patch: string | null;
  readonly why: string | null;
  /** Why the run changed it, in one sentence. Null: it is not known any more. */
  readonly because: string | null;
}

export interface DiffReply extends Sizes {
  readonly v: 1;
  readonly run: string;
  readonly kind: string;
  readonly at: string;
  readonly files: readonly FileDiff[];
}

export interface UndoRequest {
  /** Id of a run; or `all`. */
  readonly run?: string;
  /** Every run of the project that nobody has undone yet. */
  readonly all?: boolean;
  /** Absolute path inside the project; needed with `all`. */
  readonly project?: string;
  /** Also where a later edit is lost by it. */
  readonly force?: boolean;
  /** Say what would be put back; change nothing. */
  readonly dryRun?: boolean;
}

export interface UndoReply {
  readonly v: 1;
  /** `nothing`: there was nothing left to put back. */
  readonly outcome: "undone" | "planned" | "nothing";
  /** Ids of what this undo did, which can be undone as well; one for each memory folder. */
  readonly undo: readonly string[];
  /** Runs that were put back, at least in part. */
  readonly runs: readonly string[];
  /** Files that were put back. */
  readonly restored: readonly string[];
  /** The same, with what became of each. */
  readonly changes: readonly {
    readonly file: string;
    readonly memoryDir: string;
    readonly what: "removed" | "changed-back" | "brought-back";
  }[];
  /** Files that stay as they are. */
  readonly refused: readonly {
    readonly file: string;
    readonly why: string;
    /** It is put back all the same with `force`; without it later edits stay. Of anything else nothing is left to put back. */
    readonly forcible: boolean;
  }[];
  readonly message: string;
}
