// `engramd sync`: one pass without waiting - read everything new, run what is due, drain, report.
import type { SyncReport, SyncRequest } from "../../domain/service.ts";
import { AppError, EXIT, systemCode } from "../../domain/errors.ts";
import { createBreather } from "../../system/breather.ts";
import type { Clock } from "../../system/clock.ts";
import type { SourceState } from "../../intake/transcripts/cursors.ts";
import { backfillBytes, positionOf, unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { Off } from "../../intake/projects/places.ts";
import type { Catalog, CatalogEntry } from "../../intake/watch/catalog.ts";
import type { Retention } from "../../intake/watch/retention.ts";
import type { AgentId, ProjectRef } from "../../domain/sessions.ts";
import type { Foreseen } from "../../learn/jobs/extract/estimate.ts";
import { sumOf } from "../../learn/jobs/extract/estimate.ts";
import { countAgents, passedScripts } from "./counting.ts";
import type { Pause } from "./pause.ts";
import { afterToday, type RemainingDeps, remainingOf, sessionsIn } from "./remaining.ts";
import { createPassTally } from "./tally.ts";
import type { PassTally } from "./tally.ts";

export interface SyncDeps extends RemainingDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly pause: Pause;
  readonly retention: Retention;
  /** One full stat walk; every path that differs has been looked at when it resolves. */
  sweep(): Promise<void>;
  /** Memory folder of a project; undefined when memory is off there. */
  folderOf(project: ProjectRef): string | undefined;
  /** Why nothing is learnt of a project; undefined when it is. */
  offOf(project: ProjectRef): Off | undefined;
  /** Whether scripted sessions count. */
  headlessCounts(): boolean;
  /** Whether only sessions of this project are wanted; `path` is the request's project. */
  isWanted(project: ProjectRef, path: string): boolean;
  /** Runs extraction of these folders now and resolves when all have ended. */
  runNow(
    folders: readonly string[],
  ): Promise<readonly { readonly folder: string; readonly reason: string }[]>;
  /** Whether a model reads this agent's words. */
  readsByModel(agent: AgentId): boolean;
  /** What a pass over sources of one memory folder would hear and send; asks no model and changes nothing. */
  estimate(folder: string, entries: readonly CatalogEntry[]): Promise<readonly Foreseen[]>;
  /** Whether what a model reads is part of a subscription. */
  isPlan(): boolean;
  /** Reports go here until the returned function is called. */
  listen(tally: PassTally): () => void;
}

const DAY_MS = 86_400_000;

export async function answerSync(request: SyncRequest, deps: SyncDeps): Promise<SyncReport> {
  const tally = createPassTally();
  const paused = deps.pause.current();
  if (paused !== undefined) return { ...reportOf(tally, { deps, foreseen: [], left: [] }), paused };
  const stop = deps.listen(tally);
  const asked: Asked = { request, deps };
  try {
    await deps.sweep();
    if (request.dryRun === true) return foreseenReport(tally, { ...asked, foreseen: await foresee(asked) });
    const due = await dueEntries(asked);
    const blocked = await deps.runNow([...foldersOf(due, deps)]);
    const left = await foreseenIn(stillUnread(due, deps), { ...deps, estimate: estimateOrNone(deps) });
    const report = reportOf(tally, { deps, foreseen: left, left });
    // Their words wait: nobody must take silence for "nothing to do".
    const waiting = blocked.map(({ folder, reason }) => ({ session: folder, reason }));
    return { ...report, skipped: [...report.skipped, ...waiting, ...leftUnread(asked)] };
  } finally {
    stop();
    deps.catalog.flush();
  }
}

/** Names listed in one report. */
const LEFT_MAX = 1_000;

/** Sessions with words that a mode keeps from being read; a change of the mode has them read. */
function leftUnread({ request, deps }: Asked): SyncReport["skipped"] {
  const left = new Map<string, string>();
  for (const entry of deps.catalog.entries()) {
    const { project, state } = entry;
    if (left.size >= LEFT_MAX) break;
    if (project === undefined || !deps.catalog.isUnread(entry)) continue;
    if (request.project !== undefined && !deps.isWanted(project, request.project)) continue;
    const off = deps.offOf(project);
    if (off === "mode-off" || off === "read-only") left.set(state.sessionId, off);
  }
  return [...left].map(([session, reason]) => ({ session, reason }));
}

