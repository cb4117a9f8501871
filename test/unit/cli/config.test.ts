// `engramd config` as a process: no daemon, no home folder of ours, no secret on the screen.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../helpers/daemon-process.ts";
import type { ScratchHome } from "../../helpers/scratch-home.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";
import { tokens } from "../memory/secrets/made-up-tokens.ts";

function homeWith(config: unknown): ScratchHome {
  const home = createScratchHome();
  mkdirSync(dirname(home.configFile), { recursive: true });
  writeFileSync(home.configFile, JSON.stringify(config));
  return home;
}

const config = (home: ScratchHome, ...args: readonly string[]) =>
  runCommand({ home, args: ["config", ...args] });

describe("config", () => {
  it("shows the settings in force without a daemon, and makes no folder", async () => {
    const home = createScratchHome();
    const env = { ENGRAMD_CONCURRENCY: "4" };

    const text = await runCommand({ home, env, args: ["config", "show"] });
    const document = await runCommand({ home, env, args: ["config", "--json"] });

    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toMatch(/^concurrency +4 +environment$/mu);
    expect(text.stdout).toMatch(/^extract\.target +"topics" +default$/mu);
    expect(JSON.parse(document.stdout)).toMatchObject({
      v: 1,
      files: [{ layer: "user", path: home.configFile, present: false }, { layer: "managed" }],
      settings: { concurrency: 4, extract: { target: "topics" } },
    });
    expect(existsSync(home.stateDir)).toBe(false);
    expect(existsSync(dirname(home.configFile))).toBe(false);
  });

  it("works where the home folder itself is missing", async () => {
    const home = createScratchHome();
    const nowhere = `${home.home}/nowhere`;
    const env = { HOME: nowhere, XDG_CONFIG_HOME: `${nowhere}/c`, XDG_STATE_HOME: `${nowhere}/s` };

    for (const what of ["show", "check", "explain"]) {
      expect(await runCommand({ home, env, args: ["config", what] })).toMatchObject({ code: 0, stderr: "" });
    }
    expect(existsSync(nowhere)).toBe(false);
  });

  it("never shows a secret that stands in the wrong place", async () => {
    const secret = tokens.github();
    const home = homeWith({ apiKeyCommand: `echo ${secret}`, ignore: [`/tmp/${secret}`] });

    for (const args of [["show"], ["explain"], ["explain", "ignore"], ["check"]]) {
      for (const json of [[], ["--json"]]) {
        const { code, stdout, stderr } = await config(home, ...args, ...json);
        expect(code).toBe(0);
        expect(stdout + stderr).not.toContain(secret);
      }
    }
  });

  it("lines fit a page of 40 columns and carry no colour into a pipe", async () => {
    const home = homeWith({ ignore: ["/a/long/path/that/goes/on/and/on/**"], concurency: 2 });

    for (const args of [["show"], ["check"], ["explain"]]) {
      const { stdout } = await runCommand({ home, args: ["config", ...args], env: { COLUMNS: "40" } });
      expect(Math.max(...stdout.split("\n").map((text) => text.length))).toBeLessThanOrEqual(40);
      expect(stdout).not.toContain("\u001b");
    }
  });
});

describe("config check", () => {
  it("says what run says about a configuration nobody can use, and exits 3 as well", async () => {
    for (const content of [{ concurrency: 99 }, { budget: { usdPerDay: "much" } }, ["a list"]]) {
      const home = homeWith(content);
      const [check, run] = [await config(home, "check"), await runCommand({ home, args: ["run"] })];

      expect(check).toMatchObject({ code: 3, stdout: "" });
      expect(check.stderr).toBe(run.stderr);
      expect(check.stderr).toContain(home.configFile);
    }
    const wrong = await runCommand({
      home: createScratchHome(),
      args: ["config", "check", "--json"],
      env: { ENGRAMD_CONCURRENCY: "99" },
    });
    expect(wrong.code).toBe(3);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ v: 1, error: { code: "config-bad-value" } });
  });

  it("names the nearest key for one it does not know, and exits 0", async () => {
    const home = homeWith({ concurency: 2 });

    const text = await config(home, "check");
    const document = await config(home, "check", "--json");

    expect(text.code).toBe(0);
    expect(text.stdout).toContain("nearest known key: concurrency");
    expect(JSON.parse(document.stdout)).toMatchObject({
      v: 1,
      usable: true,
      warnings: [{ code: "config-unknown-key" }],
    });
    expect((await config(createScratchHome(), "check")).stdout).toContain("can be used\n");
  });
});

describe("config explain", () => {
  it("tells value, layer, sentence and range of one key", async () => {
    const home = homeWith({ budget: { usdPerDay: 7 } });

    const { code, stdout } = await config(home, "explain", "budget.usdPerDay");
    const document = await config(home, "explain", "budget.usdPerDay", "--json");

    expect(code).toBe(0);
    for (const part of ["value: 7", `user (${home.configFile})`, "a number from 0 to 100000", "default: 2"])
      expect(stdout).toContain(part);
    expect(JSON.parse(document.stdout)).toMatchObject({
      v: 1,
      settings: [{ key: "budget.usdPerDay", value: 7, layer: "user", locked: false }],
    });
  });

  it.each([
    [["explain", "budget.usdPerDya"], "did you mean budget.usdPerDay?"],
    [["explain", "nosuch"], "engramd config explain lists them all"],
    [["explian"], "use one of show, check, explain"],
    [["show", "budget"], "use: engramd config explain budget"],
    [["explain", "a", "b"], "engramd config --help"],
  ])("%j is wrong usage and says what would be right", async (args, hint) => {
    const result = await config(createScratchHome(), ...args);

    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toContain(hint);
  });
});
