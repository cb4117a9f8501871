// What makes the daemon work: the first round, the paced rounds after it, and the watcher between them. A watcher
// that fails leaves a working daemon; a round finds everything it missed.
import type { DaemonState } from "../../domain/status.ts";
import { messageOf } from "../../domain/errors.ts";
import { WATCH_LIMITS } from "../../domain/limits.ts";
import type { Config } from "../../config/schema.ts";
import type { Queue } from "../../intake/queue/queue.ts";
import type { Debounce, Quiet } from "../../intake/watch/debounce.ts";
import { sweepEveryMs } from "../../intake/watch/sweep.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import type { ConsolidationTicksDeps } from "./consolidation-ticks.ts";
import { createConsolidationTicks } from "./consolidation-ticks.ts";
import type { MemoryWatchDeps } from "./memory-watch.ts";
import { createMemoryWatch } from "./memory-watch.ts";
import type { SourceFoldersDeps } from "./source-folders.ts";
import { createSourceFolders } from "./source-folders.ts";
import type { WatchingDeps } from "./watching.ts";
import { createWatching } from "./watching.ts";

export interface TriggersDeps
  extends
    MemoryWatchDeps,
    SourceFoldersDeps,
    Pick<WatchingDeps, "files" | "emitter" | "growth">,
    Pick<ConsolidationTicksDeps, "scheduler" | "consider" | "onOver"> {
  readonly clock: Clock;
  readonly debounce: Debounce;
  readonly queue: Queue;
  config(): Config;
  firstRoundDone(): void;
  /** Never throws. */
  tidyHistory(): Promise<void>;
  /** Memory folders with words nobody has read, and how long those wait. */
  unreadFolders(): ReadonlyMap<string, Quiet>;
}

export interface Triggers {
  /** Makes the first round, then watches and sweeps. Resolves when the first round is done. */
  start(): Promise<void>;
  stop(): Promise<void>;
  state(): DaemonState;
}

export function createTriggers(deps: TriggersDeps): Triggers {
  const { clock, debounce, queue } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const memories = createMemoryWatch(deps);
  const ticks = createConsolidationTicks(deps);
  const watching = createWatching({ ...deps, memories, folders: createSourceFolders(deps), signal });
  let timer: Timer | undefined;
  let round: Promise<void> = Promise.resolve();

  async function makeRound(): Promise<void> {
    deps.places.recheck();
    const { result, noticed } = await deps.rounds.run(signal);
    if (signal.aborted) return;
    deps.firstRoundDone();
    deps.places.save();
    watching.schedule(noticed);
    touchLeftovers(deps);
    watching.refresh();
    memories.lookAtAll();
    await deps.tidyHistory();
    if (signal.aborted) return;
    again(roundEveryMs(deps.config(), { lastCpuMs: result.cpuMs, degraded: watching.isDegraded() }));
  }

  function again(ms: number): void {
    timer = clock.setTimer(ms, () => {
      round = makeRound().catch((error: unknown) => {
        deps.log.error("a round failed", { error: messageOf(error) });
        if (!signal.aborted) again(WATCH_LIMITS.sweepMinMs);
      });
    });
  }

  return {
    start() {
      debounce.start();
      const first = makeRound();
      // Its failure is told to whoever starts; `stop` only waits for its end.
      round = first.catch(() => undefined);
      ticks.startAfter(first);
      return first;
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      ticks.stop();
      debounce.stop();
      await watching.close();
      await memories.stop();
      await round;
    },
    state() {
      if (queue.describe().running > 0) return "running";
      if (watching.isDegraded()) return "degraded";
      return debounce.size() > 0 ? "waiting-for-quiet" : "idle";
    },
  };
}

/** Work that a crash or a lost timer left behind. */
function touchLeftovers({ debounce, queue, unreadFolders }: TriggersDeps): void {
  const queued = new Set(queue.describe().jobs.map((job) => job.lane));
  for (const [folder, quiet] of unreadFolders()) {
    if (debounce.dueAt(folder) !== undefined || queued.has(folder)) continue;
    debounce.touch(folder, quiet);
  }
}

function roundEveryMs(config: Config, last: Parameters<typeof sweepEveryMs>[0]): number {
  const { everyMs } = config.sweep;
  return everyMs === "auto" ? sweepEveryMs(last) : everyMs;
}
