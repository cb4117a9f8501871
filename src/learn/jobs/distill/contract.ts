// What a distillation needs from the rest of engramd, what it is asked, and what it tells about a run.
import type { ChangeSet, RefusalCode, RunId } from "../../../domain/changes.ts";
import type { ConsolidationSize } from "../../../domain/consolidation.ts";
import type { AgentId, ProjectRef } from "../../../domain/sessions.ts";
import type { FolderView } from "../../../memory/files/store.ts";
import type { Offered } from "../../../memory/inbox/items.ts";
import type { CommitOptions, CommitResult, MemoryWriter, Rehearsal } from "../../../memory/journal/commit.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Emitter } from "../../../system/emitter.ts";
import type { Files } from "../../../system/files.ts";
import type { Account } from "../../models/budget.ts";
import type { Holds } from "../consolidating.ts";
import type { ModelReader, RunEnd } from "../model-reader.ts";

export interface DistillAsk {
  readonly memoryDir: string;
  /** Projects whose memory lives in this folder; the first one is worked for. */
  readonly projects: readonly ProjectRef[];
  readonly trigger: string;
  readonly run: RunId;
  readonly signal: AbortSignal;
  /** Local date of the one log to be read again, whatever was read of it. */
  readonly date?: string;
  /** Say what would change; writes nothing, and asks the model. */
  readonly dryRun?: boolean;
  /** A person asked: old logs count too, and nobody waits for a log to be quiet. */
  readonly byPerson?: boolean;
}

type SetOptions = Omit<CommitOptions, "today">;

export interface DistillDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly stateDir: string;
  readonly holds: Holds;
  /** Local calendar date. */
  today(): string;
  viewOf(memoryDir: string): FolderView | undefined;
  readonly preview: MemoryWriter["preview"];
  /** Lines of daily logs that are engramd's own. */
  readonly ownBullets: MemoryWriter["ownBullets"];
  /** The person took that session back. */
  isIgnored(session: string): boolean;
  /** Finishes what a job that failed half-way left open. */
  finishOpen(memoryDir: string): Promise<unknown>;
  /** Writes, or where a person decides lets the set wait for them; the result tells. */
  commit(set: ChangeSet, options: SetOptions): Promise<CommitResult>;
  /** What a commit would write now. */
  rehearse(set: ChangeSet, options: SetOptions): Promise<Rehearsal>;
  /** A unified diff, masked; undefined where there is too much of it. */
  patchOf(file: string, before: string, after: string): Promise<string | undefined>;
  /** As for an extraction. Answers how many items are new. */
  keepForReview(project: ProjectRef, offered: readonly Offered[]): number;
  /** The model that may read what was said to this agent; undefined: the rules do. */
  readerFor(agent: AgentId): ModelReader | undefined;
  /** What a job spends, and whether it may go on. */
  openAccount(memoryDir: string): Account;
  /** Told once per job, also a failed one; never for a dry run that cost nothing. */
  ran(job: DistillRan): void;
}

/** One line of the ledger. */
export interface DistillRan {
  readonly run: RunId;
  readonly trigger: string;
  readonly memoryDir: string;
  readonly project: string;
  readonly end: RunEnd;
  /** What it wrote. */
  readonly files: readonly string[];
  /** The folder; absent for a dry run. */
  readonly before?: ConsolidationSize;
  readonly after?: ConsolidationSize;
  /** Why it failed: a code. */
  readonly reason?: string;
  /** What it left for a person. */
  readonly candidates: number;
  readonly refused: readonly { readonly record: string; readonly reason: RefusalCode }[];
}
