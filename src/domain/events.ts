// The one map of events: `subject:past-participle`, payloads of plain data. Listeners observe, they never steer.
import type { ConsolidationPhase } from "./consolidation.ts";
import type { JobKey, JobOutcome } from "./jobs.ts";

/** A memory folder is worked on. */
interface Reworking {
  readonly run: string;
  readonly dir: string;
  /** Root of the project it is done for. */
  readonly project: string;
}

export interface EventMap {
  "daemon:ready": { readonly pid: number; readonly socket: string };
  "daemon:stopping": { readonly why: string };
  "daemon:stopped": { readonly ms: number };
  /** A transcript has bytes nobody has read. */
  "transcript:grew": { readonly agent: string; readonly path: string; readonly bytes: number };
  "transcript:vanished": { readonly agent: string; readonly path: string; readonly unreadBytes: number };
  /** A job has whole turns of a session before it. */
  "turns:read": { readonly path: string; readonly records: number };
  "sweep:finished": { readonly files: number; readonly changed: number; readonly ms: number };
  "watcher:degraded": { readonly reason: string };
  "job:queued": { readonly key: JobKey };
  "job:merged": { readonly key: JobKey };
  "job:started": { readonly key: JobKey };
  "job:finished": { readonly key: JobKey; readonly outcome: JobOutcome; readonly ms: number };
  /** A model's run over one piece of a session is over; `outcome` says which bound it met, if any. */
  "run:ended": {
    readonly run: string;
    readonly outcome: string;
    readonly requests: number;
    readonly inputTokens: number;
  };
  /** A dream got to its next step; each step is told once, in order. */
  "dream:advanced": Reworking & { readonly phase: ConsolidationPhase };
  /** A distillation has seen to one more of the daily logs before it. */
  "distill:advanced": Reworking & { readonly logs: number; readonly of: number };
  /** A model asked for a tool, a name or a pattern it may not have. */
  "tool:denied": { readonly run: string; readonly tool: string; readonly why: string };
  "memory:written": {
    readonly dir: string;
    readonly file: string;
    readonly op: "created" | "updated" | "confirmed" | "deleted";
  };
  "memory:edited": { readonly dir: string; readonly files: readonly string[] };
  "proposal:refused": { readonly file: string; readonly reason: string };
  "index:written": { readonly dir: string; readonly lines: number; readonly left: readonly string[] };
  "warning:raised": { readonly code: string; readonly message: string };
}

export type EventName = keyof EventMap;