interface Asked {
  readonly request: SyncRequest;
  readonly deps: SyncDeps;
}

/** What a pass reads: everything unread, and with a backfill what it opens again. */
async function dueEntries(asked: Asked): Promise<CatalogEntry[]> {
  const { catalog, clock } = asked.deps;
  const breathe = createBreather(clock);
  const due: CatalogEntry[] = [];
  for (const { source } of candidates(asked)) {
    // Opening one reads its first lines.
    await breathe();
    const entry = catalog.get(source.path);
    if (entry === undefined) continue;
    const isReopened = reopens(entry, asked);
    const found = isReopened ? catalog.reopen(entry.source.path, readBy(entry, asked)) : entry;
    if (found?.project !== undefined && catalog.isUnread(found) && isOpenTo(found, asked)) due.push(found);
    else if (found !== undefined && isReopened) closeAgain(found, { ...asked, before: entry });
  }
  return due;
}

/** The same without touching a cursor. */
async function wouldRead(asked: Asked): Promise<CatalogEntry[]> {
  const { catalog, clock } = asked.deps;
  const breathe = createBreather(clock);
  const due: CatalogEntry[] = [];
  for (const { source } of candidates(asked)) {
    await breathe();
    const entry = catalog.get(source.path);
    if (entry === undefined) continue;
    const isReopened = reopens(entry, asked);
    const found = isReopened ? catalog.reopened(source.path, readBy(entry, asked)) : entry;
    if (found === undefined || !isOpenTo(found, asked)) continue;
    if (isReopened ? unreadBytes(found.state) > 0 : catalog.isUnread(found)) due.push(found);
  }
  return due;
}

/** A source that nobody looked into yet may be of any project. Most have nothing new, which is told most cheaply. */
function candidates(asked: Asked): CatalogEntry[] {
  const { catalog } = asked.deps;
  return [...catalog.entries()].filter(
    (entry) =>
      (catalog.isUnread(entry) || reopens(entry, asked)) &&
      (entry.project === undefined || isOpenTo(entry, asked)),
  );
}

/** It was opened to see whose it is; somebody else's words, or those of a project without memory, stay as they were. */
function closeAgain({ state }: CatalogEntry, { deps, before }: Asked & { readonly before: CatalogEntry }) {
  const { cwd, sessionId } = state;
  deps.catalog.update({ ...before.state, cwd, sessionId });
}

function reopens(entry: CatalogEntry, asked: Asked): boolean {
  const { backfillDays } = asked.request;
  const { state } = entry;
  // No person spoke in these, whatever anybody asks for.
  if (backfillDays === undefined || state.passedWhy === "ours" || state.passedWhy === "observer")
    return false;
  const isPassed = backfillBytes(state) > unreadBytes(state);
  const isNewToModel = state.rulesUntil > 0 && readBy(entry, asked) === "model";
  if (!isPassed && !isNewToModel) return false;
  return backfillDays === "all" || state.mtimeMs >= asked.deps.clock.now() - backfillDays * DAY_MS;
}

function readBy({ source }: CatalogEntry, { deps }: Asked): "model" | "rules" {
  return deps.readsByModel(source.agent) ? "model" : "rules";
}

/** Its project is wanted and keeps memory. */
function isOpenTo({ project }: CatalogEntry, { request, deps }: Asked): boolean {
  if (project === undefined || deps.folderOf(project) === undefined) return false;
  return request.project === undefined || deps.isWanted(project, request.project);
}

function foldersOf(entries: readonly CatalogEntry[], deps: SyncDeps): Set<string> {
  const folders = new Set<string>();
  const rank = (entry: CatalogEntry) => deps.retention.rankOf(entry);
  // What is about to be deleted before all, then the newest: what somebody works on now matters most.
  for (const entry of entries.toSorted((a, b) => rank(b) - rank(a))) {
    const folder = entry.project === undefined ? undefined : deps.folderOf(entry.project);
    if (folder !== undefined) folders.add(folder);
  }
  return folders;
}

/** What a pass would hear and send, folder by folder as jobs run. */
async function foresee(asked: Asked): Promise<readonly Foreseen[]> {
  return foreseenIn(await wouldRead(asked), asked.deps);
}

