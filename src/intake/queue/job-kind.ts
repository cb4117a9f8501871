// What the queue asks of a job kind. The queue never learns what a job means.
import type { JobKey, JobOutcome } from "../../domain/jobs.ts";

export interface JobContext {
  /** The lane (memory folder id) this run owns until it settles. */
  readonly lane: string;
  /** Aborts when the run takes too long, is cancelled, or the daemon stops; the run then ends soon. */
  readonly signal: AbortSignal;
  /** 1 for a first run, one more after each failure. */
  readonly attempt: number;
}

export interface JobKind {
  /** First half of the key; must not hold a colon. */
  readonly name: string;
  /**
   * Does the work from the newest state on disk. May run again after a crash at any point. A throw counts as
   * a failure; an `AppError` that says `give-up` is not retried by itself.
   */
  run(key: JobKey, context: JobContext): Promise<JobOutcome>;
}
