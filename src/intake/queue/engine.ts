// The only importer of better-queue: order and global cap, nothing else. Its retries, cancelling, merging,
// time limits and draining are all unsafe (measured) and never used; it is told lanes, never jobs or content.
import BetterQueue from "better-queue";
import { messageOf } from "../../domain/errors.ts";
import { shortHash } from "../../system/ids.ts";

/** Runs lanes that have work, best first, at most so many at once. */
export interface Engine {
  /** The lane has a job to run. Again for a lane that is already offered: nothing happens. */
  offer(lane: string): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

export interface EngineDeps {
  readonly concurrency: number;
  /** Of the offered lanes the one to run next; undefined when none of them has anything to run any more. */
  readonly best: (lanes: Iterable<string>) => string | undefined;
  /** The slot is free again when it settles. */
  readonly run: (lane: string) => Promise<void>;
  readonly onError: (message: string) => void;
}

/** A task of the engine: a lane, never a job and never content. */
interface LaneTask {
  readonly id: string;
  readonly lane: string;
}

export function createEngine({ concurrency, best, run, onError }: EngineDeps): Engine {
  const offered = new Set<string>();
  const runTask = async ({ lane }: LaneTask, done: () => void) => {
    try {
      await run(lane);
    } catch (error) {
      onError(messageOf(error));
    } finally {
      done();
    }
  };
  const queue = new BetterQueue<LaneTask, undefined>({
    concurrent: concurrency,
    store: createLaneStore(best),
    // The library never ends a task whose function only returns a promise: its callback is always called.
    process: (task: LaneTask, done) => {
      offered.delete(task.lane);
      void runTask(task, done);
    },
  });
  const report = (_id: unknown, why: unknown) => onError(messageOf(why));
  queue.on("task_failed", report).on("error", (error: unknown) => onError(messageOf(error)));
  return {
    offer(lane) {
      if (offered.has(lane)) return;
      offered.add(lane);
      // Hashed: the library keeps ids in plain objects, where `constructor` would never run.
      queue.push({ id: `lane-${shortHash(lane)}`, lane });
    },
    pause: () => queue.pause(),
    resume() {
      // One resume starts one task, whatever the cap.
      for (let slot = 0; slot < concurrency; slot++) queue.resume();
    },
    destroy: () => queue.destroy(() => undefined),
  };
}

type LaneStore = BetterQueue.Store<LaneTask> & {
  getRunningTasks(answer: (error: unknown, running: object) => void): void;
};

/** Our own store: the default one sorts every task at every push, and cannot change its mind about order. */
function createLaneStore(best: EngineDeps["best"]): LaneStore {
  const offered = new Map<string, LaneTask>();
  const lanes = new Map<string, string>();
  const locked = new Map<string, Record<string, LaneTask>>();
  let locks = 0;
  const take: LaneStore["takeFirstN"] = (_count, answer) => {
    const [anyLane] = offered.keys();
    // A lane whose job was cancelled is taken too, and found empty: nothing may stay behind in here.
    const task = offered.get(best(offered.keys()) ?? anyLane ?? "");
    const lock = `lock-${locks++}`;
    if (task !== undefined) {
      offered.delete(task.lane);
      lanes.delete(task.id);
      locked.set(lock, { [task.id]: task });
    }
    answer(undefined, lock);
  };
  return {
    connect: (answer) => answer(undefined, 0),
    getTask(id: string, answer) {
      const task = offered.get(lanes.get(id) ?? "");
      // The declared type forgets that "no task" is an answer.
      (answer as (error: unknown, task: LaneTask | undefined) => void)(undefined, task);
    },
    deleteTask: (_id, answer) => answer(),
    putTask(id: string, task, _priority, answer) {
      offered.set(task.lane, task);
      lanes.set(id, task.lane);
      answer(undefined);
    },
    takeFirstN: take,
    takeLastN: take,
    getLock: (lock, answer) => answer(undefined, locked.get(lock) ?? {}),
    releaseLock(lock, answer) {
      locked.delete(lock);
      answer(undefined);
    },
    getRunningTasks: (answer) => answer(undefined, {}),
  };
}
