// Two projects: `fast` is what `npm test` runs, `slow` (races, crashes, large files) belongs to `npm run test:all`.
import { defineConfig } from "vitest/config";

const SLOW_FILES = "test/**/*.slow.test.ts";
/** A fast test that needs longer than this waits for something that will not come. */
const FAST_TEST_MS = 15_000;
/** Races and crash loops repeat real processes many hundred times. */
const SLOW_TEST_MS = 600_000;

export default defineConfig({
  root: `${import.meta.dirname}/..`,
  test: {
    slowTestThreshold: 1_000,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [SLOW_FILES],
          testTimeout: FAST_TEST_MS,
          hookTimeout: FAST_TEST_MS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: [SLOW_FILES],
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
          // One file at a time: these tests measure and race, neighbours would disturb them.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
