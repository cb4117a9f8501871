// `forget --purge` as it is typed: beside a running daemon with a log of its own, and after a project was moved.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { wordsLeft } from "../helpers/words-left.ts";
import { createStory } from "./story.ts";

describe("the command", () => {
  it("purges beside a running daemon and says what is left where", async () => {
    const story = createStory();
    const cwd = story.home.folder.folder("home/shop");
    const run = (...args: string[]) => runCommand({ home: story.home, cwd, args });
    const daemon = startDaemon({ home: story.home, args: ["run", "--log-file"] });
    await expect.poll(async () => (await run("status")).code, { interval: 300 }).toBe(0);
    await run("remember", "the walrus of the shop is called Ñandú-größe in every file");
    const [file = ""] = story.topics(cwd);
    const path = join(story.memoryDir(cwd), file);
    writeFileSync(path, `${readFileSync(path, "utf8")}\nThe narwhal ${"paragraph ".repeat(1_500)}\n`);
    await run("remember", "releases of the shop are cut from stable");

    const { code, stdout, stderr } = await run("forget", file, "--purge");

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`purged ${file}`);
    expect(stdout).toContain("mention in the log");
    await daemon.stop();
    const words = ["walrus", "ñandú", "größe", "narwhal", file];
    expect(
      wordsLeft([story.home.stateDir, story.memoryDir(cwd), join(story.home.folder.path, "run")], words),
    ).toEqual([]);
    expect(await run("forget", file, "--purge", "--json")).toMatchObject({ code: 0 });
    expect((await run("history")).stdout).toContain("purged");
  });

  it("reaches what a project move has left", async () => {
    const story = createStory();
    rmSync(join(story.home.home, ".claude"), { recursive: true });
    const cwd = story.home.folder.folder("home/shop");
    const run = (...args: string[]) => runCommand({ home: story.home, cwd, args });
    await run("remember", "the walrus of the shop is called narwhal in every file");
    await run("remember", "releases of the shop are cut from stable");
    mkdirSync(story.home.claudeProjects, { recursive: true });
    expect(await run("project", "move", "--yes")).toMatchObject({ code: 0 });
    const data = join(story.home.home, ".local/share/engramd");
    const places = [story.home.stateDir, data, story.memoryDir(cwd)];
    expect(wordsLeft([data], ["walrus"])).not.toEqual([]);
    const file = story.topics(cwd).find((name) => name.includes("walrus")) ?? "";

    const { purged } = JSON.parse((await run("forget", file, "--purge", "--json")).stdout);

    expect(purged.removed.copies).toBe(1);
    expect(wordsLeft(places, ["walrus", "narwhal"])).toEqual([]);
    expect(wordsLeft([data], ["stable"])).toHaveLength(2);
  });
});
