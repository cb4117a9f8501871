import { describe, expect, it } from "vitest";
import { forEveryFault } from "../../../helpers/faulty-ops.ts";
import { contentsOf, createBench } from "./bench.ts";
import { changes, expectOldOrNew, failThenRepeat, prepare, wantedContents } from "./fault-runs.ts";
import { removeTree } from "../../../helpers/temp-folder.ts";

/** About a hundred and fifty commits each; the other error codes are in the slow suite. */
const TIMEOUT_MS = 180_000;

describe("a commit whose N-th file operation fails", () => {
  it(
    "leaves old or new content for every N and ends right when repeated (fault 11)",
    { timeout: TIMEOUT_MS },
    async () => {
      const wanted = await wantedContents();

      const tried = await forEveryFault({
        fault: "ENOSPC",
        attempt: (faulty) => failThenRepeat({ faulty, wanted, isKill: false }),
      });

      expect(tried).toBeGreaterThan(50);
    },
  );

  it("is not counted as saved when a flush fails (fault 15)", async () => {
    const wanted = await wantedContents();

    const tried = await forEveryFault({
      fault: "EIO",
      only: ["fsyncSync"],
      attempt: async (faulty) => {
        const folder = prepare();
        try {
          const commit = createBench(folder, { ops: faulty.ops }).commit(changes());
          const failure = await commit.then(
            () => undefined,
            (error: unknown) => error,
          );
          expect(failure !== undefined).toBe(faulty.fired());
          expectOldOrNew(contentsOf(folder.at("memory")), wanted);
        } finally {
          removeTree(folder.path);
        }
      },
    });

    expect(tried).toBeGreaterThan(10);
  });

  it("names the folder, and says that a repeat may help", async () => {
    const seen = new Set<string>();

    await forEveryFault({
      fault: "ENOSPC",
      only: ["writeSync"],
      attempt: async (faulty) => {
        const folder = prepare();
        try {
          const commit = createBench(folder, { ops: faulty.ops }).commit(changes());
          await commit.catch((error: unknown) => {
            expect(error).toMatchObject({
              disposition: "retry",
              message: expect.stringContaining(folder.path),
            });
            seen.add((error as { code: string }).code);
          });
        } finally {
          removeTree(folder.path);
        }
      },
    });

    expect([...seen].toSorted()).toEqual(["memory-unwritable", "state-unwritable"]);
  });
});

describe("a process killed in the middle of a commit", () => {
  it(
    "leaves old or new files, and a fresh start finishes the work once (faults 1-6)",
    { timeout: TIMEOUT_MS },
    async () => {
      const wanted = await wantedContents();

      const tried = await forEveryFault({
        fault: "kill",
        attempt: (faulty) => failThenRepeat({ faulty, wanted, isKill: true }),
      });

      expect(tried).toBeGreaterThan(50);
    },
  );
});
