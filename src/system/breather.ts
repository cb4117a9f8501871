// Lets long synchronous work stop for others: a turn of the event loop once in a while, not after every step.
import type { Clock } from "./clock.ts";

/** As long as an answer at the socket may have to wait for one piece of work; a turn costs some microseconds. */
const SLICE_MS = 20;

/** Called between steps; yields when it has not for a while. */
export function createBreather(clock: Pick<Clock, "monotonicMs" | "yield">): () => Promise<void> {
  let lastMs = clock.monotonicMs();
  return async () => {
    if (clock.monotonicMs() - lastMs < SLICE_MS) return;
    await clock.yield();
    lastMs = clock.monotonicMs();
  };
}

/** Work in steps, so that the same code serves whoever must have it at once and whoever may stop for others. */
export type Steps<T> = Generator<void, T>;

/** All of it in one go. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Stops for others between the steps. */
export async function inBreaths<T>(steps: Steps<T>, breathe: () => Promise<void>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await breathe();
  }
}
