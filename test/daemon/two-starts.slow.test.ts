// Two daemons of one user: one works, the other leaves with the code that says so, every time.
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/domain/errors.ts";
import { startDaemon } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const ROUNDS = 40;

describe("two daemons started at once", () => {
  it(`leave exactly one at work, ${ROUNDS} times`, async () => {
    const home = createScratchHome();
    for (let round = 0; round < ROUNDS; round++) {
      const both = [1, 2].map(() => startDaemon({ home }));
      const ends = both.map(async (daemon) => ({ daemon, exit: await daemon.child.exit }));

      const first = await Promise.race(ends);
      expect(first.exit.code, `round ${round}: ${first.daemon.child.stderr()}`).toBe(EXIT.alreadyRunning);
      const other = both.find((daemon) => daemon !== first.daemon)!;
      await other.waitForEvent("daemon:ready");
      expect(first.daemon.child.stderr()).toContain(`already runs with pid ${other.child.pid}`);

      expect(await other.stop()).toEqual({ code: EXIT.ok, signal: null });
    }
  });

  it("started right after a kill -9 waits for the dead one's lock and then works", async () => {
    const home = createScratchHome();
    const first = startDaemon({ home });
    await first.waitForEvent("daemon:ready");
    await first.stop("SIGKILL");

    const second = startDaemon({ home });

    await second.waitForEvent("daemon:ready");
    expect(await second.stop()).toEqual({ code: EXIT.ok, signal: null });
  });
});

/** The lock is stamped every minute and a half, here sixty times as often; only then is it seen to be gone. */
const STAMPED_MS = 120_000;
const POLLED = { timeout: 30_000, interval: 10 };
const HURRY = join(import.meta.dirname, "../helpers/hurry.mjs");

describe("a daemon whose state folder is removed while it runs", () => {
  it("ends by itself, so that no second one ever works beside it, and the next start is a fresh one", async () => {
    const home = createScratchHome();
    const first = startDaemon({ home, nodeArgs: ["--import", HURRY] });
    await first.waitForEvent("daemon:ready");

    // The last thing a start writes; from then on it writes for somebody's words only.
    await expect.poll(() => existsSync(join(home.stateDir, "status.json")), POLLED).toBe(true);
    // In one step, since what is removed file by file can be written to meanwhile.
    renameSync(home.stateDir, `${home.stateDir}-gone`);
    rmSync(`${home.stateDir}-gone`, { recursive: true });
    await first.waitForEvent("daemon:stopped", { withinMs: STAMPED_MS });

    expect(await first.child.exit).toEqual({ code: EXIT.failed, signal: null });
    expect(first.child.stderr()).toContain("(lock-lost)");
    expect(existsSync(home.stateDir)).toBe(false);
    const second = startDaemon({ home });
    await second.waitForEvent("daemon:ready");
    expect(await second.stop()).toEqual({ code: EXIT.ok, signal: null });
  });
});
