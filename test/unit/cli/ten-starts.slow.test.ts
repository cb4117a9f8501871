import { lstatSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCommand, startDaemon } from "../../helpers/daemon-process.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";

const STARTS = 10;

describe("ten starts at the same moment", () => {
  it("on what a killed daemon left have one survivor, which can be reached (B46e)", async () => {
    const home = createScratchHome();
    const killed = startDaemon({ home });
    await killed.waitForEvent("daemon:ready");
    await killed.stop("SIGKILL");
    expect(lstatSync(home.socket).isSocket()).toBe(true);

    const daemons = Array.from({ length: STARTS }, () => startDaemon({ home }));
    const outcomes = await Promise.all(
      daemons.map((daemon) =>
        Promise.race([
          daemon.waitForEvent("daemon:ready", { withinMs: 120_000 }).then(() => "ready" as const),
          daemon.child.exit.then(({ code }) =>
            code === 4 ? "refused" : `${code}: ${daemon.child.stderr()}`,
          ),
        ]),
      ),
    );

    expect(outcomes.toSorted()).toEqual(["ready", ...Array<string>(STARTS - 1).fill("refused")]);
    const status = await runCommand({ home, args: ["status", "--json"] });
    expect(JSON.parse(status.stdout).pid).toBe(daemons[outcomes.indexOf("ready")]?.child.pid);
  });
});
