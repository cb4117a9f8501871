// Builds engramd's parts from the configuration, for the daemon and for commands that work without it.
// Starts nothing: no timer, no watcher, no socket, and no lock until something is to be changed.
import { join } from "node:path";
import type { Config } from "./config/schema.ts";
import { loadConfig } from "./config/load.ts";
import type { ChangeSet } from "./domain/changes.ts";
import { AppError, EXIT, messageOf } from "./domain/errors.ts";
import type { EngramdService } from "./domain/service.ts";
import type { Warning } from "./domain/status.ts";
import { VERSION } from "./domain/version.ts";
import { createFormats } from "./intake/agents/registry.ts";
import { createProjects } from "./intake/projects/identity.ts";
import { createMemoryFolders } from "./intake/projects/memory-folder.ts";
import { createPlaces } from "./intake/projects/places.ts";
import type { Places } from "./intake/projects/places.ts";
import { managedSettingsFile } from "./intake/projects/settings.ts";
import { createQueue } from "./intake/queue/queue.ts";
import type { Queue } from "./intake/queue/queue.ts";
import { createRetryClock } from "./intake/queue/retry-clock.ts";
import { createCursors } from "./intake/transcripts/cursors.ts";
import type { WatchRoot } from "./intake/transcripts/format.ts";
import { createCatalog } from "./intake/watch/catalog.ts";
import type { Catalog } from "./intake/watch/catalog.ts";
import type { Debounce } from "./intake/watch/debounce.ts";
import { createDebounce } from "./intake/watch/debounce.ts";
import type { Growth } from "./intake/watch/growth.ts";
import { createGrowth } from "./intake/watch/growth.ts";
import type { Rounds } from "./intake/watch/rounds.ts";
import { createRounds } from "./intake/watch/rounds.ts";
import { createSweep } from "./intake/watch/sweep.ts";
import { createExtractDeps } from "./learn/jobs/extract/deps.ts";
import type { ExtractJob } from "./learn/jobs/extract/index.ts";
import { createExtractJob, EXTRACT } from "./learn/jobs/extract/index.ts";
import { createLedger } from "./learn/models/ledger.ts";
import { hasUrgentCue } from "./learn/offline/extract.ts";
import { localDate } from "./domain/calendar.ts";
import { createCandidateStore } from "./memory/gate/candidates.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "./memory/journal/commit.ts";
import { createMemoryWriter } from "./memory/journal/commit.ts";
import { maskSecrets } from "./memory/secrets/scanner.ts";
import type { Book } from "./serve/answers/book.ts";
import { createBook } from "./serve/answers/book.ts";
import type { FolderViews } from "./serve/answers/folder-view.ts";
import { saveLastStatus } from "./serve/client/last-status.ts";
import { createFolderViews } from "./serve/answers/folder-view.ts";
import type { ServiceDeps } from "./serve/answers/service.ts";
import { createService } from "./serve/answers/service.ts";
import type { LiveFacts } from "./serve/answers/snapshot.ts";
import type { Clock } from "./system/clock.ts";
import { createClock } from "./system/clock.ts";
import type { Emitter } from "./system/emitter.ts";
import { createEmitter } from "./system/emitter.ts";
import type { FileLocks, Lock } from "./system/file-lock.ts";
import { createFileLocks } from "./system/file-lock.ts";
import type { Files } from "./system/files.ts";
import { createFiles } from "./system/files.ts";
import { randomShare } from "./system/ids.ts";
import type { Log } from "./system/log.ts";
import { createLog } from "./system/log.ts";
import type { Environment, Paths } from "./system/paths.ts";
import { expandHome, resolvePaths } from "./system/paths.ts";

export interface AppInput {
  readonly env: Environment;
  /** The account's home folder, used when `HOME` is not set. */
  readonly accountHome: string;
  readonly platform: NodeJS.Platform;
  readonly temporaryDir: string;
  readonly pid: number;
  /** `--config`, absolute. */
  readonly configFile?: string;
  /** Takes one finished log line; must not throw. */
  readonly writeLog: (line: string) => void;
}

