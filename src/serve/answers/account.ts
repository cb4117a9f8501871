// The answers by which engramd accounts for what it did, put together: why, news, ignore, cancel, and what it can put
// back: runs, history, diff, undo.
import { AppError, EXIT, messageOf } from "../../domain/errors.ts";
import { JOB_LIMITS } from "../../domain/limits.ts";
import type { EngramdService } from "../../domain/service.ts";
import type { ExtractJob } from "../../learn/jobs/extract/index.ts";
import { wait } from "../../system/clock.ts";
import { newRunId } from "../../system/ids.ts";
import { answerHistory, type HistoryDeps, undoableIn } from "./history.ts";
import { answerCancel, type CancelDeps } from "./cancel.ts";
import { answerIgnore, type IgnoreDeps } from "./ignore.ts";
import { answerNews, type NewsDeps } from "./news.ts";
import { answerDiff } from "./run-diff.ts";
import { answerRuns } from "./runs.ts";
import { answerUndo, type UndoDeps } from "./undo.ts";
import { answerWhy, type WhyDeps } from "./why.ts";

/** What the answers need of the parts. */
export interface AccountInput
  extends
    Omit<WhyDeps, "extract" | "live" | "projectAt">,
    Omit<NewsDeps, "projectAt">,
    Omit<IgnoreDeps, "halt" | "newRun">,
    Omit<CancelDeps, "newRun" | "queue">,
    Omit<HistoryDeps, "projectAt"> {
  readonly extract: Pick<ExtractJob, "retell">;
  readonly writer: IgnoreDeps["writer"] & UndoDeps["writer"] & WhyDeps["writer"];
}

export interface AccountDeps extends AccountInput, Pick<WhyDeps, "live" | "projectAt"> {
  /** Makes sure that no other engramd changes things while we do. */
  lock(): Promise<void>;
}

export type Account = Pick<
  EngramdService,
  "why" | "news" | "ignore" | "cancel" | "runs" | "history" | "diff" | "undo"
>;

export function createAccount(deps: AccountDeps): Account {
  const newRun = () => newRunId(deps.clock.now());
  return {
    why: (request) => answerWhy(request, deps),
    async news(request) {
      if (request.looked !== true) return answerNews(request, deps);
      try {
        await deps.lock();
        return await answerNews(request, deps);
      } catch (error) {
        // Who cannot note the look is told the news all the same; whatever else is wrong is so once more.
        const told = await answerNews({ ...request, looked: false }, deps);
        return { ...told, notNoted: messageOf(error) };
      }
    },
    async ignore(request) {
      await deps.lock();
      return answerIgnore(request, { ...deps, newRun, halt: (memoryDir) => halt(memoryDir, deps) });
    },
    history: async (request) => answerHistory(request, deps),
    runs: async (request) =>
      answerRuns(request, { ...deps, undoable: undoableIn(deps.writer, request.limit) }),
    diff: (request) => answerDiff(request, deps),
    async undo(request) {
      if (request.dryRun !== true) await deps.lock();
      return answerUndo(request, deps);
    },
    async cancel(request) {
      if (deps.live().pid === null) throw notRunning();
      return answerCancel(request, { ...deps, newRun });
    },
  };
}

/** What it had not done is done again afterwards. */
async function halt(memoryDir: string, deps: AccountDeps): Promise<boolean> {
  const run = deps.running.current().find((each) => each.memoryDir === memoryDir);
  if (run === undefined) return true;
  for (const { key, lane, state } of deps.queue().jobs) {
    if (lane === memoryDir && state === "running") deps.cancelJob(key);
  }
  const over = new AbortController();
  void run.ended.then(() => over.abort("ended"));
  await wait(deps.clock, JOB_LIMITS.abortMs, over.signal);
  return over.signal.aborted;
}

function notRunning(): AppError {
  return new AppError({
    code: "not-running",
    message: "engramd is not running, so no run is under way",
    fix: "start it with: engramd run",
    exitCode: EXIT.notRunning,
  });
}
