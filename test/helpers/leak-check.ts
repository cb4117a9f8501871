// Fails a test that leaves a timer, watcher, socket, child or lock behind.
import { readdirSync } from "node:fs";
import { afterEach, beforeEach, expect } from "vitest";

/** Kinds of live resources Node names that only code under test would make here. */
const WATCHED_KINDS = [
  "FSEventWrap",
  "StatWatcher",
  "PipeWrap",
  "TCPServerWrap",
  "TCPSocketWrap",
  "ProcessWrap",
  "Timeout",
  "Immediate",
] as const;

/**
 * Closing is asynchronous in Node, and the runner's own calls hold timers for a moment: a busy machine needs many turns
 * of the loop before they are gone. What is still there after this long stays.
 */
const SETTLE_MS = 5_000;

export type Resources = Readonly<Record<string, number>>;

/** How many resources of each watched kind keep this process alive now. */
export function countResources(): Resources {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED_KINDS.some((watched) => watched === kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Kinds that grew, as `Timeout: 0 -> 2`. */
export function describeLeaks(before: Resources, after: Resources): string[] {
  return Object.entries(after)
    .filter(([kind, count]) => count > (before[kind] ?? 0))
    .map(([kind, count]) => `${kind}: ${before[kind] ?? 0} -> ${count}`);
}

export interface LeakCheckOptions {
  /** A folder of locks (`<state>/locks`) that must be empty of `*.lock` afterwards. */
  readonly locksFolder?: () => string | undefined;
}

/** Called at the top of a `describe` or a file: every test in it is checked. */
export function checkLeaks(options: LeakCheckOptions = {}): void {
  let before: Resources = {};
  beforeEach(() => {
    before = countResources();
  });
  afterEach(async () => {
    let leaks: string[] = [];
    const start = performance.now();
    do {
      leaks = describeLeaks(before, countResources());
      if (leaks.length === 0) break;
      await new Promise((resolve) => setImmediate(resolve));
    } while (performance.now() - start < SETTLE_MS);
    const folder = options.locksFolder?.();
    if (folder !== undefined) leaks.push(...locksIn(folder));
    expect(leaks, "left behind by the test").toEqual([]);
  });
}

function locksIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".lock"));
  } catch {
    return [];
  }
}
