// Builds engramd's parts from the configuration, for the daemon and for commands that work without it.
// Starts nothing: no timer, no watcher, no socket, and no lock until something is to be changed.
import { join } from "node:path";
import { createAccounting } from "./app/accounting.ts";
import type { ConsolidationParts } from "./app/consolidation-parts.ts";
import { createChoosing } from "./app/choosing.ts";
import type { Ground, AppInput } from "./app/ground.ts";
import { createGround } from "./app/ground.ts";
import { alreadyRunning, INSTANCE_LOCK, instanceOwner } from "./app/instance.ts";
import { readLeftovers, unreadFolders } from "./app/leftovers.ts";
import { createModelTrouble } from "./app/model-trouble.ts";
import type { ModelTrouble } from "./app/model-trouble.ts";
import type { Reading } from "./app/reading.ts";
import { createReading } from "./app/reading.ts";
import type { Senses } from "./app/senses.ts";
import { createMoving } from "./app/moving.ts";
import { createPlacesPart, createSenses } from "./app/senses.ts";
import type { Purging } from "./app/purging.ts";
import { createPurging } from "./app/purging.ts";
import type { Waits } from "./app/waits.ts";
import { createWaits } from "./app/waits.ts";
import type { Work } from "./app/work.ts";
import { createWork } from "./app/work.ts";
import { messageOf } from "./domain/errors.ts";
import { displayText } from "./domain/printable.ts";
import type { AgentId } from "./domain/sessions.ts";
import type { EngramdService } from "./domain/service.ts";
import type { Warning } from "./domain/status.ts";
import { VERSION } from "./domain/version.ts";
import type { Places } from "./intake/projects/places.ts";
import type { Queue } from "./intake/queue/queue.ts";
import type { Debounce, Quiet } from "./intake/watch/debounce.ts";
import { createFolderNotes } from "./intake/watch/folder-notes.ts";
import type { Growth } from "./intake/watch/growth.ts";
import { createGrowth } from "./intake/watch/growth.ts";
import type { Rounds } from "./intake/watch/rounds.ts";
import { createRounds } from "./intake/watch/rounds.ts";
import type { Sweep } from "./intake/watch/sweep.ts";
import { createSweep } from "./intake/watch/sweep.ts";
import type { ExtractJob } from "./learn/jobs/extract/index.ts";
import { EXTRACT } from "./learn/jobs/extract/index.ts";
import type { MemoryWriter } from "./memory/journal/commit.ts";
import { createMemoryWriter } from "./memory/journal/commit.ts";
import type { Backlog } from "./serve/answers/backlog.ts";
import { createBacklog } from "./serve/answers/backlog.ts";
import type { FolderViews } from "./serve/answers/folder-view.ts";
import type { Pause } from "./serve/answers/pause.ts";
import { createPause } from "./serve/answers/pause.ts";
import { saveLastStatus } from "./serve/client/last-status.ts";
import type { ServiceDeps } from "./serve/answers/service.ts";
import { createService } from "./serve/answers/service.ts";
import type { LiveFacts } from "./serve/answers/snapshot.ts";
import type { Lock } from "./system/file-lock.ts";
import type { FileFacts } from "./system/files.ts";
import { noteStateFormat } from "./system/state-format.ts";