/** What everything else stands on. */
interface Ground {
  readonly input: AppInput;
  readonly paths: Paths;
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly log: Log;
  readonly locks: FileLocks;
  config(): Config;
  configWarnings(): readonly Warning[];
  /** Reads the configuration again; throws and keeps the former one when the new one is unusable. */
  reload(): void;
  /** Local calendar date, `YYYY-MM-DD`. */
  today(): string;
}

/** Everything a running engramd is made of. */
export interface Parts extends Ground {
  readonly places: Places;
  readonly catalog: Catalog;
  readonly growth: Growth;
  /** Keys are memory folders; firing queues their extraction. */
  readonly debounce: Debounce;
  readonly rounds: Rounds;
  readonly extract: ExtractJob;
  readonly queue: Queue;
  readonly writer: MemoryWriter;
  readonly views: FolderViews;
  /** Notes that a full round was made: transcripts found from now on are new whatever their date. */
  firstRoundDone(): void;
  /** Queues extraction of a folder. */
  due(memoryDir: string, ask: { readonly trigger: string; readonly now: boolean }): void;
  /** Memory folders with words nobody has read. */
  unreadFolders(): Set<string>;
  service(live: () => LiveFacts, lock: () => Promise<void>): EngramdService;
  /** Told to the status besides what the parts say themselves. */
  readonly warnings: Map<string, Warning>;
}

export interface App {
  readonly service: EngramdService;
  close(): Promise<void>;
}

/** How long a command waits for another engramd to finish changing things. */
const LOCK_WAIT_MS = 12_000;
/** The name of the lock that makes one engramd per state folder. */
export const INSTANCE_LOCK = "engramd";

/** An engramd for one command. Takes the instance lock with the first change and gives it back in `close`. */
export async function createApp(input: AppInput): Promise<App> {
  const parts = createParts(input);
  let lock: Lock | undefined;
  const holdLock = async () => {
    lock ??= await parts.locks.take(INSTANCE_LOCK, { waitMs: LOCK_WAIT_MS });
    if (lock === undefined) throw alreadyRunning(undefined);
  };
  const live = () => ({ pid: null, startedAt: null, state: "stopped", dueAt: () => undefined }) as const;
  const service = parts.service(live, async () => {
    const first = lock === undefined;
    await holdLock();
    if (first) await parts.writer.recover();
  });
  return {
    service,
    async close() {
      parts.debounce.stop();
      await parts.queue.drain(0);
      if (lock !== undefined) parts.places.save();
      if (lock !== undefined) parts.catalog.flush();
      if (lock !== undefined) saveLastStatus(parts, await service.status());
      await lock?.release();
    },
  };
}

export function alreadyRunning(pid: number | undefined): AppError {
  return new AppError({
    code: "already-running",
    message:
      pid === undefined
        ? "another engramd works on this state folder"
        : `engramd already runs with pid ${pid}`,
    fix: "stop it first, or ask it: engramd status",
    disposition: "stop",
    exitCode: EXIT.alreadyRunning,
  });
}

export function createParts(input: AppInput): Parts {
  const ground = createGround(input);
  const { files, clock, emitter, paths, log, locks } = ground;
  const places = createPlacesPart(ground);
  const senses = createSenses(ground, places);
  const writer = createMemoryWriter({ files, clock, emitter, stateDir: paths.stateDir, locks, log });
  const work = createWork(ground, { places, catalog: senses.catalog, writer });
  const warnings = new Map<string, Warning>();
  const due: Parts["due"] = (memoryDir, { trigger, now }) => {
    work.extract.ask(memoryDir, { trigger, ignoreSettle: now });
    work.queue.push(EXTRACT, memoryDir, { priority: clock.now(), now });
  };
  const debounce = createDebounce({
    clock,
    fire: (memoryDir, reason) => due(memoryDir, { trigger: reason, now: false }),
  });
  const growth = createGrowth({
    catalog: senses.catalog,
    debounce,
    emitter,
    cadence: () => {
      const { debounceMs, maxWaitMs } = ground.config().extract;
      return { quietMs: debounceMs.offline, maxWaitMs: maxWaitMs.offline };
    },
    settleMs: () => ground.config().extract.settleMs,
    folderOf: places.folderOf,
  });
  const rounds = createRounds({
    sweep: createSweep({ files, clock }),
    files,
    catalog: senses.catalog,
    growth,
    emitter,
  });
  const built = { ...ground, places, ...senses, growth, debounce, rounds, ...work, writer, due, warnings };
  return {
    ...built,
    unreadFolders: () => unreadFolders(senses.catalog, places),
    service: (live, lock) => createService({ ...built, ...serviceDeps(built), live, lock }),
  };
}

