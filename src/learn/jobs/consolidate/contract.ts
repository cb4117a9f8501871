// What a dream is asked and needs from the rest of engramd. Types only.
import type { ChangeSet, RunId } from "../../../domain/changes.ts";
import type {
  ConsolidationChange,
  ConsolidationNote,
  ConsolidationReply,
} from "../../../domain/consolidation.ts";
import type { AgentId, ProjectRef } from "../../../domain/sessions.ts";
import type { Catalog } from "../../../intake/watch/catalog.ts";
import type { FolderView } from "../../../memory/files/store.ts";
import type { CommitOptions, CommitResult, Rehearsal } from "../../../memory/journal/commit.ts";
import type { MemoryReader } from "../../../memory/journal/preview.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Emitter } from "../../../system/emitter.ts";
import type { Files } from "../../../system/files.ts";
import type { Account } from "../../models/budget.ts";
import type { Holds } from "../consolidating.ts";
import type { ModelReader, RunEnd } from "../model-reader.ts";
import type { Progress } from "./progress.ts";

export interface DreamAsk {
  readonly memoryDir: string;
  /** Projects whose memory lives in this folder. Where several share it, the first one's memories are reworked. */
  readonly projects: readonly ProjectRef[];
  readonly trigger: string;
  readonly run: RunId;
  readonly signal: AbortSignal;
  /** May ask a model; changes nothing and takes no hold. */
  readonly dryRun?: boolean;
}

export interface TidyAsk extends Pick<DreamAsk, "memoryDir" | "run" | "trigger"> {
  readonly project: ProjectRef;
  readonly sharedFolder: boolean;
  readonly dryRun: boolean;
}

/** What needs no judgement. */
export interface Tidied {
  readonly changes: readonly ConsolidationChange[];
  /** Found and left alone. */
  readonly noted: readonly ConsolidationNote[];
  /** Unified diff of what would change; "" for nothing. */
  readonly diff: string;
}

/** The safe fixes (`memory/lint`). */
export interface Tidying {
  /** Exact duplicates `run` would delete now: nobody needs to read them. */
  doubles(memoryDir: string): ReadonlySet<string>;
  run(ask: TidyAsk): Promise<Tidied>;
}

export interface DreamDeps {
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly files: Files;
  readonly holds: Holds;
  readonly catalog: Pick<Catalog, "entriesOf">;
  readonly tidying: Tidying;
  /** Folders programs are looked up in (`PATH`). */
  programFolders(): readonly string[];
  /** Local calendar date. */
  today(): string;
  /** Whether a person took back what this session says, under any of its names. */
  isIgnored(sessions: readonly string[]): boolean;
  /** Whether the dream's model may read this agent's words. */
  mayRead(agent: AgentId): boolean;
  /** Undefined: only what needs no judgement is done. `turnsMax` and `inputTokensMax` are the dream's. */
  modelFor(memoryDir: string): ModelReader | undefined;
  openAccount(memoryDir: string): Account;
  readonly preview: MemoryReader["preview"];
  viewOf(memoryDir: string): FolderView | undefined;
  finishOpen(memoryDir: string): Promise<unknown>;
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
  rehearse(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<Rehearsal>;
  /** A unified diff; "" stands for no file. Undefined where the texts have too little in common. */
  patchOf(file: string, before: string, after: string): Promise<string | undefined>;
  /** Told once per run that began, also a failed one. */
  finishRun(ask: DreamAsk, reply: ConsolidationReply, end: RunEnd): void;
}

/** The project whose memories a dream reworks. */
export interface Dreaming {
  readonly ask: DreamAsk;
  readonly project: ProjectRef;
  /** Aborts with the job, and when somebody else has the folder. */
  readonly signal: AbortSignal;
  readonly deps: DreamDeps;
}

/** One that a model reworks. */
export interface ModelDreaming extends Dreaming {
  readonly reader: ModelReader;
  readonly account: Account;
  readonly progress: Progress;
}
