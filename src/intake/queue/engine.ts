// The only importer of better-queue: order and global cap, nothing else. Its retries, cancelling, merging,
// time limits and draining are all unsafe (measured) and never used; it is not even told which lane runs.
import BetterQueue from "better-queue";
import { messageOf } from "../../domain/errors.ts";

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

/** The right to run one of the lanes that are offered by then: never a job and never content. */
interface Turn {
  /** One of its own for each: the library merges tasks of one id. */
  readonly id: string;
}

export function createEngine({ concurrency, best, run, onError }: EngineDeps): Engine {
  const offered = new Set<string>();
  let turns = 0;
  const runTask = async (lane: string, done: () => void) => {
    try {
      await run(lane);
    } catch (error) {
      onError(messageOf(error));
    } finally {
      done();
    }
  };
  const queue = new BetterQueue<Turn, undefined>({
    concurrent: concurrency,
    store: createTurnStore(),
    // The library never ends a task whose function only returns a promise: its callback is always called.
    process(_turn: Turn, done) {
      // Now, of all that are offered: the library writes its tasks one by one, each in a later turn of the event loop.
      const [anyLane = ""] = offered;
      // A lane whose job was cancelled has its turn too, and is found empty: as many turns as offers.
      const lane = best(offered) ?? anyLane;
      offered.delete(lane);
      void runTask(lane, done);
    },
  });
  const report = (_id: unknown, why: unknown) => onError(messageOf(why));
  queue.on("task_failed", report).on("error", (error: unknown) => onError(messageOf(error)));
  return {
    offer(lane) {
      if (offered.has(lane)) return;
      offered.add(lane);
      queue.push({ id: `turn-${turns++}` });
    },
    pause: () => queue.pause(),
    resume() {
      // One resume starts one task, whatever the cap.
      for (let slot = 0; slot < concurrency; slot++) queue.resume();
    },
    destroy: () => queue.destroy(() => undefined),
  };
}

type TurnStore = BetterQueue.Store<Turn> & {
  getRunningTasks(answer: (error: unknown, running: object) => void): void;
};

/** Our own store: the default one sorts every task at every push, and all turns are alike. */
function createTurnStore(): TurnStore {
  const written = new Map<string, Turn>();
  const locked = new Map<string, Record<string, Turn>>();
  let locks = 0;
  const take: TurnStore["takeFirstN"] = (_count, answer) => {
    const [first] = written.values();
    const lock = `lock-${locks++}`;
    if (first !== undefined) {
      written.delete(first.id);
      locked.set(lock, { [first.id]: first });
    }
    answer(undefined, lock);
  };
  return {
    connect: (answer) => answer(undefined, 0),
    // No turn is pushed twice. The declared type forgets that "no task" is an answer.
    getTask: (_id: string, answer) =>
      (answer as (error: unknown, task: Turn | undefined) => void)(undefined, undefined),
    deleteTask: (_id, answer) => answer(),
    putTask(id: string, turn, _priority, answer) {
      written.set(id, turn);
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
