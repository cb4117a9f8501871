// The daemon's own word on what keeps it within its bounds, started with and without real limits.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Status } from "../../src/domain/status.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

async function statusUnder(
  wrapper: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Status> {
  const home = createScratchHome();
  const daemon = startDaemon({ home, wrapper, env });
  await daemon.waitForEvent("daemon:ready");
  const { stdout } = await runCommand({ home, args: ["status", "--json"] });
  await daemon.stop();
  return JSON.parse(stdout);
}

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const LIMITED = ["setpriv", "--no-new-privs", "prlimit", "--core=0:0"];
const canLimit = process.platform === "linux" && has("setpriv") && has("prlimit");

describe("the daemon's status", () => {
  it("names no manager when a person started it", async () => {
    const { service } = await statusUnder([], {});

    expect(service).toEqual({ manager: "none", hardening: [], linger: null });
  });

  it.skipIf(!canLimit)("names the limits that really hold, and those that do not", async () => {
    const effects = ({ service }: Status) =>
      new Map(service?.hardening.map(({ name, effective }) => [name, effective]));

    const open = effects(await statusUnder(["prlimit", "--core=0:unlimited"], { INVOCATION_ID: "abc" }));
    const limited = effects(await statusUnder(LIMITED, { INVOCATION_ID: "abc" }));

    expect(limited.get("no-new-privileges")).toBe(true);
    expect(limited.get("core-limit")).toBe(true);
    expect(limited.get("write-outside-fails")).toBe(false);
    expect(open.get("core-limit")).toBe(false);
  });

  it.skipIf(!canLimit)("tells a person in one line", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home, wrapper: LIMITED, env: { INVOCATION_ID: "abc" } });
    await daemon.waitForEvent("daemon:ready");

    const { stdout } = await runCommand({ home, args: ["status"] });

    expect(stdout).toMatch(/^service: systemd, \d of 7 protections hold; without .*write-outside-fails/mu);
    await daemon.stop();
  });
});
