// Two daemons of one user: one works, the other leaves with the code that says so, every time.
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

      expect(await other.stop()).toEqual({ code: EXIT.ok, signal: null });
    }
  });

  it("started right after a kill -9 waits for the dead one's lock and then works", async () => {
    const home = createScratchHome();
    const first = startDaemon({ home });
    await first.waitForEvent("daemon:ready");
    await first.stop("SIGKILL");

    const second = startDaemon({ home });

    await second.waitForEvent("daemon:ready", { withinMs: 20_000 });
    expect(await second.stop()).toEqual({ code: EXIT.ok, signal: null });
  });
});
