// What this process costs the machine, for whoever watches it. Measures when asked; nothing runs in between.
import type { Clock } from "./clock.ts";

export interface ProcessFigures {
  /** Everything of ours that is in memory now. */
  readonly residentBytes: number;
  /** User and system time since the start. */
  readonly cpuSeconds: number;
  /** Time the event loop did not wait for anything, since the start. */
  readonly busySeconds: number;
  /** How late a timer fires right now. */
  readonly delaySeconds: number;
}

/** The shortest timer there is. */
const TIMER_MS = 1;

export async function processFigures(clock: Clock): Promise<ProcessFigures> {
  const startMs = clock.monotonicMs();
  await new Promise<void>((resolve) => void clock.setTimer(TIMER_MS, resolve));
  const lateMs = Math.max(0, clock.monotonicMs() - startMs - TIMER_MS);
  const { user, system } = process.cpuUsage();
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    busySeconds: performance.eventLoopUtilization().active / 1e3,
    delaySeconds: lateMs / 1e3,
  };
}
