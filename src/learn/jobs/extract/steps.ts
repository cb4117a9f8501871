// The steps of one extraction over one memory folder: read every session with unread bytes, let rules or a model
// propose, commit through the gate, and move the cursor last. A crash anywhere repeats work, never loses it.
import { systemCode } from "../../../domain/errors.ts";
import type { JobOutcome } from "../../../domain/jobs.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import { readTurns, type ReadTotals, type TurnWindow } from "../../../intake/transcripts/turns.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import type { Account } from "../../models/budget.ts";
import { learnByModel, type ModelPass } from "./by-model.ts";
import { learnByRules } from "./by-rules.ts";
import type { ExtractDeps, ExtractRequest, SessionReport } from "./contract.ts";
import { hear, markHeard } from "./hear.ts";
import { isIgnored, type Learning, openPass, reportOf, type SessionPass, skipReason } from "./pass.ts";
import { readerOf } from "./reader.ts";
import { isShared, readyEntries, withoutHeld } from "./patience.ts";
import { advance, finish, goOffRecord, isOffRecord, saveCount } from "./progress.ts";

/**
 * Reads every unread session of the folder, oldest first, so that later words meet earlier memories; those that programs
 * run come after all of people.
 */
export async function extractFolder(request: ExtractRequest, deps: ExtractDeps): Promise<JobOutcome> {
  const unread = sessionsOf(request, deps);
  if (unread.length === 0) return { result: "skipped", reason: "nothing-new" };
  // It notes by itself what is said: read here as well, each thing would be learnt twice.
  if (deps.logMode(request.memoryDir) !== undefined) return { result: "skipped", reason: "daily-log-mode" };
  const settledAt = request.ignoreSettle ? undefined : deps.settlingUntil(request.memoryDir);
  if (settledAt !== undefined) return { result: "delayed", at: settledAt, reason: "settling" };
  const { open, held } = withoutHeld(unread, deps);
  if (held !== undefined && open.length === 0)
    return { result: "delayed", at: held.until, reason: held.reason };
  if (held !== undefined) deps.waitForMore(request.memoryDir, held.until);
  deps.assertWritable(request.memoryDir);
  await deps.finishOpen(request.memoryDir);
  const { entries, restDueAt, why } = await readyEntries(open, request, deps);
  if (restDueAt !== undefined) deps.waitForMore(request.memoryDir, restDueAt);
  if (entries.length === 0) return { result: "skipped", reason: why };
  const cost = deps.openAccount(request.memoryDir);
  try {
    return await readSessions(entries, { request, deps, cost });
  } finally {
    cost.close();
  }
}

/** Without those that no model can read, until they grow or a person asks. */
function sessionsOf({ projects, ignoreSettle }: ExtractRequest, { catalog }: ExtractDeps): CatalogEntry[] {
  return projects
    .flatMap((project) => catalog.entriesOf(project.id))
    .filter(
      (entry) => catalog.isUnread(entry) && (ignoreSettle || entry.state.tooLongAt !== entry.state.bytes),
    )
    .toSorted(
      ({ state: a }, { state: b }) => Number(a.scripted) - Number(b.scripted) || a.mtimeMs - b.mtimeMs,
    );
}

interface Job {
  readonly request: ExtractRequest;
  readonly deps: ExtractDeps;
  readonly cost: Account;
}

async function readSessions(entries: readonly CatalogEntry[], job: Job): Promise<JobOutcome> {
  const { request, deps, cost } = job;
  const reports: SessionReport[] = [];
  let isDone = false;
  let stopped: Stopped;
  try {
    for (const entry of entries) {
      // Reading waits for nothing: many small sessions would be one long turn of the event loop.
      await deps.clock.yield();
      request.signal.throwIfAborted();
      const shared = isShared(entry, job);
      cost.hears(shared ? "scripts" : "people");
      const end = await (shared ? extractShared : extractSession)(entry, job);
      reports.push(end.report);
      deps.report(end.report);
      stopped = end.stopped;
      noteLength(entry, stopped === "too-long", deps.catalog);
      if (stopped !== undefined && stopped !== "too-long") break;
    }
    isDone = true;
  } finally {
    deps.catalog.flush();
    const outcome = isDone ? "succeeded" : isCancelled(request.signal) ? "cancelled" : "failed";
    deps.finishRun(request, reports, { ...cost.sum(), outcome });
  }
  // One job has its bounds; the next one goes on where this one stopped.
  if (stopped === "job-full") deps.goOn(request);
  if (stopped === "over-budget") {
    const until = cost.stoppedBy()?.until ?? deps.clock.now();
    deps.waitForMore(request.memoryDir, until);
  }
  // Whoever reads them now begins where the model stopped.
  if (stopped === "withdrawn") deps.goOn(request);
  return outcomeOf(reports);
}