/** Everything a running engramd is made of. */
export interface Parts extends Ground, Senses, ConsolidationParts {
  readonly places: Places;
  readonly growth: Growth;
  /** Keys are memory folders; firing queues their extraction. */
  readonly debounce: Debounce;
  readonly rounds: Rounds;
  readonly extract: ExtractJob;
  readonly queue: Queue;
  readonly writer: MemoryWriter;
  /** After `recover`: what a person wanted purged when the process was killed. */
  readonly finishPurges: Purging["finishPurges"];
  readonly tidyHistory: Purging["tidyHistory"];
  readonly settleCosts: Work["settleCosts"];
  /** Folders whose run a person cancelled: no round asks for them until something new comes, or somebody asks. */
  readonly held: Set<string>;
  readonly views: FolderViews;
  /** Told of every run until the returned function is called. */
  readonly listen: Work["listen"];
  /** Whether anything is observed at all. */
  readonly pause: Pause;
  /** Queues extraction of a folder. */
  due(memoryDir: string, ask: { readonly trigger: string; readonly now: boolean }): void;
  readonly reading: Reading;
  /** Memory folders with words nobody has read, and how long those wait. */
  unreadFolders(): ReadonlyMap<string, Quiet>;
  /** Runs every job that runs, failed or waits for a retry under the settings of now; requests are broken off. */
  restartJobs(): void;
  /** Makes folders due whose words wait for nothing any more: a mode or a switch may have changed. */
  readLeftovers(): void;
  /** What the model's trouble makes of the daemon's state; undefined when there is none. */
  modelState(): "degraded" | "over-budget" | undefined;
  /** Takes a provider in a settings file as consent for the agents found now. */
  recordConsent(): void;
  service(live: () => LiveFacts, lock: () => Promise<void>): EngramdService;
  /** Told to the status besides what the parts say themselves. */
  readonly warnings: Map<string, Warning>;
}

export interface App {
  readonly service: EngramdService;
  readonly emitter: Pick<Ground["emitter"], "onAny">;
  /** Jobs under way end as soon as they are whole; resolves then. */
  breakOff(): Promise<void>;
  close(): Promise<void>;
}

/** How long a command waits for another engramd to finish changing things. */
const LOCK_WAIT_MS = 12_000;

/** An engramd for one command. Takes the instance lock with the first change and gives it back in `close`. */
export async function createApp(input: AppInput): Promise<App> {
  const parts = createParts(input);
  let lock: Lock | undefined;
  const holdLock = async () => {
    lock ??= await takeState(parts);
  };
  const live = () => ({ pid: null, startedAt: null, state: "stopped", dueAt: () => undefined }) as const;
  const service = parts.service(live, async () => {
    const first = lock === undefined;
    await holdLock();
    if (!first) return;
    parts.settleCosts();
    await parts.writer.recover();
    await parts.holds.recover();
    await parts.finishPurges();
    parts.recordConsent();
  });
  return {
    service,
    emitter: parts.emitter,
    breakOff: () => parts.queue.drain(0),
    async close() {
      parts.debounce.stop();
      parts.reading.gate.stop();
      await parts.queue.drain(0);
      if (lock !== undefined && parts.instance.isHeld()) {
        parts.places.save();
        parts.catalog.flush();
        saveLastStatus(parts, await service.status());
      }
      await lock?.release();
    },
  };
}

