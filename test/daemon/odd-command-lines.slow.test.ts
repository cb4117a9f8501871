// What commands answer to a slip or under odd circumstances: the same exit code and shape of message everywhere.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createStory, SHOP } from "./story.ts";

const NAME = "a-name-nobody-gave";

function openHome() {
  const home = createScratchHome();
  const cwd = home.folder.folder("shop");
  return { home, run: (...args: string[]) => runCommand({ home, cwd, args }) };
}

describe("a memory or a run that does not exist", () => {
  it("is exit code 1 and one line with what to do, whoever asks for it", async () => {
    const { run } = openHome();
    const commands = [["show"], ["why"], ["forget"], ["history"], ["diff"], ["undo"], ["forget", "--purge"]];

    const ends = await Promise.all(commands.map((words) => run(...words, NAME)));

    for (const [at, { code, stderr }] of ends.entries()) {
      expect(code, commands[at]?.join(" ")).toBe(1);
      expect(stderr).toMatch(new RegExp(`^engramd: [^\\n]*${NAME}[^\\n]*: [^\\n]+ \\([a-z-]+\\)\\n$`, "u"));
    }
  });

  it("has a history of none where it is there and no run has touched it", async () => {
    const { home, run } = openHome();
    expect((await run("remember", "The red board hangs in the hall.")).code).toBe(0);
    const listed = JSON.parse((await run("list", "--json")).stdout).memories[0];
    writeFileSync(
      join(home.claudeProjects, claudeFolder(home), "memory", `${NAME}.md`),
      `---\nname: ${NAME}\ndescription: a board\ntype: reference\n---\n\nBy hand.\n`,
    );

    expect(await run("history", NAME)).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await run("history", listed.name, "--json")).stdout).runs).toHaveLength(1);
  });
});

const claudeFolder = (home: ScratchHome) => home.folder.at("shop").replaceAll(/[^A-Za-z\d]/gu, "-");

describe("a path that is none", () => {
  it.each(["--project", "--config"])(
    "empty behind %s is wrong usage, and not the folder one is in",
    async (option) => {
      const { run } = openHome();
      const lines = [["list"], ["undo", "--all", "--yes"], [], ["status"]];

      for (const words of lines) {
        const { code, stderr } = await run(...words, option, "");
        expect(code, words.join(" ")).toBe(2);
        expect(stderr).toBe(
          `engramd: ${option} is "": give a path, or leave the option out (bad-option-value)\n`,
        );
      }
    },
  );

  it("begins no project by remember or log, and stays one where something is known of it", async () => {
    const { home, run } = openHome();
    const gone = home.folder.at("gone");
    for (const words of [
      ["remember", "The red board hangs in the hall."],
      ["log", "the red board"],
    ]) {
      const { code, stderr } = await run(...words, "--project", gone);
      expect([code, stderr]).toEqual([2, expect.stringContaining("(no-such-folder)")]);
    }
    expect(home.folder.tree().filter((path) => path.endsWith("memory/"))).toEqual([]);

    const memory = join(home.claudeProjects, gone.replaceAll(/[^A-Za-z\d]/gu, "-"), "memory");
    mkdirSync(memory, { recursive: true });
    writeFileSync(
      join(memory, "x.md"),
      "---\nname: x\ndescription: a board\ntype: reference\n---\n\nHall.\n",
    );
    expect((await run("log", "the red board", "--project", gone)).code).toBe(0);
  });
});

describe("a dream where the agent's own switch says no", () => {
  it("is none, also by force and as a dry run; a distillation is none of its business", async () => {
    const story = createStory();
    const memory = story.memoryDir(SHOP);
    mkdirSync(memory, { recursive: true });
    writeFileSync(
      join(memory, "x.md"),
      "---\nname: x\ndescription: a board\ntype: reference\n---\n\nHall.\n",
    );
    writeFileSync(
      join(story.home.home, ".claude/settings.json"),
      JSON.stringify({ autoDreamEnabled: false }),
    );

    for (const wish of [{}, { force: true }, { dryRun: true }])
      expect(await story.ask((service) => service.dream({ project: SHOP, ...wish }))).toMatchObject({
        outcome: "skipped",
        reason: "switched-off",
      });
    const distilled = await story.ask((service) => service.distill({ project: SHOP }));
    expect(distilled.reason).not.toBe("switched-off");
  });
});

const canMount = spawnSync("unshare", ["-Urm", "true"]).status === 0;

describe.skipIf(!canMount)("news on a disk that takes no writes (needs unshare -Urm)", () => {
  it("are printed, and what could not be noted is said", async () => {
    const { home, run } = openHome();
    expect((await run("remember", "The red board hangs in the hall.")).code).toBe(0);
    const script = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`;
    const news = (...more: string[]) =>
      spawnSync(
        "unshare",
        ["-Urm", "sh", "-c", script, home.stateDir, process.execPath, builtEntry(), "news", ...more],
        { env: home.env, cwd: home.home, encoding: "utf8" },
      );

    const { status, stdout, stderr } = news();

    expect(status, stderr).toBe(0);
    expect(stdout).toContain("red board");
    expect(stderr).toMatch(
      /^engramd: it could not be noted that you have seen this: .*EROFS.* \(not-noted\)\n$/u,
    );
    expect(JSON.parse(news("--json").stdout).notNoted).toContain("EROFS");
    expect((await run("news")).stdout).toContain("red board");
  });
});

describe("a choice of model that two make at once", () => {
  it("is made, and nobody is told that it failed", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { home, run } = openHome();

      const both = await Promise.all([run("model", "use", "offline"), run("model", "use", "offline")]);

      expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ""],
        [0, ""],
      ]);
      expect(JSON.parse(readFileSync(home.configFile, "utf8"))).toEqual({ provider: "offline" });
    }
  });
});