function createGround(input: AppInput): Ground {
  const { env, accountHome, platform, temporaryDir, configFile } = input;
  const paths = resolvePaths({ env, accountHome, platform, temporaryDir });
  const files = createFiles();
  const clock = createClock();
  const load = () => loadConfig({ files, paths, env, ...(configFile === undefined ? {} : { configFile }) });
  let loaded = load();
  const log = createLog({ level: "info", scrub: (line) => maskSecrets(line).text, write: input.writeLog });
  files.ensureFolder(paths.stateDir);
  return {
    input,
    paths,
    files,
    clock,
    emitter: createEmitter((error) => log.error("listener failed", { error: String(error) })),
    log,
    locks: createFileLocks({ files, clock, folder: join(paths.stateDir, "locks") }),
    config: () => loaded.config,
    configWarnings: () => loaded.warnings,
    reload: () => void (loaded = load()),
    today: () => localDate(clock.now(), clock.timeZone()),
  };
}

function createPlacesPart(ground: Ground): Places {
  const { files, clock, paths, log, input } = ground;
  const claudeHomes = [paths.claudeHome];
  const projects = createProjects({
    files,
    paths,
    claudeHomes,
    statePath: join(paths.stateDir, "projects.json"),
    log,
  });
  const folders = createMemoryFolders({
    files,
    paths,
    claudeHomes,
    env: input.env,
    register: projects.register,
    managedSettings: managedSettingsFile(input.platform),
  });
  const { home, stateDir } = paths;
  return createPlaces({ projects, folders, env: input.env, clock, home, stateDir, config: ground.config });
}

const DAY_MS = 86_400_000;
/** Claude Code keeps transcripts this long unless its settings say otherwise. */
const RETENTION_DAYS = 30;

function createSenses(ground: Ground, places: Places): Pick<Parts, "catalog" | "firstRoundDone"> {
  const { files, clock, paths, config } = ground;
  const { home, stateDir, claudeHome } = paths;
  const formats = createFormats({ files, oursUnder: [stateDir], isUrgent: hasUrgentCue });
  const enabled = formats.filter((format) => config().agents[format.agent]?.enabled !== false);
  const roots = enabled.flatMap((format) => {
    const own = config().agents[format.agent]?.roots ?? [];
    const usual = format.roots({ home, claudeHomes: [claudeHome] });
    const [model] = usual;
    if (own.length === 0 || model === undefined) return usual;
    return own.map((path): WatchRoot => ({ ...model, path: expandHome(path, home) ?? path }));
  });
  const mark = join(stateDir, "stamps", "first-round");
  let firstRound = files.look(mark) === undefined;
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir }),
    formats: enabled,
    roots,
    projectOf: (cwd, source) => {
      const transcriptFolder = source.path.slice(0, source.path.lastIndexOf("/"));
      return places.projectOf({ cwd, transcriptFolder, agentHome: source.root.agentHome });
    },
    isTooOld: ({ mtimeMs }) =>
      firstRound && clock.now() - mtimeMs > config().firstStart.backfillDays.offline * DAY_MS,
  });
  return {
    catalog,
    firstRoundDone() {
      if (!firstRound) return;
      firstRound = false;
      files.ensureFolder(join(stateDir, "stamps"));
      files.createExclusive(mark, "");
    },
  };
}

