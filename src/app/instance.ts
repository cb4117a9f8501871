// Whether this engramd is still the one that may change the state: its lock, asked again before each job and commit.
// The lock's heart-beat is slow, so that an idle daemon sleeps; a robbed one must not work until the next.
import { join } from "node:path";
import { AppError, EXIT } from "../domain/errors.ts";
import type { Lock } from "../system/file-lock.ts";
import { lockOwner } from "../system/file-lock.ts";
import type { Files } from "../system/files.ts";

/** The name of the lock that makes one engramd per state folder. */
export const INSTANCE_LOCK = "engramd";

export interface Instance {
  /** From now on the work rests on this lock; `onLost` is told once, by the heart-beat or by whoever asks first. */
  hold(lock: Lock, onLost: (failure: AppError) => void): void;
  /** True as well where nothing was locked: such a command changes nothing of the state. */
  isHeld(): boolean;
  /** Begins no such work without the lock: rejects with `lock-lost`. */
  whileHeld<T>(work: () => Promise<T>): Promise<T>;
}

export function createInstance(): Instance {
  let held: Lock | undefined;
  let tell: (failure: AppError) => void = () => undefined;
  const lose = () => {
    tell(lockLost());
    tell = () => undefined;
  };
  const isHeld = () => {
    if (held === undefined || held.held()) return true;
    lose();
    return false;
  };
  return {
    hold(lock, onLost) {
      held = lock;
      tell = onLost;
      if (lock.lost.aborted) lose();
      else lock.lost.addEventListener("abort", lose, { once: true });
    },
    isHeld,
    async whileHeld(work) {
      if (!isHeld()) throw lockLost();
      return work();
    },
  };
}

/** Nothing is damaged: each memory folder has a lock of its own. A service manager starts it again. */
function lockLost(): AppError {
  return new AppError({
    code: "lock-lost",
    message: "the lock that keeps a second engramd away was removed or taken, perhaps with the state folder",
    fix: "start engramd again",
    disposition: "stop",
  });
}

/** The process that keeps others from the state, a daemon or a command. */
export function instanceOwner(files: Files, stateDir: string): number | undefined {
  return lockOwner(files, { folder: join(stateDir, "locks"), name: INSTANCE_LOCK });
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
