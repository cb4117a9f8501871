// `engramd doctor` as a person calls it: beside a running daemon, after a killed one, with settings nobody can use.
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DoctorReport } from "../../src/serve/answers/doctor/examine.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

async function doctor(home: ScratchHome, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand({ home, args: ["doctor", "--json", ...args] });
  const { checks }: DoctorReport = JSON.parse(stdout);
  return { code, stderr, checks: new Map(checks.map((check) => [check.code, check])) };
}

describe("doctor", () => {
  it("finds nothing wrong beside a running daemon", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");

    const { code, stderr, checks } = await doctor(home);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const wrong = [...checks.values()].filter(({ state }) => state !== "ok");
    expect(wrong).toEqual([]);
    expect(checks.get("daemon")?.message).toContain(String(daemon.child.pid));
    await daemon.stop();
  });

  it("tidies up after a killed daemon, says each thing it did, and does nothing the second time", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");
    await daemon.stop("SIGKILL");
    chmodSync(home.stateDir, 0o755);
    // A lock this young could be one somebody just took.
    const aMomentAgo = Date.now() / 1_000 - 5;
    utimesSync(join(home.stateDir, "locks/engramd.lock"), aMomentAgo, aMomentAgo);

    const found = await doctor(home);
    const first = await doctor(home, "--fix");
    const second = await doctor(home, "--fix");

    expect(found.checks.get("state-permissions")?.state).toBe("fail");
    expect(found.checks.get("stale-socket")?.state).toBe("warn");
    expect(first.checks.get("state-permissions")).toMatchObject({ state: "ok" });
    expect(first.checks.get("stale-socket")?.did).toContain(`removed ${home.socket} of a dead daemon`);
    expect(first.checks.get("stale-locks")?.did).toEqual(["removed the lock engramd of a dead process"]);
    expect(existsSync(home.socket)).toBe(false);
    expect([...second.checks.values()].flatMap(({ did }) => did)).toEqual([]);
    const again = startDaemon({ home });
    await again.waitForEvent("daemon:ready");
    await again.stop();
  });

  it("runs with settings nobody can use, says so, and leaves them as they are", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.configFile), { recursive: true });
    writeFileSync(home.configFile, '{ "provider": ');
    chmodSync(home.configFile, 0o666);

    const { code, checks } = await doctor(home, "--fix");

    expect(code).toBe(0);
    expect(checks.get("config")?.state).toBe("fail");
    expect(checks.get("config-permissions")).toMatchObject({ state: "fail", did: [] });
    expect(readFileSync(home.configFile, "utf8")).toBe('{ "provider": ');
  });

  it("tells a person the worst first", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.configFile), { recursive: true });
    writeFileSync(home.configFile, "{");

    const { code, stdout } = await runCommand({ home, args: ["doctor"] });

    const lines = stdout.split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^2 of \d+ checks found something$/u);
    expect(lines[1]).toMatch(/^fail config: /u);
    expect(stdout.indexOf("warn daemon:")).toBeLessThan(stdout.indexOf("ok node-version:"));
  });
});
