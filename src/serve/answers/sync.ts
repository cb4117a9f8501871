// `engramd sync`: one pass without waiting - read everything new, run what is due, drain, report.
import type { SyncReport, SyncRequest } from "../../domain/service.ts";
import type { Clock } from "../../system/clock.ts";
import { backfillBytes, unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { Catalog, CatalogEntry } from "../../intake/watch/catalog.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { createPassTally } from "./tally.ts";
import type { PassTally } from "./tally.ts";

export interface SyncDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** One full stat walk; every path that differs has been looked at when it resolves. */
  sweep(): Promise<void>;
  /** Memory folder of a project; undefined when memory is off there. */
  folderOf(project: ProjectRef): string | undefined;
  /** Whether scripted sessions count. */
  headlessCounts(): boolean;
  /** Whether only sessions of this project are wanted; `path` is the request's project. */
  isWanted(project: ProjectRef, path: string): boolean;
  /** Runs extraction of these folders now and resolves when all have ended. */
  runNow(
    folders: readonly string[],
  ): Promise<readonly { readonly folder: string; readonly reason: string }[]>;
  /** Reports go here until the returned function is called. */
  listen(tally: PassTally): () => void;
}

const DAY_MS = 86_400_000;
/** Characters of transcript per token, the usual rough measure. */
const BYTES_PER_TOKEN = 4;

export async function answerSync(request: SyncRequest, deps: SyncDeps): Promise<SyncReport> {
  const tally = createPassTally();
  const stop = deps.listen(tally);
  try {
    await deps.sweep();
    if (request.dryRun === true) {
      const due = wouldRead(request, deps);
      return reportOf(tally, { deps, due: due.map(({ entry }) => entry), estimate: estimateOf(due) });
    }
    const due = dueEntries(request, deps);
    const blocked = await deps.runNow([...foldersOf(due, deps)]);
    const report = reportOf(tally, { deps, due });
    // Their words wait: nobody must take silence for "nothing to do".
    const waiting = blocked.map(({ folder, reason }) => ({ session: folder, reason }));
    return { ...report, skipped: [...report.skipped, ...waiting] };
  } finally {
    stop();
    deps.catalog.flush();
  }
}

/** What a pass reads: everything unread, and with a backfill what was passed over. */
function dueEntries(request: SyncRequest, deps: SyncDeps): CatalogEntry[] {
  const { catalog } = deps;
  const due: CatalogEntry[] = [];
  for (const entry of catalog.entries()) {
    const found = reopens(entry, { request, deps }) ? catalog.reopen(entry.source.path) : entry;
    if (found?.project === undefined || !catalog.isUnread(found)) continue;
    if (isWantedProject(found, { request, deps })) due.push(found);
  }
  return due;
}

interface WouldRead {
  readonly entry: CatalogEntry;
  readonly bytes: number;
}

/** The same without touching a cursor. A source nobody looked into yet counts: its project is not known. */
function wouldRead(request: SyncRequest, deps: SyncDeps): WouldRead[] {
  const found: WouldRead[] = [];
  for (const entry of deps.catalog.entries()) {
    const bytes = reopens(entry, { request, deps }) ? backfillBytes(entry.state) : unreadBytes(entry.state);
    const isPlaced = entry.project !== undefined || entry.state.cwd === undefined;
    if (bytes > 0 && isPlaced && isWantedProject(entry, { request, deps })) found.push({ entry, bytes });
  }
  return found;
}

interface Asked {
  readonly request: SyncRequest;
  readonly deps: SyncDeps;
}

function reopens({ state }: CatalogEntry, { request: { backfillDays }, deps }: Asked): boolean {
  if (backfillDays === undefined) return false;
  // Nothing was passed over, and nothing waits for the rules alone.
  if (backfillBytes(state) <= unreadBytes(state) && state.rulesUntil === 0) return false;
  return backfillDays === "all" || state.mtimeMs >= deps.clock.now() - backfillDays * DAY_MS;
}

function isWantedProject({ project }: CatalogEntry, { request, deps }: Asked): boolean {
  if (request.project === undefined) return true;
  return project !== undefined && deps.isWanted(project, request.project);
}

function foldersOf(entries: readonly CatalogEntry[], deps: SyncDeps): Set<string> {
  const folders = new Set<string>();
  // Newest first: what somebody works on now matters most.
  for (const entry of entries.toSorted((a, b) => b.state.mtimeMs - a.state.mtimeMs)) {
    const folder = entry.project === undefined ? undefined : deps.folderOf(entry.project);
    if (folder !== undefined) folders.add(folder);
  }
  return folders;
}

function estimateOf(due: readonly WouldRead[]): NonNullable<SyncReport["estimate"]> {
  const bytes = due.reduce((sum, each) => sum + each.bytes, 0);
  // The offline rules cost nothing; the token figure says how much text they would read.
  return { requests: 0, inputTokens: Math.round(bytes / BYTES_PER_TOKEN), usd: 0 };
}

interface ReportInput {
  readonly deps: SyncDeps;
  readonly due: readonly CatalogEntry[];
  readonly estimate?: NonNullable<SyncReport["estimate"]>;
}

function reportOf(tally: PassTally, { deps, due, estimate }: ReportInput): SyncReport {
  const { processed, ...sums } = tally.sums();
  const agents = countAgents(deps.catalog.entries(), deps.headlessCounts());
  const seen = Object.values(agents).reduce((sum, agent) => sum + agent.sessions, 0);
  const fresh = new Set(due.map((entry) => entry.state.sessionId)).size;
  const left = [...deps.catalog.entries()].filter(
    (entry) => backfillBytes(entry.state) > 0 && entry.state.passedWhy === "old",
  );
  return {
    v: 1,
    sessions: { seen, new: estimate === undefined ? processed : fresh, processed },
    agents,
    ...sums,
    remaining: { sessions: left.length, usd: 0, days: 0 },
    ...(estimate === undefined ? {} : { estimate }),
  };
}

/** Distinct sessions with typed words, per agent; a session may live in more than one file. */
export function countAgents(entries: Iterable<CatalogEntry>, headlessCounts: boolean): SyncReport["agents"] {
  const found = new Map<string, { typed: Map<string, number>; headless: Set<string>; damaged: number }>();
  for (const { source, state } of entries) {
    const agent = found.get(source.agent) ?? { typed: new Map(), headless: new Set(), damaged: 0 };
    found.set(source.agent, agent);
    const typed = state.typed + (headlessCounts ? state.headlessTyped : 0);
    if (typed > 0) agent.typed.set(state.sessionId, (agent.typed.get(state.sessionId) ?? 0) + typed);
    else if (state.headlessTyped > 0) agent.headless.add(state.sessionId);
    agent.damaged += state.damaged;
  }
  const agents: Record<string, SyncReport["agents"][string]> = {};
  for (const [agent, { typed, headless, damaged }] of found) {
    agents[agent] = {
      sessions: typed.size,
      typedMessages: [...typed.values()].reduce((sum, count) => sum + count, 0),
      headlessSessions: [...headless].filter((id) => !typed.has(id)).length,
      damagedLines: damaged,
    };
  }
  return agents;
}
