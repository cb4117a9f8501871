// What makes the daemon work: the first round, the paced sweep, the watcher, and changes of memory folders.
// A watcher that fails leaves a working daemon; the sweep finds everything it missed.
import type { DaemonState, Warning } from "../domain/status.ts";
import { messageOf } from "../domain/errors.ts";
import { WATCH_LIMITS } from "../domain/limits.ts";
import type { Config } from "../config/schema.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Queue } from "../intake/queue/queue.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import type { Debounce } from "../intake/watch/debounce.ts";
import type { Growth, Noticed } from "../intake/watch/growth.ts";
import type { Rounds } from "../intake/watch/rounds.ts";
import { createMemoryWatch } from "./memory-watch.ts";
import { createSourceFolders } from "./source-folders.ts";
import { sweepEveryMs } from "../intake/watch/sweep.ts";
import type { MemoryWriter } from "../memory/journal/commit.ts";
import type { Clock, Timer } from "../system/clock.ts";
import type { Emitter } from "../system/emitter.ts";
import type { Files } from "../system/files.ts";
import type { Log } from "../system/log.ts";
import { createFolderWatcher } from "../system/watcher.ts";

export interface TriggersDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly log: Log;
  readonly places: Places;
  readonly catalog: Catalog;
  readonly growth: Growth;
  readonly debounce: Debounce;
  readonly rounds: Rounds;
  readonly queue: Queue;
  readonly writer: MemoryWriter;
  readonly warnings: Map<string, Warning>;
  config(): Config;
  firstRoundDone(): void;
  unreadFolders(): Set<string>;
}

export interface Triggers {
  /** Makes the first round, then watches and sweeps. Resolves when the first round is done. */
  start(): Promise<void>;
  stop(): Promise<void>;
  state(): DaemonState;
}

export function createTriggers(deps: TriggersDeps): Triggers {
  const { files, clock, emitter, catalog, growth, debounce, queue, warnings } = deps;
  const stopping = new AbortController();
  const memories = createMemoryWatch(deps);
  const folders = createSourceFolders(deps);
  let timer: Timer | undefined;
  let round: Promise<void> = Promise.resolve();

  const watcher = createFolderWatcher({
    files,
    onChange: (path) => void guarded(() => noticed(path)),
    onDegraded(reason) {
      warnings.set("watcher-degraded", degradedWarning(reason));
      emitter.emit("watcher:degraded", { reason });
    },
  });

  async function noticed(path: string): Promise<void> {
    if (stopping.signal.aborted || memories.notice(path)) return;
    const facts = files.look(path);
    if (facts?.kind === "folder") {
      schedule(await deps.rounds.lookInto(path, stopping.signal));
      watchActive();
    } else if (facts?.kind === "file" && !catalog.isKnown(path, facts)) {
      const found = growth.look(path, facts);
      if (found !== undefined) schedule([found]);
    }
  }

  function schedule(found: readonly Noticed[]): void {
    for (const each of found) growth.schedule(each);
  }

  function watchActive(): void {
    const wanted = folders.active();
    memories.setFolders(wanted.memory);
    watcher.setFolders([...wanted.transcripts, ...wanted.memory]);
    if (watcher.degraded() === undefined) warnings.delete("watcher-degraded");
  }

  async function makeRound(): Promise<void> {
    deps.places.recheck();
    const { result, noticed: found } = await deps.rounds.run(stopping.signal);
    if (stopping.signal.aborted) return;
    deps.firstRoundDone();
    deps.places.save();
    schedule(found);
    // Work that a crash or a lost timer left behind.
    for (const folder of deps.unreadFolders()) {
      if (debounce.dueAt(folder) === undefined && !isQueued(queue, folder))
        debounce.touch(folder, quietOf(deps.config()));
    }
    watchActive();
    memories.lookAtAll();
    const everyMs = sweepEvery(deps.config(), {
      lastCpuMs: result.cpuMs,
      degraded: watcher.degraded() !== undefined,
    });
    timer = clock.setTimer(everyMs, () => (round = guarded(makeRound)));
  }

  async function guarded(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      deps.log.error("looking for changes failed", { error: messageOf(error) });
      if (act === makeRound && !stopping.signal.aborted) {
        timer = clock.setTimer(WATCH_LIMITS.sweepMinMs, () => (round = guarded(makeRound)));
      }
    }
  }

  return {
    async start() {
      await makeRound();
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      debounce.stop();
      memories.stop();
      await watcher.close();
      await round;
    },
    state() {
      if (queue.describe().running > 0) return "running";
      if (watcher.degraded() !== undefined) return "degraded";
      return debounce.size() > 0 ? "waiting-for-quiet" : "idle";
    },
  };
}

function degradedWarning(reason: string): Warning {
  const message = `files are not watched (${reason}); changes are found by a sweep every minute`;
  return {
    code: "watcher-degraded",
    message,
    fix: "raise the limit on inotify watches, then engramd restart",
  };
}

function quietOf(config: Config): { quietMs: number; maxWaitMs: number } {
  return { quietMs: config.extract.debounceMs.offline, maxWaitMs: config.extract.maxWaitMs.offline };
}

function isQueued(queue: Queue, lane: string): boolean {
  return queue.describe().jobs.some((job) => job.lane === lane);
}

function sweepEvery(config: Config, last: Parameters<typeof sweepEveryMs>[0]): number {
  const { everyMs } = config.sweep;
  return everyMs === "auto" ? sweepEveryMs(last) : everyMs;
}
