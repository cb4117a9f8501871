// What engramd answers, whoever asks: the socket, the command line, tests. One interface, two homes:
// in-process (`app.ts`) and over the socket (`serve/client`). Documents are a contract: add, never rename.
import type {
  CancelReply,
  CancelRequest,
  IgnoreReply,
  IgnoreRequest,
  NewsReply,
  NewsRequest,
  WhyReply,
  WhyRequest,
} from "./account.ts";
import type { ConsolidationReply, DistillRequest, DreamRequest } from "./consolidation.ts";
import type { CostReport, CostRequest } from "./cost.ts";
import type {
  DiffReply,
  DiffRequest,
  HistoryReply,
  HistoryRequest,
  Sizes,
  UndoReply,
  UndoRequest,
} from "./history.ts";
import type { LogReply, LogRequest } from "./daily-log.ts";
import type { DecideReply, DecideRequest, InboxReply, InboxRequest } from "./inbox.ts";
import type { LintReply, LintRequest } from "./lint.ts";
import type { MemoryType } from "./memories.ts";
import type { ModelReport, UseModelReply, UseModelRequest } from "./model-choice.ts";
import type { Overview } from "./overview.ts";
import type { MoveReply, MoveRequest, ProjectList } from "./projects.ts";
import type { Paused, Status } from "./status.ts";

export interface SyncRequest {
  /** Read again what was passed over: sessions of the last N days, or all. Absent: only new bytes. */
  readonly backfillDays?: number | "all";
  /** Compute, write nothing outside our state, send nothing. */
  readonly dryRun?: boolean;
  /** Let the daemon do it; the answer tells what it will read. Needs a running daemon. */
  readonly background?: boolean;
  /** Only this project (absolute path inside it). */
  readonly project?: string;
}

