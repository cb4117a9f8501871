// Where the log goes must never decide over the daemon's life, and its last lines must be there.
import { openSync } from "node:fs";
import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";

async function pidOf(home: ScratchHome): Promise<number | null> {
  const { stdout } = await runCommand({ home, args: ["status", "--json"] });
  return (JSON.parse(stdout) as { pid: number | null }).pid;
}

describe("the daemon's log", () => {
  it("ends with why and that it stopped, however the stop was asked for", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const daemon = startDaemon({ home: createScratchHome() });
      await daemon.waitForEvent("daemon:ready");

      await daemon.stop(signal);

      const tail = daemon.log().slice(-2);
      expect(tail.map(({ msg }) => msg)).toEqual(["daemon:stopping", "daemon:stopped"]);
      expect(tail[0]?.["why"]).toBe(signal);
    }
  });

  it("may lose its reader: the daemon lives, answers and stops cleanly", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");

    daemon.child.process.stdout?.destroy();
    daemon.child.process.stderr?.destroy();
    // Reading the configuration again writes a log line into the closed pipe.
    for (let i = 0; i < 3; i++) {
      daemon.child.signal("SIGHUP");
      expect(await pidOf(home)).toBe(daemon.child.pid);
    }

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  it("may go to a full disk: the daemon lives, answers and stops cleanly", async () => {
    const home = createScratchHome();
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [builtEntry(), "run"], {
      env: home.env,
      stdio: ["ignore", full, full],
    });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });

    let pid = await pidOf(home);
    // Each question takes a process of its own: this waits for the socket, not for a time.
    for (let asked = 0; asked < 50 && pid === null; asked++) pid = await pidOf(home);
    expect(pid).toBe(child.pid);
    child.kill("SIGHUP");
    expect(await pidOf(home)).toBe(child.pid);

    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});
