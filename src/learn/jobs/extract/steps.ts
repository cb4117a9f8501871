// The steps of one extraction over one memory folder: read every session with unread bytes, let the rules
// propose, commit through the gate, and move the cursor last. A crash anywhere repeats work, never loses it.
import type { JobOutcome } from "../../../domain/jobs.ts";
import { systemCode } from "../../../domain/errors.ts";
import { readTurns, type ReadTotals } from "../../../intake/transcripts/turns.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import { learnByRules } from "./by-rules.ts";
import type { ExtractDeps, ExtractRequest, SessionReport } from "./contract.ts";
import { hear } from "./hear.ts";
import type { Learning, SessionPass, Stretch } from "./pass.ts";
import { openPass, reportOf, skipReason } from "./pass.ts";
import { advance, finish, goOffRecord, isOffRecord, saveCount } from "./progress.ts";

/** Reads every unread session of the folder, oldest first, so that later words meet earlier memories. */
export async function extractFolder(request: ExtractRequest, deps: ExtractDeps): Promise<JobOutcome> {
  const waiting = sessionsOf(request, deps);
  if (waiting.length === 0) return { result: "skipped", reason: "nothing-new" };
  const settledAt = request.ignoreSettle ? undefined : deps.settlingUntil(request.memoryDir);
  if (settledAt !== undefined) return { result: "delayed", at: settledAt, reason: "settling" };
  deps.assertWritable(request.memoryDir);
  const reports: SessionReport[] = [];
  try {
    for (const entry of waiting) {
      request.signal.throwIfAborted();
      const report = await extractSession(entry, request, deps);
      reports.push(report);
      deps.report(report);
    }
  } finally {
    deps.catalog.flush();
    deps.finishRun(request, reports);
  }
  return outcomeOf(reports);
}

function sessionsOf(request: ExtractRequest, { catalog }: ExtractDeps): CatalogEntry[] {
  return request.projects
    .flatMap((project) => catalog.entriesOf(project.id))
    .filter((entry) => catalog.isUnread(entry))
    .toSorted((a, b) => a.state.mtimeMs - b.state.mtimeMs);
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

async function extractSession(
  entry: CatalogEntry,
  request: ExtractRequest,
  deps: ExtractDeps,
): Promise<SessionReport> {
  const project = entry.project ?? request.projects[0];
  if (project === undefined) return reportOf(undefined, entry, "nothing-new");
  const pass = openPass(entry, project, deps);
  const turns = readTurns({
    format: entry.format,
    source: entry.source,
    from: positionOf(entry.state),
    signal: request.signal,
    pause: deps.clock.yield,
  });
  try {
    for (;;) {
      const step = await turns.next();
      if (step.done === true) return finishSession(pass, step.value, deps);
      await learnFrom(step.value, { pass, request, deps });
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
    return reportOf(pass, entry, "source-gone");
  }
}

async function learnFrom(stretch: Stretch, learning: Learning): Promise<void> {
  const { pass, deps } = learning;
  const { fresh, heard, open, silenced } = hear(stretch, learning);
  const mayLearn = deps.settings(pass.project).learns && !isOffRecord(pass, deps.catalog);
  if (fresh.size > 0 && mayLearn) await learnByRules(open, fresh, learning);
  if (silenced) goOffRecord(pass, deps.catalog);
  if (heard > 0) saveCount(pass, deps.catalog);
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
