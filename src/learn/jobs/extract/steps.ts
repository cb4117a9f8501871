// The steps of one extraction over one memory folder: read every session with unread bytes, let the rules
// propose, commit through the gate, and move the cursor last. A crash anywhere repeats work, never loses it.
import type { Candidate, ChangeSet } from "../../../domain/changes.ts";
import type { JobOutcome, SkipReason } from "../../../domain/jobs.ts";
import type { Instant, TranscriptRecord, UserText } from "../../../domain/records.ts";
import type { ProjectRef } from "../../../domain/sessions.ts";
import { systemCode } from "../../../domain/errors.ts";
import { readTurns, type ReadTotals } from "../../../intake/transcripts/turns.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import { renderRecord } from "../../../memory/secrets/render.ts";
import { afterLastMemoryWrite } from "./agent-writes.ts";
import type { ExtractDeps, ExtractRequest, SessionReport } from "./contract.ts";
import { partsOf, planChanges } from "./plan.ts";
import { advance, finish, saveCount } from "./progress.ts";
import type { Progress } from "./progress.ts";

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

/** What one session gathers while it is read. */
interface SessionPass extends Progress {
  readonly project: ProjectRef;
  agentWrote: number;
  candidates: number;
  secretsMasked: number;
  readonly written: SessionReport["written"][number][];
  readonly refused: { file: string; reason: string }[];
}

async function extractSession(
  entry: CatalogEntry,
  request: ExtractRequest,
  deps: ExtractDeps,
): Promise<SessionReport> {
  const project = entry.project ?? request.projects[0];
  if (project === undefined) return reportOf(undefined, entry, "nothing-new");
  const pass: SessionPass = {
    entry,
    project,
    seen: deps.seenOf(project.id),
    typed: 0,
    counted: 0,
    headlessTyped: 0,
    agentWrote: 0,
    candidates: 0,
    secretsMasked: 0,
    written: [],
    refused: [],
  };
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

interface Learning {
  readonly pass: SessionPass;
  readonly request: ExtractRequest;
  readonly deps: ExtractDeps;
}

interface Window {
  readonly context: readonly TranscriptRecord[];
  readonly records: readonly TranscriptRecord[];
}

async function learnFrom(window: Window, { pass, request, deps }: Learning): Promise<void> {
  const settings = deps.settings(pass.project);
  const skipBefore = afterLastMemoryWrite(window.records, deps.placeOf(request.memoryDir));
  const fresh = new Map<string, UserText>();
  const heard: UserText[] = [];
  for (const [index, record] of window.records.entries()) {
    if (record.kind !== "user-text" || record.origin === "subagent" || record.origin === "ours") continue;
    if (record.origin === "headless" && !settings.headless) {
      pass.headlessTyped += 1;
      continue;
    }
    if (pass.seen.has(record)) continue;
    pass.typed += 1;
    heard.push(record);
    // A copy of the same message inside this window must not teach twice.
    pass.seen.add(record);
    if (index < skipBefore) pass.agentWrote += 1;
    else fresh.set(record.recordId, record);
  }
  if (fresh.size > 0 && settings.learns) await propose(window, fresh, { pass, request, deps });
  if (heard.length > 0) saveCount(pass, deps.catalog);
}

async function propose(
  window: Window,
  fresh: ReadonlyMap<string, UserText>,
  learning: Learning,
): Promise<void> {
  const { pass, request, deps } = learning;
  const heard = [...window.context, ...window.records];
  const now = deps.clock.now();
  const rendered = heard.map((record) => renderText(record, now));
  pass.secretsMasked += maskedIn(rendered) - maskedIn(heard);
  const session = {
    agent: pass.entry.source.agent,
    id: pass.entry.state.sessionId,
    projectId: pass.project.id,
  };
  const found = await deps.extract({
    records: rendered,
    isNew: (recordId) => fresh.has(recordId),
    session,
    now: deps.clock.now(),
    timeZone: deps.clock.timeZone(),
  });
  const { proposeOnly } = deps.settings(pass.project);
  const saves = proposeOnly ? [] : found.saves;
  const weak: Candidate[] = [...found.candidates, ...(proposeOnly ? found.saves.flatMap(asCandidate) : [])];
  pass.candidates += deps.keepCandidates(pass.project, weak);
  if (saves.length === 0) return;
  const view = deps.viewOf(request.memoryDir);
  const changes = planChanges(saves, {
    memories: view.memories,
    taken: view.taken,
    today: deps.today(),
    origin: request.projects.length > 1 ? pass.project.root : undefined,
  });
  if (changes.length === 0) return;
  const texts = new Map(
    rendered.flatMap((record) => ("text" in record ? [[record.recordId, record.text]] : [])),
  );
  for (const part of partsOf(changes)) {
    const set: ChangeSet = {
      run: request.run,
      kind: "extract",
      trigger: request.trigger,
      project: pass.project,
      memoryDir: request.memoryDir,
      changes: part,
      producer: "offline",
    };
    const result = await deps.commit(set, {
      evidenceTexts: texts,
      sharedFolder: request.projects.length > 1,
    });
    pass.written.push(...result.written);
    for (const verdict of result.verdicts) {
      if (!verdict.accepted) pass.refused.push({ file: verdict.change.file, reason: verdict.reason });
    }
  }
}

/** Rules read the same masked, normalised text a model would see, so quotes are checked against one thing. */
function renderText(record: TranscriptRecord, now: Instant): TranscriptRecord {
  if (record.kind !== "user-text" && record.kind !== "assistant-text") return record;
  // A time ahead of ours was stamped under a wrong clock: better unknown than "newest".
  const at = record.at !== undefined && record.at > now + CLOCK_SKEW_MS ? undefined : record.at;
  return { ...record, at, text: renderRecord(record) };
}

/** Two machines' clocks differ by less. */
const CLOCK_SKEW_MS = 86_400_000;

/** Marks the masking left in typed words; the difference to the raw text is what it took out. */
function maskedIn(records: readonly TranscriptRecord[]): number {
  const typed = records.flatMap((record) => (record.kind === "user-text" ? [record.text] : []));
  return typed.reduce((sum, text) => sum + text.split("[secret:").length - 1, 0);
}

function asCandidate(found: {
  memory: Candidate["memory"];
  evidence: readonly Candidate["evidence"][];
  cue: string;
}): Candidate[] {
  const [evidence] = found.evidence;
  return evidence === undefined ? [] : [{ memory: found.memory, evidence, cue: found.cue }];
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

function skipReason(pass: SessionPass): SkipReason | undefined {
  if (pass.written.length > 0 || pass.refused.length > 0) return undefined;
  if (pass.agentWrote > 0 && pass.agentWrote === pass.typed) return "agent-already-wrote";
  if (pass.typed > 0) return undefined;
  return pass.headlessTyped > 0 ? "headless" : "nothing-new";
}

function reportOf(
  pass: SessionPass | undefined,
  entry: CatalogEntry,
  skip: SkipReason | undefined,
): SessionReport {
  return {
    session: entry.state.sessionId,
    agent: entry.source.agent,
    skip,
    records: 0,
    lines: 0,
    damaged: 0,
    typed: pass?.typed ?? 0,
    candidates: pass?.candidates ?? 0,
    secretsMasked: pass?.secretsMasked ?? 0,
    written: pass?.written ?? [],
    refused: pass?.refused ?? [],
  };
}