function stillUnread(due: readonly CatalogEntry[], { catalog }: SyncDeps): CatalogEntry[] {
  return due.flatMap(({ source }) => {
    const entry = catalog.get(source.path);
    return entry !== undefined && catalog.isUnread(entry) ? [entry] : [];
  });
}

async function foreseenIn(due: readonly CatalogEntry[], deps: SyncDeps): Promise<readonly Foreseen[]> {
  const foreseen: Foreseen[] = [];
  for (const folder of foldersOf(due, deps)) {
    const here = due.filter(({ project }) => project !== undefined && deps.folderOf(project) === folder);
    foreseen.push(...(await deps.estimate(folder, here)));
  }
  return foreseen;
}

/** A folder that cannot be read has failed its job, which says why: its sessions are left, at a cost nobody knows. */
function estimateOrNone({ estimate }: SyncDeps): SyncDeps["estimate"] {
  const none = { heard: 0, typed: 0, headlessTyped: 0, requests: 0, inputTokens: 0, usd: 0 };
  return (folder, entries) =>
    estimate(folder, entries).catch((error: unknown) => {
      // A fault of our own is not a cost nobody knows.
      if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
      return entries.map((entry) => ({ entry, ...none }));
    });
}

interface Counting {
  readonly deps: SyncDeps;
  /** What would be read: counted as if it had been, as whatever keeps it from being read makes it no older. */
  readonly foreseen: readonly Foreseen[];
  /** What the pass wanted and has not read, or would not today. */
  readonly left: readonly Foreseen[];
}

function reportOf(tally: PassTally, { deps, foreseen, left }: Counting): SyncReport {
  const { processed, ...sums } = tally.sums();
  const fresh = sessionsIn(foreseen.filter(({ heard }) => heard > 0));
  const isObserved = ({ project }: CatalogEntry) =>
    project === undefined || deps.offOf(project) !== "mode-off";
  const observed = countedWith(foreseen, deps).filter(isObserved);
  const agents = countAgents(observed, deps.headlessCounts());
  const passedOver = passedScripts(observed);
  const seen = Object.values(agents).reduce((sum, agent) => sum + agent.sessions, 0);
  const older = [...deps.catalog.entries()].filter(
    (entry) => isObserved(entry) && backfillBytes(entry.state) > 0 && entry.state.passedWhy === "old",
  );
  return {
    v: 1,
    sessions: { seen, new: new Set([...processed, ...fresh]).size, processed: processed.size },
    agents,
    ...sums,
    ...(passedOver === undefined ? {} : { passedOver }),
    remaining: remainingOf(left, { room: deps.budget.room(), older: older.length }),
  };
}

interface Foresight extends Asked {
  readonly foreseen: readonly Foreseen[];
}

/** Nothing was processed; everything else is told as if the pass had been made. */
function foreseenReport(tally: PassTally, { deps, foreseen }: Foresight): SyncReport {
  const report = reportOf(tally, { deps, foreseen, left: afterToday(foreseen, deps.budget.room()) });
  const plan = deps.isPlan() ? ({ plan: true } as const) : {};
  return { ...report, estimate: { ...sumOf(foreseen), ...plan } };
}

/** Sources with what is known of them, or would be. */
function countedWith(foreseen: readonly Foreseen[], { catalog }: SyncDeps): CatalogEntry[] {
  const after = new Map(foreseen.map((each) => [each.entry.source.path, each]));
  return [...catalog.entries()].map((entry) => {
    const found = after.get(entry.source.path);
    return found === undefined ? entry : { ...entry, state: stateAfter(found) };
  });
}

function stateAfter({ entry: { state }, typed, headlessTyped }: Foreseen): SourceState {
  const isWhole = positionOf(state) === undefined;
  return {
    ...state,
    typed: state.typed + typed,
    headlessTyped: (isWhole ? 0 : state.headlessTyped) + headlessTyped,
  };
}

/** Why nothing is done in the background. */
export function notRunning(): AppError {
  return new AppError({
    code: "not-running",
    message: "work in the background needs the daemon",
    fix: "start it with: engramd run",
    exitCode: EXIT.notRunning,
  });
}