export interface RunSummary {
  readonly id: string;
  readonly kind: string;
  readonly project: string;
  readonly outcome: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

export interface SyncReport {
  readonly v: 1;
  readonly sessions: { readonly seen: number; readonly new: number; readonly processed: number };
  readonly agents: Readonly<
    Record<
      string,
      {
        readonly sessions: number;
        readonly typedMessages: number;
        readonly headlessSessions: number;
        readonly damagedLines: number;
      }
    >
  >;
  readonly records: number;
  readonly damagedLines: number;
  readonly memories: {
    readonly created: number;
    readonly updated: number;
    readonly confirmed: number;
    readonly deleted: number;
    readonly candidates: number;
    readonly refused: readonly { readonly file: string; readonly reason: string }[];
  };
  readonly skipped: readonly { readonly session: string; readonly reason: string }[];
  /**
   * What a ceiling, or something else, kept from being read, its estimated price and the days that takes at the present
   * ceilings; in a dry run what would be left after today.
   */
  readonly remaining: {
    readonly sessions: number;
    readonly usd: number;
    readonly days: number;
    /** Of these, old sessions this pass was not asked for: neither priced nor planned. */
    readonly older?: number;
  };
  readonly runs: readonly RunSummary[];
  /** Sessions of programs nobody looks into, all that are known: too many at once, or another tool's own. Absent: none. */
  readonly passedOver?: { readonly flood: number; readonly observer: number };
  /** Only during a pause: nothing was read. */
  readonly paused?: Paused;
  /** Only with `dryRun`. */
  readonly estimate?: {
    readonly requests: number;
    readonly inputTokens: number;
    readonly usd: number;
    /** Part of a subscription. */
    readonly plan?: true;
  };
}

export interface MemoriesRequest {
  /** Absolute path inside the project; absent with `all`. */
  readonly project?: string;
  readonly all?: boolean;
  /** Exact name or file; used by `show` and `forget`. */
  readonly name?: string;
  /** Only what fits these words, best first. */
  readonly words?: string;
}

export interface MemoryItem {
  readonly name: string;
  readonly file: string;
  readonly type: MemoryType | null;
  readonly description: string | null;
  readonly project: string;
  readonly modified: string;
  readonly confirmed: string | null;
  readonly ageDays: number;
  readonly links: readonly string[];
  readonly evidence: readonly string[];
  /** How well it fits the words of a search, above 0, at most 1; null in a list. */
  readonly score: number | null;
  /** Where the words were found; only in a search. */
  readonly matches?: readonly ("name" | "description" | "body")[];
  /** Only when one memory was asked for by name. */
  readonly body?: string;
}

export interface MemoryList {
  readonly v: 1;
  readonly memories: readonly MemoryItem[];
  /** How many fit beyond these; only in a search. */
  readonly more?: number;
  /** Files in the folder that are no memories, with the reason (conflict copy, broken frontmatter, link...). */
  readonly notMemories: readonly { readonly file: string; readonly project: string; readonly why: string }[];
}

export interface RememberRequest {
  readonly text: string;
  readonly project: string;
  readonly type?: MemoryType;
  /** Store it although its kind is normally not kept. */
  readonly keep?: boolean;
}

export interface RememberReply {
  readonly v: 1;
  readonly outcome: "created" | "confirmed" | "updated" | "refused";
  readonly file: string | null;
  readonly path: string | null;
  readonly reason: string | null;
  readonly message: string;
}

export interface ForgetRequest {
  readonly name: string;
  readonly project: string;
  /** Also take it out of everything that is kept; it may be there no more, or be a candidate. */
  readonly purge?: boolean;
}

export interface ForgetReply {
  readonly v: 1;
  readonly outcome: "forgotten" | "purged" | "not-found" | "ambiguous" | "refused";
  readonly file: string | null;
  readonly message: string;
  /** Files the name could mean, when it is ambiguous. */
  readonly matches: readonly string[];
  /** Only when it was purged. */
  readonly purged?: PurgeFacts;
}

/** What a purge did, and where the words still stand. */
export interface PurgeFacts {
  readonly removed: {
    /** Entries of the history that named it, and copies of it kept there. */
    readonly entries: number;
    readonly images: number;
    readonly evidence: number;
    readonly runs: number;
    readonly candidates: number;
    /** In folders a `project move` left. */
    readonly copies: number;
    /** Times its name stood in our log. */
    readonly logLines: number;
  };
  /** Places that are not engramd's: only the person can decide about them. */
  readonly remains: readonly {
    /**
     * `memory`: another memory says some of it. `index`: a line the person wrote. `copy`: made by a file synchroniser.
     * `daily-log`: a line of a log, which engramd never rewrites.
     */
    readonly what: "transcript" | "memory" | "index" | "copy" | "daily-log" | "service-log";
    readonly path: string;
  }[];
}

export interface PauseRequest {
  /** Absent: until `resume`. Within `PAUSE_LIMITS`. */
  readonly forMs?: number;
}

export interface PauseReply {
  readonly v: 1;
  readonly outcome: "paused" | "resumed" | "not-paused";
  /** ISO times of the pause; both null when there is none. A pause without an end has no `until`. */
  readonly since: string | null;
  readonly until: string | null;
  /** Whether a daemon runs; without one the answer holds for its next start. */
  readonly running: boolean;
}

export interface RunsRequest {
  /** At most so many; default 100. */
  readonly limit?: number;
}

export interface RunItem extends RunSummary, Sizes {
  /** Why a dream or a distillation failed: a code. */
  readonly reason?: string;
  /** Paid for by a subscription. */
  readonly plan?: true;
  /** What made it run. */
  readonly trigger: string;
  /** ISO time it ended. */
  readonly at: string;
  readonly memoryDir: string;
  /** Files it changed. */
  readonly files: readonly string[];
  readonly undoable: boolean;
}

export interface RunList {
  readonly v: 1;
  /** Newest first. */
  readonly runs: readonly RunItem[];
}

/** Errors are `AppError`s; over the socket they travel as `{ error: { code, message, fix } }`. */
export interface EngramdService {
  status(): Promise<Status>;
  /** The first screen. Quick, also during the first round. */
  overview(): Promise<Overview>;
  sync(request: SyncRequest): Promise<SyncReport>;
  memories(request: MemoriesRequest): Promise<MemoryList>;
  runs(request: RunsRequest): Promise<RunList>;
  remember(request: RememberRequest): Promise<RememberReply>;
  forget(request: ForgetRequest): Promise<ForgetReply>;
  /** One bullet in today's daily log. */
  log(request: LogRequest): Promise<LogReply>;
  /** What became of a session's messages, or where a memory comes from. */
  why(request: WhyRequest): Promise<WhyReply>;
  news(request: NewsRequest): Promise<NewsReply>;
  /** Takes back what a session taught; nothing more is learnt from it. */
  ignore(request: IgnoreRequest): Promise<IgnoreReply>;
  cancel(request: CancelRequest): Promise<CancelReply>;
  /** Consolidates a memory folder and answers when that is over. */
  dream(request: DreamRequest): Promise<ConsolidationReply>;
  distill(request: DistillRequest): Promise<ConsolidationReply>;
  history(request: HistoryRequest): Promise<HistoryReply>;
  /** What a run changed, file by file. */
  diff(request: DiffRequest): Promise<DiffReply>;
  /** What models cost, from the ledger. */
  cost(request: CostRequest): Promise<CostReport>;
  /** Puts back what runs did, as far as no later edit is lost by it. */
  undo(request: UndoRequest): Promise<UndoReply>;
  /** What is wrong in memory folders, without a model. Writes nothing. */
  lint(request: LintRequest): Promise<LintReply>;
  /** Mends of it what needs no judgement; `undo` puts it back. */
  fixLint(request: LintRequest): Promise<LintReply>;
  /** What waits for a person. */
  inbox(request: InboxRequest): Promise<InboxReply>;
  /** Writes what a person said yes to, as far as it still fits. */
  acceptItems(request: DecideRequest): Promise<DecideReply>;
  /** Drops what a person does not want, for good. */
  rejectItems(request: DecideRequest): Promise<DecideReply>;
  /** Resolves when nothing is read, asked or written any more. */
  pause(request: PauseRequest): Promise<PauseReply>;
  resume(): Promise<PauseReply>;
  projects(): Promise<ProjectList>;
  moveProject(request: MoveRequest): Promise<MoveReply>;
  /** Reads the transcripts of the last days for an estimate, for some seconds at most. */
  model(): Promise<ModelReport>;
  /** Without `agreed` it only says what it would do. */
  useModel(request: UseModelRequest): Promise<UseModelReply>;
}