interface WorkInput {
  readonly places: Places;
  readonly catalog: Catalog;
  readonly writer: MemoryWriter;
}

interface Work extends Pick<Book, "activity" | "counters" | "listen"> {
  readonly extract: ExtractJob;
  readonly queue: Queue;
  readonly views: FolderViews;
  readonly commit: (set: ChangeSet, options: Omit<CommitOptions, "today">) => Promise<CommitResult>;
  /** The same for a person's own command, which counts as a run of its own. */
  readonly commitAsked: Work["commit"];
}

function createWork(ground: Ground, { places, catalog, writer }: WorkInput): Work {
  const { files, clock, emitter, paths, today, config } = ground;
  const { stateDir, home } = paths;
  const views = createFolderViews(files);
  const book = createBook({ clock, ledger: createLedger({ files, stateDir }), places });
  const commit: Work["commit"] = (set, options) =>
    writer.commit(set, { ...options, today: today(), lossShareMax: config().dream.maxLossShare });
  const parts = { files, clock, emitter, catalog, places, home, stateDir, config, today, commit };
  const candidates = createCandidateStore({ files, stateDir });
  const { session: report, run: finishRun } = book;
  const extract = createExtractJob(
    createExtractDeps({ ...parts, candidates, viewOf: views.view, report, finishRun }),
  );
  const kind = {
    name: EXTRACT,
    run: (_: string, { lane, signal }: { lane: string; signal: AbortSignal }) =>
      book.during(lane, () => extract.run(lane, signal)),
  };
  const queue = createQueue({
    kinds: new Map([[EXTRACT, kind]]),
    concurrency: config().concurrency,
    clock,
    emitter,
    retries: createRetryClock({
      files,
      clock,
      path: join(stateDir, "retry.json"),
      jitter: randomShare,
      emitter,
    }),
  });
  const commitAsked: Work["commit"] = async (set, options) => {
    const result = await commit(set, options);
    book.asked(set, result);
    return result;
  };
  return { extract, queue, views, commit, commitAsked, ...book };
}

type Built = Omit<Parts, "service" | "unreadFolders"> & Work;

/** What the answers need beyond the parts themselves. */
function serviceDeps(
  built: Built,
): Omit<ServiceDeps, keyof Built | "live" | "lock"> & Pick<ServiceDeps, "queue" | "warnings" | "commit"> {
  const { places, rounds, queue, config, paths } = built;
  return {
    agentHome: paths.claudeHome,
    version: VERSION,
    queue: () => queue.describe(),
    warnings: () => [...built.configWarnings(), ...places.warnings(), ...built.warnings.values()],
    retentionDays: ({ project }) =>
      (project === undefined ? undefined : places.retentionDaysOf(project)) ?? RETENTION_DAYS,
    commit: built.commitAsked,
    folderOf: places.folderOf,
    headlessCounts: () => config().extract.headless,
    inBackground: (work) =>
      void work.catch((error: unknown) =>
        built.log.error("background work failed", { error: messageOf(error) }),
      ),
    async sweep() {
      places.recheck();
      await rounds.run(new AbortController().signal);
      built.firstRoundDone();
      places.save();
    },
    async runNow(folders) {
      for (const folder of folders) built.due(folder, { trigger: "sync", now: true });
      await queue.whenIdle();
      const left = queue.describe().jobs.filter((job) => folders.includes(job.lane));
      return left.map((job) => ({ folder: job.lane, reason: job.reason ?? job.state }));
    },
  };
}

function unreadFolders(catalog: Catalog, places: Places): Set<string> {
  const folders = new Set<string>();
  for (const entry of catalog.entries()) {
    if (entry.project === undefined || !catalog.isUnread(entry)) continue;
    const folder = places.folderOf(entry.project);
    if (folder !== undefined) folders.add(folder);
  }
  return folders;
}
