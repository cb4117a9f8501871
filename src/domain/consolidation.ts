// What a dream or a nightly distillation is asked and answers (a contract: add, never rename).
import type { RunId } from "./changes.ts";
import type { Instant } from "./records.ts";

/** The two kinds of job that rework a memory folder; they exclude each other and share one clock. */
export const CONSOLIDATION_KINDS = ["dream", "distill"] as const;
export type ConsolidationKind = (typeof CONSOLIDATION_KINDS)[number];

export interface DreamRequest {
  /** Absolute path inside the project. */
  readonly project: string;
  /** Now, whatever the gates say but for the lock. */
  readonly force?: boolean;
  /** Say what would change, with its diff; may ask the model, changes nothing. */
  readonly dryRun?: boolean;
}

export interface DistillRequest {
  readonly project: string;
  /** Local date of one daily log, `YYYY-MM-DD`; absent: all that is not distilled yet. */
  readonly date?: string;
  readonly dryRun?: boolean;
}

/** Waits that are over at a known time, of which the one that ends last is told: a dream may begin then, and none before. */
export const WAIT_REASONS = ["backing-off", "first-sight", "too-soon"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** What a person who knows better goes past with `--force`: matters of time and quiet. */
export const FORCED_REASONS = [
  ...WAIT_REASONS,
  "scanned-lately",
  "too-few-sessions",
  "turn-open",
  "not-quiet",
  "just-woken",
] as const;

/** Why a consolidation does not start now; printed as stored. In the order the gates are asked. */
export const GATE_REASONS = [
  "switched-off",
  "daily-log-mode",
  "paused",
  "parked",
  ...FORCED_REASONS,
  "nothing-new",
  "locked",
  "over-budget",
] as const;
export type GateReason = (typeof GATE_REASONS)[number];

/** A gate's answer; `dueAt` is when asking again makes sense, undefined where only somebody's work can tell. */
export type GateAnswer =
  | { readonly open: true }
  | { readonly open: false; readonly reason: GateReason; readonly dueAt: Instant | undefined };

export interface ConsolidationSize {
  readonly files: number;
  readonly indexLines: number;
}

/** One thing a consolidation did or would do. `why` is one sentence for a person, made safe for terminals. */
export interface ConsolidationChange {
  readonly op: "create" | "update" | "delete" | "index";
  readonly file: string;
  readonly why: string;
}

/** Found and left alone: for a person, or for a model. */
export interface ConsolidationNote {
  /** A code of `lint`, `newer-than-rule`, `left-alone`, or `waits-for-review`. */
  readonly code: string;
  readonly file: string;
  readonly message: string;
}

export interface ConsolidationReply {
  readonly v: 1;
  readonly outcome: "succeeded" | "skipped" | "failed";
  /** A `GateReason`, a refusal or an error code; null when it succeeded. */
  readonly reason: string | null;
  readonly run: RunId | null;
  readonly changes: readonly ConsolidationChange[];
  readonly noted: readonly ConsolidationNote[];
  readonly before: ConsolidationSize;
  readonly after: ConsolidationSize;
  /** ISO time; only when skipped and known. */
  readonly dueAt?: string;
  /** The setting that allows no request at all, however long one waits: `budget.usdPerDay`; only when skipped for that. */
  readonly tooLow?: string;
  /** Unified diff; only with `dryRun`. */
  readonly diff?: string;
}

export const CONSOLIDATION_PHASES = ["orient", "gather", "consolidate", "prune"] as const;
export type ConsolidationPhase = (typeof CONSOLIDATION_PHASES)[number];
