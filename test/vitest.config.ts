// `fast` is what `npm test` runs; `slow` (races, crashes, large files) and `slow-alone` belong to `npm run test:all`.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const SLOW_FILES = "test/**/*.slow.test.ts";
/** These take every processor themselves, or hold answers against the clock: a neighbour would disturb them. */
const ALONE_FILES = [
  "test/crash/random-kills.slow.test.ts",
  "test/daemon/api-load.slow.test.ts",
  "test/contract/swapping.slow.test.ts",
  "test/unit/system/folder-swap.slow.test.ts",
  "test/unit/intake/watch/burst.slow.test.ts",
];
/** As many as the smallest machine they run on has processors. */
const SLOW_FILES_AT_ONCE = 2;
/** By itself Vitest leaves one processor to others, of two as well; half of the tests wait for a child anyway. */
const FAST_FILES_AT_ONCE = Math.max(2, availableParallelism() - 1);
/**
 * A fast test that needs longer than this waits for something that will not come. They take a second or two; a shared
 * processor that somebody else has for a while must not fail one.
 */
const FAST_TEST_MS = 60_000;
/** Races and crash loops repeat real processes many hundred times. */
const SLOW_TEST_MS = 600_000;

/** How long a test looks for what will be so; less than a test has, so that it says what it looked for. */
const POLL_MS = 30_000;

export default defineConfig({
  root: `${import.meta.dirname}/..`,
  test: {
    slowTestThreshold: 1_000,
    expect: { poll: { timeout: POLL_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [SLOW_FILES],
          testTimeout: FAST_TEST_MS,
          hookTimeout: FAST_TEST_MS,
          maxWorkers: FAST_FILES_AT_ONCE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: [SLOW_FILES],
          exclude: ALONE_FILES,
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
          maxWorkers: SLOW_FILES_AT_ONCE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow-alone",
          include: ALONE_FILES,
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
