// What a dream and a distillation share: whose turn it is in a memory folder, and what is known when one succeeded.
// Types only; `host-lock.ts` and `stamps.ts` hold the code.
import type { RunId } from "../../domain/changes.ts";
import type { ConsolidationKind, ConsolidationReply } from "../../domain/consolidation.ts";
import type { Instant } from "../../domain/records.ts";
import type { ProjectRef } from "../../domain/sessions.ts";

export interface ConsolidationAsk extends Omit<HoldAsk, "kind"> {
  /** Projects whose memory lives in this folder. */
  readonly projects: readonly ProjectRef[];
  readonly trigger: string;
  readonly signal: AbortSignal;
  readonly dryRun?: boolean;
  /** Of a distillation: this day's log only, once more. */
  readonly date?: string;
}

/** A dream or a distillation. Rejects, with everything as before, when it was aborted or something failed. */
export interface ConsolidationJob {
  run(ask: ConsolidationAsk): Promise<ConsolidationReply>;
}

export interface HoldAsk {
  readonly memoryDir: string;
  readonly run: RunId;
  readonly kind: ConsolidationKind;
}

/** A folder that is ours to rework until `succeed` or `rollBack`; exactly one of them has an effect, once. */
export interface Hold {
  /** Aborts when the lock was taken from us; nothing may be committed any more. */
  readonly lost: AbortSignal;
  /** Looks at the disk, right before a commit. Throws `consolidation-lost` (retry) when another one has the folder. */
  assertOurs(): void;
  /** The folder counts as consolidated from when it was taken; clears the host's lock body, sets its mtime last. */
  succeed(): Promise<void>;
  /** As if it had never been taken: the host's lock has its former mtime and no body, or is gone. Safe to repeat. */
  rollBack(): Promise<void>;
}

export type HoldAnswer =
  | { readonly hold: Hold }
  /** Another engramd or the host agent works on it. */
  | { readonly blocked: "locked"; readonly until: Instant };

export interface Holds {
  /** Takes our own lock first, then the host's `.consolidate-lock`; waits for neither. */
  take(ask: HoldAsk): Promise<HoldAnswer>;
  /** At start: rolls back, once, what a crash left taken. Answers the folders. */
  recover(): Promise<readonly string[]>;
  /** When the folder was consolidated last: our stamp, or the host's lock where that is newer and nobody's. */
  lastSuccessAt(memoryDir: string): Instant | undefined;
}