/** Kept with the cursor: another start does not ask a model three times more about what it cannot read. */
function noteLength(
  { source, state }: CatalogEntry,
  isTooLong: boolean,
  catalog: ExtractDeps["catalog"],
): void {
  const now = catalog.get(source.path)?.state;
  if (now === undefined || (!isTooLong && now.tooLongAt === undefined)) return;
  const { tooLongAt: _, ...rest } = now;
  catalog.update(isTooLong ? { ...rest, tooLongAt: state.bytes } : rest);
}

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && systemCode(reason) === "cancelled-by-person";
}

function outcomeOf(reports: readonly SessionReport[]): JobOutcome {
  const changed = reports.reduce((sum, report) => sum + report.written.length, 0);
  if (changed > 0) return { result: "succeeded", changed };
  const reasons = new Set(reports.map((report) => report.skip));
  const [only] = reasons;
  return reasons.size === 1 && only !== undefined
    ? { result: "skipped", reason: only }
    : { result: "succeeded", changed: 0 };
}

interface SessionEnd {
  readonly report: SessionReport;
  readonly stopped: Stopped;
}

/** Why a session was not read to its end; undefined when it was. */
type Stopped = Exclude<ModelPass, "done"> | undefined;

/** Once the share is used up the rest is passed over, but for the next hour: as waiting for days it would only become more. */
async function extractShared(entry: CatalogEntry, job: Job): Promise<SessionEnd> {
  const { request, deps, cost } = job;
  const passed = () => {
    deps.catalog.passOver(deps.catalog.get(entry.source.path) ?? entry, "flood");
    return ended(reportOf(undefined, entry, "flood"));
  };
  if (deps.restsUntil(request.memoryDir, "scripts") !== undefined) return passed();
  const end = await extractSession(entry, job);
  const isOver = end.stopped === "over-budget" && cost.stoppedBy()?.setting !== "runsPerHour";
  return isOver ? passed() : end;
}

async function extractSession(entry: CatalogEntry, job: Job): Promise<SessionEnd> {
  const { request, deps } = job;
  const project = entry.project ?? request.projects[0];
  if (project === undefined) return ended(reportOf(undefined, entry, "nothing-new"));
  const pass = openPass(entry, project, deps);
  const turns = readTurns({
    format: entry.format,
    source: entry.source,
    from: positionOf(entry.state),
    signal: request.signal,
    pause: deps.clock.yield,
    wantsLarge: () => readerOf({ ...job, pass }) !== undefined,
  });
  try {
    for (;;) {
      const step = await turns.next();
      if (step.done === true) return ended(finishSession(pass, step.value, deps));
      const { path } = entry.source;
      deps.emitter.emit("turns:read", { path, records: step.value.records.length });
      await deps.clock.yield();
      const stopped = await learnFrom(step.value, { ...job, pass });
      if (stopped !== undefined) {
        const why = stopped === "job-full" ? skipReason(pass) : stopped;
        return { report: reportOf(pass, entry, why), stopped };
      }
      if (step.value.next !== undefined) advance(pass, step.value.next, deps.catalog);
    }
  } catch (error) {
    pass.seen.rollback();
    if (systemCode(error) !== "source-gone") throw error;
    const unread = deps.catalog.vanished(entry.source.path);
    deps.emitter.emit("transcript:vanished", {
      agent: entry.source.agent,
      path: entry.source.path,
      unreadBytes: unread,
    });
    return ended(reportOf(pass, entry, "source-gone"));
  }
}

function ended(report: SessionReport): SessionEnd {
  return { report, stopped: undefined };
}

/** Not undefined: the rest of the stretch stays unread. */
async function learnFrom(stretch: TurnWindow, learning: Learning): Promise<Stopped> {
  const { pass, deps } = learning;
  const reader = readerOf(learning);
  // Marked as read by everybody: no copy of them in another session teaches either.
  pass.readBy = isIgnored(pass.entry, deps) ? "ignored" : reader === undefined ? "rules" : "model";
  const hearing = hear(stretch, learning);
  pass.headlessTyped += hearing.headless;
  pass.rulesOnlyUntil = Math.max(pass.rulesOnlyUntil, hearing.rulesOnlyUntil);
  if (hearing.fresh.size > 0 && mayLearn(learning)) {
    if (reader === undefined) await learnByRules(hearing, learning);
    else {
      const end = await learnByModel(hearing, { ...learning, reader }, stretch.next);
      if (end !== "done") return end;
    }
  }
  markHeard(pass, hearing);
  if (hearing.silenced) goOffRecord(pass, deps.catalog);
  if (hearing.heard.length > 0) saveCount(pass, deps.catalog);
  return undefined;
}

function mayLearn({ pass, deps }: Learning): boolean {
  const { entry, project } = pass;
  return deps.settings(project).learns && !isOffRecord(pass, deps.catalog) && !isIgnored(entry, deps);
}

function finishSession(pass: SessionPass, totals: ReadTotals, { catalog }: ExtractDeps): SessionReport {
  finish(pass, totals, catalog);
  return {
    ...reportOf(pass, pass.entry, skipReason(pass)),
    records: totals.records,
    lines: totals.lines,
    damaged: totals.damaged,
  };
}
