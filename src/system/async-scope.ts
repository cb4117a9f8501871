// Remembers on whose behalf code runs, through promises and timers. Behaviour must never depend on it except
// to find the culprit of an uncaught error.
import { AsyncLocalStorage } from "node:async_hooks";

export interface AsyncScope<T> {
  /** Runs `act`; everything it starts, also later from a timer, belongs to `owner`. */
  run<R>(owner: T, act: () => R): R;
  /** The owner of the code that runs now; in the process's handler of uncaught errors that of the thrower. */
  current(): T | undefined;
}

export function createAsyncScope<T>(): AsyncScope<T> {
  const storage = new AsyncLocalStorage<T>();
  return { run: (owner, act) => storage.run(owner, act), current: () => storage.getStore() };
}
