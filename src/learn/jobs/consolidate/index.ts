// The dream job: takes the folder, reworks it, and lets it count as consolidated only when all went well. Whatever goes
// wrong, it is given back once, as if nobody had taken it.
import { systemCode } from "../../../domain/errors.ts";
import type { ConsolidationReply } from "../../../domain/consolidation.ts";
import type { ProjectRef } from "../../../domain/sessions.ts";
import type { Account } from "../../models/budget.ts";
import { roomAgain } from "../../models/ceilings.ts";
import type { Hold } from "../consolidating.ts";
import type { RunEnd } from "../model-reader.ts";
import type { DreamAsk, DreamDeps } from "./contract.ts";
import { createProgress } from "./progress.ts";
import { failedReply, skippedReply } from "./report.ts";
import { folderSize } from "../folder-size.ts";
import { dreamOver } from "./steps.ts";

export interface DreamJob {
  /**
   * Asks no gate but the lock. Answers `failed` where a bound or the gate said no; rejects where the model, the disk or
   * the signal did. In both cases the folder is not consolidated and nothing of the model's is in it: a signal that
   * comes after the model's set was written ends nothing.
   */
  run(ask: DreamAsk): Promise<ConsolidationReply>;
}

export function createDreamJob(deps: DreamDeps): DreamJob {
  return { run: (ask) => runDream(ask, deps) };
}

async function runDream(ask: DreamAsk, deps: DreamDeps): Promise<ConsolidationReply> {
  const { memoryDir, run, dryRun = false } = ask;
  ask.signal.throwIfAborted();
  const before = folderSize(deps.viewOf(memoryDir));
  const project = ask.projects.find(({ present }) => present) ?? ask.projects[0];
  if (project === undefined) return skippedReply("nothing-new", { before, dueAt: undefined });
  const closed = deps.modelFor(memoryDir)?.held();
  if (closed !== undefined) return skippedReply(closed.reason, { before, dueAt: closed.until });
  if (dryRun) return inBooks({ ask, project, hold: UNHELD }, deps);
  const taken = await deps.holds.take({ memoryDir, run, kind: "dream" });
  if ("blocked" in taken) return skippedReply(taken.blocked, { before, dueAt: taken.until });
  return inBooks({ ask, project, hold: taken.hold }, deps);
}

/** A dry run takes nothing. */
const UNHELD: Hold = {
  lost: new AbortController().signal,
  assertOurs: () => undefined,
  succeed: () => Promise.resolve(),
  rollBack: () => Promise.resolve(),
};

interface Begun {
  readonly ask: DreamAsk;
  readonly project: ProjectRef;
  readonly hold: Hold;
}

/** Counts what it costs and tells how it ended, whichever way it ends. */
async function inBooks({ ask, project, hold }: Begun, deps: DreamDeps): Promise<ConsolidationReply> {
  const account = deps.openAccount(ask.memoryDir);
  const before = folderSize(deps.viewOf(ask.memoryDir));
  let reply: ConsolidationReply | undefined;
  let broke = "error";
  let isBegun = true;
  try {
    reply = await whileHeld({ ask, project, hold }, { deps, account });
    // No request was allowed: it has not begun.
    if (account.sum().requests > 0 || reply.reason !== "over-budget") return reply;
    isBegun = false;
    const { until: dueAt, ...never } = roomAgain(account.stoppedBy());
    return { ...skippedReply("over-budget", { before, dueAt }), ...never };
  } catch (error) {
    broke = systemCode(error) ?? broke;
    throw error;
  } finally {
    const outcome =
      reply?.outcome === "succeeded" ? "succeeded" : isCancelled(ask.signal) ? "cancelled" : "failed";
    const end: RunEnd = { ...account.sum(), outcome };
    if (isBegun) deps.finishRun(ask, reply ?? failedReply(broke, { run: ask.run, before }), end);
    account.close();
  }
}

async function whileHeld(
  { ask, project, hold }: Begun,
  { deps, account }: { readonly deps: DreamDeps; readonly account: Account },
): Promise<ConsolidationReply> {
  const { memoryDir, run } = ask;
  const signal = AbortSignal.any([ask.signal, hold.lost]);
  const progress = createProgress((phase) => {
    deps.emitter.emit("dream:advanced", { run, dir: memoryDir, project: project.root, phase });
  });
  let isDone = false;
  try {
    if (ask.dryRun !== true) await deps.finishOpen(memoryDir);
    const reader = deps.modelFor(memoryDir);
    const reply = await dreamOver({ ask, project, deps, signal, hold, account, progress, reader });
    // What is written stays: a dream that was to end just then is done, not undone by half.
    if (reply.changes.length === 0) signal.throwIfAborted();
    if (reply.outcome === "succeeded") {
      await hold.succeed();
      isDone = true;
    }
    return reply;
  } finally {
    if (!isDone) await hold.rollBack();
  }
}

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && systemCode(reason) === "cancelled-by-person";
}
