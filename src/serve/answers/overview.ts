// The first screen: what was found, read and saved, where it goes, what will be lost, what a model would mean. Every
// figure comes from cursors, folders and one walk over names and times; it reads no transcript and changes nothing.
import { basename, dirname, join } from "node:path";
import { costsMoney } from "../../config/provider.ts";
import type { LastWeek, Overview, OverviewAgent } from "../../domain/overview.ts";
import { isUnheard, unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { CatalogEntry } from "../../intake/watch/catalog.ts";
import { ANSWER_TOKENS } from "../../learn/jobs/extract/estimate.ts";
import { costUsd, resolveModel } from "../../learn/models/prices.ts";
import type { Inbox } from "../../memory/inbox/inbox.ts";
import type { FileFacts, Files } from "../../system/files.ts";
import type { Paths } from "../../system/paths.ts";
import { offersOf } from "./model.ts";
import type { Expiring } from "./expiring.ts";
import { expiringOf, expiringSessions, expiryWarnings } from "./expiring.ts";
import type { LiveFacts, SnapshotDeps } from "./snapshot.ts";
import { countAgents, isObserved, isToBeRead } from "./counting.ts";

export interface OverviewDeps extends SnapshotDeps {
  readonly files: Pick<Files, "follow">;
  readonly paths: Pick<Paths, "claudeHome" | "dataDir">;
  readonly inbox: Inbox;
  /** Transcripts that are not as the cursors say, by path: one walk that remembers nothing. */
  differing(): Promise<ReadonlyMap<string, FileFacts>>;
  readonly choosing: Parameters<typeof offersOf>[0];
}

interface Facts {
  readonly entries: readonly CatalogEntry[];
  readonly expiring: Expiring;
}

/** Without a daemon the disk is looked at as well: nobody else has met what is new. */
export async function takeOverview(deps: OverviewDeps, live: LiveFacts): Promise<Overview> {
  const known = live.pid === null ? await entriesOnDisk(deps) : [...deps.catalog.entries()];
  const entries = known.filter((entry) => isObserved(entry, deps.places));
  const toBeRead = entries.filter((entry) => isToBeRead(entry, deps.places));
  const facts: Facts = { entries, expiring: expiringOf(toBeRead, deps.retention) };
  const paused = deps.pause.current();
  const { usdToday, usdMonth } = deps.budget.spent();
  return {
    v: 1,
    version: deps.version,
    state: live.state,
    ...(paused === undefined ? {} : { paused }),
    reading: live.state === "starting" || live.state === "scanning" || deps.progress() !== undefined,
    provider: deps.provider(),
    agents: agentsOf(facts, deps),
    typedMessages: sum(
      Object.values(countAgents(entries, deps.config().extract.headless)),
      ({ typedMessages }) => typedMessages,
    ),
    ...memoriesOf(deps),
    unread: unreadOf(entries, deps),
    writesTo: writesTo(deps),
    lastWeek: lastWeekOf(entries, deps),
    ...offered(deps),
    spent: { usdToday, usdMonth },
    warnings: [...deps.warnings(), ...expiryWarnings(facts.expiring)],
  };
}

/** Whoever wrote "offline" wants to hear of no model. */
function offered({ config, choosing }: OverviewDeps): Pick<Overview, "offers"> {
  const found = config().provider === "auto" ? offersOf(choosing) : [];
  return found.length === 0 ? {} : { offers: found };
}

async function entriesOnDisk({ catalog, differing }: OverviewDeps): Promise<CatalogEntry[]> {
  const changed = await differing();
  const known = [...catalog.entries()].map((entry) => {
    const facts = changed.get(entry.source.path);
    if (facts === undefined) return entry;
    const { bytes, mtimeMs } = facts;
    return { ...entry, state: { ...entry.state, bytes, mtimeMs } };
  });
  const met = new Set(known.map(({ source }) => source.path));
  const fresh = [...changed].flatMap(([path, facts]) =>
    met.has(path) ? [] : (catalog.unmet(path, facts) ?? []),
  );
  return [...known, ...fresh];
}

function agentsOf({ entries, expiring }: Facts, { catalog, files }: OverviewDeps): OverviewAgent[] {
  const agents = [...new Set(catalog.roots.map(({ agent }) => agent))];
  return agents.map((agent) => {
    const mine = entries.filter(({ source }) => source.agent === agent);
    return {
      agent,
      sessions: new Set(mine.map(({ state }) => state.sessionId)).size,
      projects: countProjects(mine),
      expiringSessions: expiringSessions(mine, expiring),
      roots: catalog.roots
        .filter((root) => root.agent === agent)
        .map(({ path }) => ({ path, found: files.follow(path)?.kind === "folder" })),
    };
  });
}

/** What nobody has looked into is of the project its folder belongs to; a folder of its own is one more. */
function countProjects(entries: readonly CatalogEntry[]): number {
  const projects = new Set<string>();
  const folders = new Set<string>();
  for (const { project, source } of entries) {
    if (project === undefined) continue;
    projects.add(project.id);
    folders.add(dirname(source.path));
  }
  const others = entries
    .filter(
      ({ project, state: { cwd, passedWhy } }) =>
        project === undefined && cwd === undefined && !isUnheard(passedWhy),
    )
    .map(({ source }) => dirname(source.path));
  return projects.size + new Set(others.filter((folder) => !folders.has(folder))).size;
}

function memoriesOf({
  places,
  views,
  inbox,
}: OverviewDeps): Pick<Overview, "memories" | "proposals" | "candidates"> {
  const projects = places.known();
  const folders = new Set(projects.map((project) => places.placeOf(project).memoryDir));
  const waiting = projects.map(({ id }) => inbox.count(id));
  const summaries = [...folders].map((folder) => views.summary(folder));
  return {
    memories: {
      saved: sum(summaries, ({ evidenced }) => evidenced),
      total: sum(summaries, ({ memories }) => memories),
    },
    proposals: sum(waiting, ({ proposals }) => proposals),
    // To the person both are remarks that nobody has decided about.
    candidates: sum(waiting, ({ candidates, quarantine }) => candidates + quarantine),
  };
}

function unreadOf(entries: readonly CatalogEntry[], { places }: OverviewDeps): Overview["unread"] {
  const unread = entries.filter(({ state, project }) => {
    const isKept = project === undefined ? state.cwd === undefined : places.folderOf(project) !== undefined;
    return isKept && unreadBytes(state) > 0;
  });
  return {
    sessions: new Set(unread.map(({ state }) => state.sessionId)).size,
    bytes: sum(unread, ({ state }) => unreadBytes(state)),
  };
}

/** Folders of projects that are written to, those of one pattern as one; before there are any, where the first goes. */
function writesTo({ places, files, paths }: OverviewDeps): string[] {
  const found = new Set<string>();
  for (const project of places.known()) {
    const { off, mode, memoryDir } = places.placeOf(project);
    if (off === undefined && mode === "auto") found.add(patternOf(memoryDir));
  }
  if (found.size > 0 || places.known().length > 0) return [...found].toSorted();
  const home = files.follow(paths.claudeHome)?.kind === "folder" ? paths.claudeHome : paths.dataDir;
  return [join(home, "projects", "*", "memory")];
}

/** `<home>/projects/<key>/memory` of any key; a folder a person chose stays itself. */
function patternOf(memoryDir: string): string {
  const projects = dirname(dirname(memoryDir));
  const isUsual = basename(memoryDir) === "memory" && basename(projects) === "projects";
  return isUsual ? join(projects, "*", "memory") : memoryDir;
}

const WEEK_MS = 7 * 86_400_000;
/** A message of a line or two with the answer before it; turns of 1,500 characters take 420 (measured). */
const TOKENS_PER_MESSAGE = 150;
/** Instructions and the list of memories that each session's request begins with: 2,800 with no memories (measured). */
const TOKENS_PER_SESSION = 3_000;
/** Messages of a session nobody has read yet, where none has been read: about what people type. */
const MESSAGES_PER_SESSION = 8;

/** `about`: exact figures need the words (`sync --dry-run`). */
function lastWeekOf(entries: readonly CatalogEntry[], deps: OverviewDeps): LastWeek {
  const { headless } = deps.config().extract;
  const since = deps.clock.now() - WEEK_MS;
  const typed = new Map<string, number>();
  let unheard = 0;
  for (const { state } of entries) {
    if (state.mtimeMs < since) continue;
    const words = state.typed + (headless ? state.headlessTyped : 0);
    const { bytes, read, passedWhy } = state;
    const isRead = bytes === 0 || read !== undefined || passedWhy === "headless" || isUnheard(passedWhy);
    if (words > 0) typed.set(state.sessionId, (typed.get(state.sessionId) ?? 0) + words);
    else if (!isRead) unheard += 1;
  }
  const heard = sum([...typed.values()], (count) => count);
  const usual = typed.size === 0 ? MESSAGES_PER_SESSION : heard / typed.size;
  const sessions = typed.size + unheard;
  const inputTokens = Math.round(
    sessions * TOKENS_PER_SESSION + (heard + unheard * usual) * TOKENS_PER_MESSAGE,
  );
  const outputTokens = sessions * ANSWER_TOKENS;
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const { name } = deps.provider();
  const model = resolveModel(deps.config().models.extract, name);
  // Without a model it is what one paid by request would cost.
  const isFree = name !== "offline" && !costsMoney(name);
  return { sessions, model, inputTokens, usd: isFree ? null : costUsd(model, usage) };
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
