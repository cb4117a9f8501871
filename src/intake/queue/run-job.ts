// Runs one job to an outcome, whatever it does: throws, rejects, throws later from a timer, or never ends.
// Knows no lanes and no retries.
import { AppError, messageOf, systemCode } from "../../domain/errors.ts";
import type { JobKey, JobOutcome } from "../../domain/jobs.ts";
import { JOB_LIMITS } from "../../domain/limits.ts";
import type { AsyncScope } from "../../system/async-scope.ts";
import { createAsyncScope } from "../../system/async-scope.ts";
import type { Clock } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { JobKind } from "./job-kind.ts";

export interface RunRequest {
  readonly kind: JobKind;
  readonly key: JobKey;
  readonly lane: string;
  readonly attempt: number;
}

export interface Running {
  /** Never rejects. Comes at the latest `abortMs` after an abort, even if the job goes on. */
  readonly outcome: Promise<JobEnd>;
  /**
   * Resolves when the job's own promise has settled; only then may its lane be used again. A job that was
   * blamed for an uncaught error counts as settled `abortMs` later. Never rejects.
   */
  readonly settled: Promise<void>;
  abort(code: AbortCode): void;
}

/** `cancelled`: it is to be run anew or later. `cancelled-by-person`: somebody wants this run to end. */
export type AbortCode = "timed-out" | "cancelled" | "cancelled-by-person" | "stopping";

export interface JobEnd {
  readonly outcome: JobOutcome;
  /** The job said that trying again is useless. */
  readonly final: boolean;
}

export interface JobRunner {
  start(request: RunRequest): Running;
  /**
   * For the process's handler of uncaught errors: fails the job whose code, or whose timer, threw. False when
   * no running job is to blame.
   */
  blame(error: unknown): boolean;
}

/** What `blame` needs of the run it is called in. */
interface Blamed {
  /** False when the run was over already: what it left behind is nobody's job any more. */
  fail(error: unknown): boolean;
}

export function createJobRunner({ clock }: { readonly clock: Clock }): JobRunner {
  const scope = createAsyncScope<Blamed>();
  return {
    start: (request) => start({ clock, scope }, request),
    blame: (error) => scope.current()?.fail(error) ?? false,
  };
}

interface Deps {
  readonly clock: Clock;
  readonly scope: AsyncScope<Blamed>;
}

function start({ clock, scope }: Deps, { kind, key, lane, attempt }: RunRequest): Running {
  const controller = new AbortController();
  const over = new AbortController();
  const { promise: outcome, resolve } = withResolver<JobEnd>();
  const abort = (code: AbortCode) => {
    if (controller.signal.aborted) return;
    controller.abort(new AppError({ code, message: ABORT_MESSAGES[code], disposition: "retry" }));
    void wait(clock, JOB_LIMITS.abortMs, over.signal).then(() =>
      resolve(failure(code, ABORT_MESSAGES[code])),
    );
  };
  const limit = clock.setTimer(JOB_LIMITS.jobMs, () => abort("timed-out"));
  const fail = (error: unknown) => {
    if (over.signal.aborted) return false;
    resolve(endOfThrow(error, clock));
    controller.abort(error);
    // What threw was probably to settle the job, which then never ends by itself.
    void wait(clock, JOB_LIMITS.abortMs, over.signal).then(giveUp);
    return true;
  };
  // An async function, so that a throw before the first await is a rejection like any other.
  const act = async () => kind.run(key, { lane, signal: controller.signal, attempt });
  const { promise: settled, resolve: giveUp } = withResolver<void>();
  void scope
    .run({ fail }, act)
    .then(
      (result) => resolve({ outcome: result, final: false }),
      // After an abort whatever is thrown is a consequence of it, so the abort is the reason.
      (error: unknown) =>
        resolve(endOfThrow(controller.signal.aborted ? controller.signal.reason : error, clock)),
    )
    .finally(() => {
      limit.cancel();
      over.abort(OVER);
      giveUp();
    });
  return { outcome, settled, abort };
}

/** Without a reason Node makes an error with its stack. */
const OVER = "over";

const ABORT_MESSAGES: Readonly<Record<AbortCode, string>> = {
  "timed-out": `the job was stopped after ${JOB_LIMITS.jobMs / 1000} s`,
  cancelled: "the job was cancelled",
  "cancelled-by-person": "a person cancelled the run",
  stopping: "the job was stopped with the daemon",
};

function endOfThrow(error: unknown, { now }: Clock): JobEnd {
  const code = error instanceof AppError ? error.code : (systemCode(error) ?? "unexpected");
  if (error instanceof AppError && error.disposition === "wait") {
    const at = now() + (error.retryAfterMs ?? JOB_LIMITS.patientMs);
    return { outcome: { result: "delayed", at, reason: code }, final: false };
  }
  const final = error instanceof AppError && error.disposition === "give-up";
  return { outcome: { result: "failed", code, message: messageOf(error) }, final };
}

function failure(code: string, message: string): JobEnd {
  return { outcome: { result: "failed", code, message }, final: false };
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