/** The lock, if the state is one this engramd knows: a newer one may have had it while we waited. */
async function takeState(parts: Parts): Promise<Lock> {
  const lock = await parts.locks.take(INSTANCE_LOCK, { waitMs: LOCK_WAIT_MS });
  if (lock === undefined) throw alreadyRunning(instanceOwner(parts.files, parts.paths.stateDir));
  try {
    noteStateFormat(parts);
    parts.instance.hold(lock, () => undefined);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

export function createParts(input: AppInput): Parts {
  const ground = createGround(input);
  const { files, clock, emitter, paths, log, locks } = ground;
  const places = createPlacesPart(ground);
  const reading = createReading(ground, () => restartJobs(built));
  const senses = createSenses(ground, places, reading);
  const writer = createMemoryWriter({ files, clock, emitter, stateDir: paths.stateDir, locks, log });
  const pause = createPause({ files, clock, log, path: join(paths.stateDir, "control.json") });
  const work = createWork(ground, {
    places,
    pause,
    catalog: senses.catalog,
    writer,
    reading,
    wait: (memoryDir, at) => waits.wait(memoryDir, at),
  });
  const warnings = new Map<string, Warning>();
  const held = new Set<string>();
  const due: Parts["due"] = (memoryDir, { trigger, now }) => {
    held.delete(memoryDir);
    if (now) reading.gate.recheck();
    work.extract.ask(memoryDir, { trigger, ignoreSettle: now });
    work.queue.push(EXTRACT, memoryDir, { priority: rankOf(memoryDir), now });
  };
  const rankOf = createRanks({ ...ground, places, ...senses });
  const waits = createWaits(clock, (memoryDir, reason) => due(memoryDir, { trigger: reason, now: false }));
  const { debounce, endWaits } = waits;
  const eyes = createEyes(ground, { ...senses, places, reading, debounce, queue: work.queue });
  const part = { ...ground, places, reading, ...senses, ...eyes, debounce, endWaits, ...work, writer };
  const parted = { ...part, pause, due, held, warnings };
  const built = { ...parted, ...createPurging(parted, () => unreadFolders(parted)) };
  return {
    ...built,
    unreadFolders: () => new Map([...unreadFolders(built)].filter(([folder]) => !held.has(folder))),
    restartJobs: () => restartJobs(built),
    readLeftovers: () => readLeftovers(built),
    modelState: () => modelTrouble(built).state(),
    recordConsent: () => reading.recordConsent(agentsPresent(built)),
    service: (live, lock) => createService({ ...built, ...serviceDeps(built), live, lock }),
  };
}

interface EyesInput extends Senses, Pick<Parts, "places" | "reading" | "debounce" | "queue"> {}

interface Eyes extends Pick<Parts, "growth" | "rounds"> {
  readonly walk: Sweep;
  readonly backlog: Backlog;
}

/** What looks at transcripts: each one, all of them, and how many wait. */
function createEyes({ files, clock, emitter, config, paths }: Ground, input: EyesInput): Eyes {
  const { catalog, debounce, isRescued, places, queue, reading } = input;
  const growth = createGrowth({
    catalog,
    debounce,
    emitter,
    cadence: reading.cadenceOf,
    settleMs: () => config().extract.settleMs,
    folderOf: places.folderOf,
    isLeftUnread: places.isLeftUnread,
    ageMs: (mtimeMs) => clock.now() - mtimeMs,
    isRescued,
  });
  const walk = createSweep({ files, clock });
  const notes = createFolderNotes({ files, clock, stateDir: paths.stateDir });
  return {
    growth,
    walk,
    rounds: createRounds({ sweep: walk, files, catalog, growth, emitter, notes }),
    backlog: createBacklog({ clock, emitter, states: () => catalog.states(), isBusy: () => isBusy(queue) }),
  };
}

type Built = Omit<
  Parts,
  "service" | "unreadFolders" | "recordConsent" | "restartJobs" | "readLeftovers" | "modelState"
> &
  Work &
  Eyes &
  Pick<Waits, "endWaits"> &
  Purging;

/** What the answers need beyond the parts themselves. */
function serviceDeps(
  built: Built,
): Omit<ServiceDeps, keyof Built | "live" | "lock"> & Pick<ServiceDeps, "queue" | "warnings" | "commit"> {
  const { places, rounds, queue, config, paths } = built;
  return {
    agentHome: paths.claudeHome,
    version: VERSION,
    queue: () => queue.describe(),
    warnings: () => [
      ...built.configWarnings(),
      ...built.logWarnings(),
      ...places.warnings(),
      ...built.warnings.values(),
      ...modelTrouble(built).warnings(),
      ...built.catalog.setAside().map(setAsideWarning),
    ],
    choosing: createChoosing(built, {
      ...built,
      present: () => agentsPresent(built),
      modelWarnings: modelTrouble(built).warnings,
      restartJobs: () => restartJobs(built),
    }),
    moving: createMoving(built, built),
    ...createAccounting(built, () => unreadFolders(built)),
    progress: () => built.backlog.progress(),
    differing: () => differing(built),
    commit: built.commitAsked,
    folderOf: places.folderOf,
    offOf: (project) => places.placeOf(project).off,
    provider: modelTrouble(built).provider,
    headlessCounts: () => config().extract.headless,
    inBackground: (work) =>
      void work.catch((error: unknown) =>
        built.log.error("background work failed", { error: messageOf(error) }),
      ),
    async sweep() {
      places.recheck();
      const paused = new AbortController();
      const unlisten = built.pause.listen(async () => paused.abort());
      const ended = AbortSignal.any([paused.signal, built.input.stop ?? []].flat());
      await rounds.run(ended, { listAll: true }).finally(unlisten);
      if (!ended.aborted) built.firstRoundDone();
      places.save();
      if (!ended.aborted) await built.tidyHistory();
    },
    async runNow(folders) {
      // A pause that came meanwhile: the queue would answer after it.
      if (built.pause.current() !== undefined) return folders.map((folder) => ({ folder, reason: "paused" }));
      for (const folder of folders) built.due(folder, { trigger: "sync", now: true });
      await queue.whenIdle();
      const left = queue.describe().jobs.filter((job) => folders.includes(job.lane));
      const blocked = left.map((job) => ({ folder: job.lane, reason: job.reason ?? job.state }));
      return built.pause.current() === undefined ? blocked : [...blocked, ...brokenOff(folders, built)];
    },
  };
}

/** Transcripts that are new or not as the cursors say; nothing is remembered of the walk. */
async function differing({ walk, catalog }: Built): Promise<ReadonlyMap<string, FileFacts>> {
  const found = new Map<string, FileFacts>();
  const { roots } = catalog;
  const never = new AbortController().signal;
  const recall = (path: string) => catalog.recall(path);
  await walk.run({ roots, recall, onDiffer: (path, facts) => void found.set(path, facts), signal: never });
  return found;
}

/** A folder of a thousand sessions may be asked for once for each of them, within a moment. */
const RANK_KEPT_MS = 1_000;

/** What the queue takes first is higher: folders whose words are about to be deleted, then those with the newest. */
function createRanks({
  places,
  catalog,
  retention,
  clock,
}: Pick<Built, "places" | "catalog" | "retention" | "clock">): (memoryDir: string) => number {
  const kept = new Map<string, { readonly rank: number; readonly untilMs: number }>();
  return (memoryDir) => {
    const nowMs = clock.monotonicMs();
    const known = kept.get(memoryDir);
    if (known !== undefined && nowMs < known.untilMs) return known.rank;
    const unread = places
      .projectsAt(memoryDir)
      .flatMap(({ id }) => catalog.entriesOf(id))
      .filter((entry) => catalog.isUnread(entry));
    const ranks = unread.map((entry) => retention.rankOf(entry));
    const rank = ranks.reduce((best, each) => Math.max(best, each), ranks[0] ?? clock.now());
    kept.set(memoryDir, { rank, untilMs: nowMs + RANK_KEPT_MS });
    return rank;
  };
}

function isBusy(queue: Queue): boolean {
  const { waiting, running } = queue.describe();
  return waiting + running > 0;
}

/** What a pause left unread of these folders. */
function brokenOff(
  folders: readonly string[],
  built: Built,
): { readonly folder: string; readonly reason: string }[] {
  const unread = unreadFolders(built);
  return folders.filter((folder) => unread.has(folder)).map((folder) => ({ folder, reason: "paused" }));
}

/** A transcript that ended engramd again and again while it was read. */
function setAsideWarning(path: string): Warning {
  const message = `${displayText(path)} is passed over: engramd died three times while reading it`;
  return { code: "source-set-aside", message, fix: "engramd sync --backfill all" };
}

/** The model side of the status. */
function modelTrouble(built: Built): ModelTrouble {
  return createModelTrouble({ ...built, present: () => agentsPresent(built) });
}

/**
 * A request under way may go to a host the settings no longer name, and what failed, or waits for room under a ceiling,
 * may do so for what has just been mended.
 */
function restartJobs({ queue, due, reading, endWaits }: Built): void {
  reading.gate.recheck();
  for (const { key, lane, state } of queue.describe().jobs) {
    if (state === "running") queue.cancel(key);
    if (state !== "waiting") due(lane, { trigger: "settings", now: state !== "running" });
  }
  endWaits();
}

/** Agents whose folders exist. */
function agentsPresent({ catalog, files }: Pick<Built, "catalog" | "files">): AgentId[] {
  const found = catalog.roots.filter((root) => files.follow(root.path)?.kind === "folder");
  return [...new Set(found.map((root) => root.agent))];
}
