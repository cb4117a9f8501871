// A service manager that takes a question and never answers: each command about the service ends within one bound, says
// which program hung and what to run by hand, and asks it nothing more.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../helpers/daemon-process.ts";
import type { FakePrograms } from "../helpers/fake-programs.ts";
import { addSystemd, createFakePrograms } from "../helpers/fake-programs.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";

/** For a question, for everything, and for a machine under load. */
const QUESTION_MS = 10_000;
const ALL_MS = 45_000;
const SLACK_MS = 8_000;
const SLEEP = "exec /bin/sleep 1000";

interface Setting {
  readonly home: ScratchHome;
  readonly programs: FakePrograms;
  run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string; ms: number }>;
}

function createSetting(): Setting {
  const home = createScratchHome();
  const programs = createFakePrograms(home.folder);
  addSystemd(programs, home.folder);
  return {
    home,
    programs,
    async run(...args) {
      const startedMs = performance.now();
      const end = await runCommand({ home, args, env: { PATH: programs.path, USER: "mara" } });
      return { ...end, ms: performance.now() - startedMs };
    },
  };
}

/** Calls of the manager from now on. */
function callsFrom(programs: FakePrograms): () => string[] {
  const before = programs.calls().length;
  return () => programs.calls().slice(before);
}

describe.skipIf(process.platform !== "linux")("a service manager that hangs", () => {
  it("has install write its file, say so within the time of one question, and name the commands", async () => {
    const { home, programs, run } = createSetting();
    for (const name of ["systemctl", "systemd-run", "loginctl"]) programs.add(name, SLEEP);
    const calls = callsFrom(programs);

    const { code, stderr, ms } = await run("install");

    expect(code).toBe(1);
    expect(ms).toBeLessThan(QUESTION_MS + SLACK_MS);
    expect(calls()).toEqual(["systemctl --user is-enabled --quiet engramd.service"]);
    expect(stderr).toMatch(
      /is written, but the service was not started: .+ did not answer: systemctl --user .+ \(service-not-started\)\n$/u,
    );
    expect(existsSync(join(home.home, ".config/systemd/user/engramd.service"))).toBe(true);
  });

  it("has uninstall undo what it can within one bound, and say what the manager was not told", async () => {
    const { home, programs, run } = createSetting();
    expect((await run("install")).code).toBe(0);
    programs.add("systemctl", SLEEP);
    const calls = callsFrom(programs);

    const { code, stdout, ms } = await run("uninstall", "--json");

    expect(code).toBe(0);
    expect(ms).toBeLessThan(ALL_MS + SLACK_MS);
    expect(calls()).toEqual(["systemctl --user stop engramd.service"]);
    const [warning] = JSON.parse(stdout).warnings;
    expect(warning).toMatchObject({ code: "manager-unreachable" });
    expect(warning.fix).toContain("systemctl --user daemon-reload");
    expect(existsSync(join(home.home, ".config/systemd/user/engramd.service"))).toBe(false);
  });

  it("has restart end, with what to type", async () => {
    const { programs, run } = createSetting();
    expect((await run("install")).code).toBe(0);
    programs.add("systemctl", SLEEP);

    const { code, stderr, ms } = await run("restart");

    expect(code).toBe(1);
    expect(ms).toBeLessThan(ALL_MS + SLACK_MS);
    expect(stderr).toMatch(
      /did not answer within \d+ s: systemctl --user restart .+ \(service-not-started\)\n$/u,
    );
  });

  it("has logs end when the journal says nothing, and not while somebody follows", async () => {
    const { programs, run } = createSetting();
    expect((await run("install")).code).toBe(0);
    programs.add("journalctl", `echo one; ${SLEEP}`);

    const { code, stdout, stderr, ms } = await run("logs");

    expect(code).toBe(1);
    expect(stdout).toBe("one\n");
    expect(ms).toBeLessThan(30_000 + SLACK_MS);
    expect(stderr).toMatch(/journalctl has told nothing for 30 s: .+ \(no-log\)\n$/u);
  });
});

describe.skipIf(process.platform !== "linux")("two commands about the service at once", () => {
  it("are installed once: both end well, the file and its record fit", async () => {
    const { programs, run } = createSetting();

    const both = await Promise.all([run("install", "--json"), run("install", "--json")]);

    for (const { code, stderr } of both) expect(code, stderr).toBe(0);
    expect(JSON.parse((await run("install", "--json")).stdout)).toMatchObject({ outcome: "unchanged" });
    const ends = await Promise.all([run("uninstall", "--json"), run("uninstall", "--json")]);
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    expect(JSON.parse((await run("uninstall", "--json")).stdout)).toMatchObject({ outcome: "nothing" });
    expect(programs.calls().some((call) => call.includes(" restart "))).toBe(true);
  });
});
