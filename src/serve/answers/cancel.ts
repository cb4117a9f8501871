// `cancel RUN`: ends a run, or takes a job away before it runs. Nothing half done stays; what was not read stays unread
// until new words come, or somebody asks for a pass.
import type { CancelReply, CancelRequest } from "../../domain/account.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import { JOB_LIMITS } from "../../domain/limits.ts";
import type { CurrentRun as RunNow } from "../../domain/status.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { JobDescription, Queue } from "../../intake/queue/queue.ts";
import { EXTRACT } from "../../learn/jobs/extract/index.ts";
import type { CurrentRun, RunningRuns } from "../../learn/jobs/running.ts";
import type { Clock } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import { shortHash } from "../../system/ids.ts";
import type { Activity } from "./activity.ts";
import type { Book } from "./book.ts";

export interface CancelDeps extends RunsDeps {
  readonly clock: Clock;
  readonly activity: Activity;
  readonly cancelled: Book["cancelled"];
  readonly cancelJob: Queue["cancel"];
  newRun(): string;
  /** Keeps rounds from asking for the folder again; new words and `sync` do. */
  hold(memoryDir: string): void;
}

export interface RunsDeps {
  readonly places: Places;
  readonly running: Pick<RunningRuns, "current">;
  queue(): { readonly jobs: readonly JobDescription[] };
}

/** Jobs under way or waiting for their turn, each with the id that `cancel` takes. */
export function currentRuns({ places, running, queue }: RunsDeps): RunNow[] {
  const current = running.current();
  return queue().jobs.map(({ key, kind, lane, state }) => {
    const run = current.find((each) => each.memoryDir === lane && each.kind === kind);
    const project = places.projectsAt(lane)[0]?.root ?? lane;
    const isRunning = state === "running" && run !== undefined;
    return {
      id: isRunning ? run.run : jobId({ key, kind }),
      kind,
      project,
      state,
      startedAt: isRunning ? new Date(run.startedAt).toISOString() : null,
    };
  });
}

/** A job that waits has no run yet. */
function jobId({ key, kind }: Pick<JobDescription, "key" | "kind">): string {
  return `${kind}-${shortHash(key, 8)}`;
}

/** Throws `unknown-run`. */
export async function answerCancel({ run: id }: CancelRequest, deps: CancelDeps): Promise<CancelReply> {
  const { jobs } = deps.queue();
  const run = deps.running.current().find((each) => each.run === id);
  const job = jobs.find(({ key, kind, lane, state }) =>
    run === undefined
      ? state !== "running" && jobId({ key, kind }) === id
      : lane === run.memoryDir && kind === run.kind,
  );
  if (job === undefined) throw unknownRun(id, currentRuns(deps));
  const { kind, lane: memoryDir } = job;
  const reply = { v: 1, kind, project: deps.places.projectsAt(memoryDir)[0]?.root ?? memoryDir } as const;
  if (kind === EXTRACT) deps.hold(memoryDir);
  deps.cancelJob(job.key, "cancelled-by-person");
  if (run !== undefined) return { ...reply, run: id, ...(await endOf(run, { kind, deps })) };
  const made = deps.newRun();
  deps.cancelled({ id: made, kind, trigger: "person", memoryDir });
  return { ...reply, run: made, outcome: "cancelled", message: `cancelled before it ran; ${laterOf(kind)}` };
}

function laterOf(kind: string): string {
  return kind === EXTRACT
    ? 'its words stay unread until new ones come, or "engramd sync"'
    : "nothing was changed, and it is due again later";
}

interface EndAsk {
  readonly kind: string;
  readonly deps: CancelDeps;
}

async function endOf(
  { run: id, memoryDir, trigger, ended }: CurrentRun,
  { kind, deps }: EndAsk,
): Promise<Pick<CancelReply, "outcome" | "message">> {
  const over = new AbortController();
  void ended.then(() => over.abort("ended"));
  await wait(deps.clock, JOB_LIMITS.abortMs, over.signal);
  if (!over.signal.aborted) {
    return { outcome: "stopping", message: "it was told to stop and has not ended yet" };
  }
  const { lastRun } = deps.activity.of(memoryDir);
  if (lastRun?.id === id && lastRun.outcome === "succeeded") {
    return { outcome: "finished", message: "it was done before it could be stopped" };
  }
  deps.cancelled({ id, kind, trigger, memoryDir });
  return { outcome: "cancelled", message: `cancelled; ${laterOf(kind)}` };
}

function unknownRun(id: string, runs: readonly RunNow[]): AppError {
  const named = runs.map((run) => `${run.id} (${run.state}, ${run.project})`);
  return new AppError({
    code: "unknown-run",
    message: `no run ${JSON.stringify(id)} is under way`,
    fix: named.length === 0 ? "nothing runs or waits now" : `running or waiting: ${named.join(", ")}`,
    exitCode: EXIT.failed,
  });
}
