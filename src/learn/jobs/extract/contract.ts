// What the extraction needs from the rest of engramd, and what it tells about each session it read.
import type { Candidate, ChangeSet, Evidence, RefusalCode, RunId } from "../../../domain/changes.ts";
import type { SkipReason } from "../../../domain/jobs.ts";
import type { Memory, MemoryDraft } from "../../../domain/memories.ts";
import type { Instant, TranscriptRecord } from "../../../domain/records.ts";
import type { ProjectId, ProjectRef, SessionRef } from "../../../domain/sessions.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Emitter } from "../../../system/emitter.ts";
import type { Seen } from "../../../intake/transcripts/lineage.ts";
import type { Catalog } from "../../../intake/watch/catalog.ts";
import type { Offered } from "../../../memory/inbox/items.ts";
import type { CommitOptions, CommitResult } from "../../../memory/journal/commit.ts";
import type { MemoryPlace } from "./agent-writes.ts";
import type { RunEnd } from "../model-reader.ts";
import type { ModelDeps } from "./model-contract.ts";

export interface ExtractRequest {
  readonly run: RunId;
  readonly trigger: string;
  readonly memoryDir: string;
  /** Projects whose memory lives in this folder; more than one only where their keys collide. */
  readonly projects: readonly ProjectRef[];
  /** `sync` does not wait for a folder that somebody just changed. */
  readonly ignoreSettle: boolean;
  readonly signal: AbortSignal;
}

export interface WindowFindings {
  readonly saves: readonly {
    readonly memory: MemoryDraft;
    readonly evidence: readonly Evidence[];
    readonly cue: string;
  }[];
  readonly candidates: readonly Candidate[];
}

export interface WindowInput {
  readonly records: readonly TranscriptRecord[];
  isNew(recordId: string): boolean;
  readonly session: SessionRef;
  readonly now: Instant;
  readonly timeZone: ReturnType<Clock["timeZone"]>;
  /** Lets other work go on between messages. */
  pause?(): Promise<void>;
}

export interface ExtractDeps extends ModelDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly emitter: Emitter;
  settings(project: ProjectRef): {
    /** Whether scripted sessions teach. */
    readonly headless: boolean;
    /** False: count and move on (extraction is switched off). */
    readonly learns: boolean;
    /** Everything waits for a person. */
    readonly proposeOnly: boolean;
  };
  /** Local calendar date. */
  today(): string;
  /** Why the agent is believed to keep a daily log of its own there; undefined when it does not. */
  logMode(memoryDir: string): string | undefined;
  /** Whether a person took back what this session says, under any of its names. */
  isIgnored(sessions: readonly string[]): boolean;
  seenOf(projectId: ProjectId): Seen;
  placeOf(memoryDir: string): MemoryPlace;
  /** When the folder will have settled; undefined when nobody else changed it lately. */
  settlingUntil(memoryDir: string): Instant | undefined;
  /** Throws `memory-unwritable` (retry) before anything is read for a folder that cannot take it. */
  assertWritable(memoryDir: string): void;
  /** Finishes what a job that failed half-way left open: its words count as known by then, so nobody proposes them again. */
  finishOpen(memoryDir: string): Promise<void>;
  viewOf(memoryDir: string): { readonly memories: readonly Memory[]; readonly taken: ReadonlySet<string> };
  extract(input: WindowInput): Promise<WindowFindings>;
  /**
   * Keeps for a person what the gate has not let in, but for what they rejected or removed before. Answers how many
   * items are new. Safe to repeat.
   */
  keepForReview(project: ProjectRef, offered: readonly Offered[]): number;
  /** These are memories now: nothing waits for them any more. */
  settle(project: ProjectRef, saved: readonly MemoryDraft[]): void;
  /** Writes, or where a person decides lets the set wait for them; the result tells. */
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
  /** Told once per session that was read. */
  report(report: SessionReport): void;
  /** Told once per run, also a failed one. */
  finishRun(request: ExtractRequest, reports: readonly SessionReport[], end: RunEnd): void;
}

export interface SessionReport {
  readonly session: string;
  readonly agent: string;
  readonly skip: SkipReason | undefined;
  readonly records: number;
  readonly lines: number;
  readonly damaged: number;
  readonly typed: number;
  readonly secretsMasked: number;
  readonly candidates: number;
  /** Of the candidates, what the gate refused. */
  readonly quarantined: number;
  readonly written: CommitResult["written"];
  readonly refused: readonly RefusedProposal[];
}

/** A proposal the gate refused, and the records it rested on; never their words. */
export interface RefusedProposal {
  readonly file: string;
  readonly reason: RefusalCode;
  readonly records: readonly string[];
}
