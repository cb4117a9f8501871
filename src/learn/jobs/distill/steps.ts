// The steps of a distillation of one memory folder: take it, read what its logs hold that is new, let a model or the rules
// propose, commit through the gate, move each log's cursor last. A crash anywhere repeats work, never loses it.
import { systemCode } from "../../../domain/errors.ts";
import type {
  ConsolidationNote,
  ConsolidationReply,
  ConsolidationSize,
} from "../../../domain/consolidation.ts";
import { DAILY_LOG_LIMITS } from "../../../domain/limits.ts";
import { folderIdOf } from "../../../memory/journal/folder-id.ts";
import { newRunId } from "../../../system/ids.ts";
import type { Hold } from "../consolidating.ts";
import type { DistillAsk, DistillDeps } from "./contract.ts";
import { type LogCursors, openCursors } from "./cursors.ts";
import { gather, type Gathered } from "./gather.ts";
import { type Job, openJob } from "./job.ts";
import { learnFrom, type Stop } from "./learn.ts";
import { notesOf, replyOf, skipped } from "./report.ts";
import { folderSize } from "../folder-size.ts";

interface Distillation {
  readonly ask: DistillAsk;
  readonly deps: DistillDeps;
  readonly cursors: LogCursors;
}

/** Rejects, with the folder given back, when something broke; what was learnt until then stays. */
export async function distillFolder(ask: DistillAsk, deps: DistillDeps): Promise<ConsolidationReply> {
  const real = deps.files.real(ask.memoryDir);
  const before = folderSize(deps.viewOf(ask.memoryDir));
  if (real === undefined || ask.projects.length === 0) return skipped("nothing-new", { before });
  const cursors = openCursors({ ...deps, folderId: folderIdOf(real) });
  const distillation = { ask, deps, cursors };
  const first = gather(distillation);
  const notes = notesOf(first);
  if (first.entries.length === 0) {
    finishRead(first, distillation);
    const { quietAt } = first;
    return quietAt === undefined
      ? skipped("nothing-new", { before, noted: notes })
      : skipped("not-quiet", { before, noted: notes, dueAt: quietAt });
  }
  if (ask.dryRun === true) return distil(first, { ...distillation, hold: undefined, notes });
  const answer = await deps.holds.take({ memoryDir: ask.memoryDir, run: ask.run, kind: "distill" });
  if ("blocked" in answer) return skipped("locked", { before, noted: notes, dueAt: answer.until });
  const { hold } = answer;
  try {
    await deps.finishOpen(ask.memoryDir);
    const reply = await distil(first, { ...distillation, hold, notes });
    if (reply.outcome === "succeeded") await hold.succeed();
    else await hold.rollBack();
    return reply;
  } catch (error) {
    await hold.rollBack();
    throw error;
  }
}

interface Held extends Distillation {
  readonly hold: Hold | undefined;
  readonly notes: readonly ConsolidationNote[];
}

/** Job after job, each within its own bounds, until nothing is left. */
async function distil(first: Gathered, held: Held): Promise<ConsolidationReply> {
  const { ask, deps, cursors, notes } = held;
  const before = folderSize(deps.viewOf(ask.memoryDir));
  const jobs: Job[] = [];
  let gathered = first;
  let stop: Stop | undefined;
  for (let leg = 0; leg < DAILY_LOG_LIMITS.legsMax && gathered.entries.length > 0; leg += 1) {
    const run = leg === 0 ? ask.run : newRunId(deps.clock.now());
    const end = await performJob(gathered, { ...held, ask: { ...ask, run } });
    jobs.push(end.job);
    finishRead(gathered, held);
    ({ stop } = end);
    if (stop !== undefined && stop.why !== "job-full") break;
    if (stop === undefined && !gathered.more) break;
    gathered = gather({ ...held, goesOn: true });
  }
  const after = folderSize(deps.viewOf(ask.memoryDir));
  return replyOf({ ask, deps, jobs, notes, stop, before, after, cursors });
}

async function performJob(
  gathered: Gathered,
  held: Held,
): Promise<{ readonly job: Job; readonly stop: Stop | undefined }> {
  const { ask, deps, hold, cursors } = held;
  const [project] = ask.projects;
  if (project === undefined) throw new TypeError("a distillation works for a project");
  const account = deps.openAccount(ask.memoryDir);
  const signal = hold === undefined ? ask.signal : AbortSignal.any([ask.signal, hold.lost]);
  const sharedFolder = ask.projects.length > 1;
  const job = openJob({ ask, deps, project, sharedFolder, account, signal, hold });
  const tell = createTelling(gathered, job);
  const before = folderSize(deps.viewOf(ask.memoryDir));
  let ending: Ending = { outcome: "failed", before };
  try {
    const stop = await learnFrom(gathered.entries, job, (entry) => {
      tell(entry.log.path);
      cursors.set(entry.log.path, entry.cursor());
      if (ask.dryRun !== true) cursors.save(gathered.present);
    });
    ending = { outcome: "succeeded", before };
    return { job, stop };
  } catch (error) {
    const isCancelled = ask.signal.aborted && systemCode(ask.signal.reason) === "cancelled-by-person";
    ending = isCancelled
      ? { outcome: "cancelled", before }
      : { outcome: "failed", before, reason: systemCode(error) ?? "error" };
    throw error;
  } finally {
    tellRan(job, ending);
    account.close();
  }
}

/** A log that is longer than a page counts from its first one on. */
function createTelling({ entries }: Gathered, { ask, deps, project }: Job): (path: string) => void {
  const of = new Set(entries.map(({ log }) => log.path)).size;
  const seen = new Set<string>();
  const { run, memoryDir: dir } = ask;
  return (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    deps.emitter.emit("distill:advanced", { run, dir, project: project.root, logs: seen.size, of });
  };
}

interface Ending {
  readonly outcome: "succeeded" | "failed" | "cancelled";
  readonly before: ConsolidationSize;
  readonly reason?: string;
}

function tellRan(job: Job, { outcome, before, reason }: Ending): void {
  const { ask, account, project, written, refused, counts } = job;
  const cost = account.sum();
  if (ask.dryRun === true && cost.requests === 0) return;
  const files = ask.dryRun === true ? [] : [...new Set(written.map(({ file }) => file))];
  const { run, trigger, memoryDir } = ask;
  const end = { ...cost, outcome };
  const sizes = ask.dryRun === true ? {} : { before, after: folderSize(job.deps.viewOf(memoryDir)) };
  job.deps.ran({
    ...sizes,
    ...(reason === undefined ? {} : { reason }),
    run,
    trigger,
    memoryDir,
    project: project.root,
    end,
    files,
    refused,
    candidates: counts.candidates,
  });
}

/** Logs that hold nothing for us are not looked at again until they change. */
function finishRead({ done, present }: Gathered, { ask, cursors }: Distillation): void {
  if (done.size === 0) return;
  for (const [path, cursor] of done) cursors.set(path, cursor);
  if (ask.dryRun !== true) cursors.save(present);
}
