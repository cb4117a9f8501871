// Stories about the folder of a project's memory: chosen before the agent had a home, and taken there later, or back.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MoveReply, ProjectItem, ProjectList } from "../../src/domain/projects.ts";
import type { MemoryList } from "../../src/domain/service.ts";
import type { Status } from "../../src/domain/status.ts";
import { claudeProjectKey } from "../helpers/claude-transcript.ts";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const TABS = "we indent with tabs in every file of the shop";
const BRANCH = "releases of the shop are cut from the branch called stable";

const mayMount = spawnSync("unshare", ["-Urm", "true"]).status === 0;

interface Shop {
  readonly home: ScratchHome;
  readonly root: string;
  /** Below our own data folder. */
  readonly own: string;
  /** Where the agent itself would read. */
  readonly better: string;
  run(...args: string[]): ReturnType<typeof runCommand>;
  ask<T>(...args: string[]): Promise<T>;
  move(...args: string[]): Promise<MoveReply>;
  item(): Promise<ProjectItem | undefined>;
  names(): Promise<string[]>;
}

/** A project that learnt one thing before there was any agent's home, which has appeared since. */
async function createShop(): Promise<Shop> {
  const home = createScratchHome();
  rmSync(join(home.home, ".claude"), { recursive: true });
  const root = home.folder.folder("home/shop");
  const key = claudeProjectKey(root);
  const run = (...args: string[]) => runCommand({ home, args, cwd: root });
  const ask = async <T>(...args: string[]): Promise<T> => {
    const { stdout } = await run(...args, "--json");
    return JSON.parse(stdout);
  };
  const shop: Shop = {
    home,
    root,
    own: join(home.home, ".local/share/engramd/projects", key, "memory"),
    better: join(home.home, ".claude/projects", key, "memory"),
    run,
    ask,
    move: (...args) => ask("project", "move", "--yes", ...args),
    item: async () => (await ask<ProjectList>("project", "list")).projects.find((one) => one.root === root),
    names: async () => (await ask<MemoryList>("list")).memories.map(({ file }) => file),
  };
  await run("remember", TABS);
  mkdirSync(join(home.home, ".claude/projects"), { recursive: true });
  return shop;
}

/** Every file with its content, relative to the folder. */
function contentOf(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

describe("a better home", () => {
  it("is told by status and list, with the command that goes there", async () => {
    const shop = await createShop();

    const item = await shop.item();
    await shop.run("sync");
    const status = await shop.ask<Status>("status");

    expect(item).toMatchObject({ memoryDir: shop.own, better: shop.better, memories: 1, movedFrom: null });
    expect(status.warnings.find(({ code }) => code === "better_memory_home")?.fix).toBe(
      `engramd project move --project ${shop.root}`,
    );
  });

  it("gets every file as it is, and the old folder stays under another name", async () => {
    const shop = await createShop();
    mkdirSync(join(shop.own, "logs/2026/05"), { recursive: true });
    writeFileSync(join(shop.own, "logs/2026/05/2026-05-04.md"), "- 09:00 began\n");
    const before = contentOf(shop.own);
    const topic = [...before.keys()].find((name) => /^(?:project|feedback|user)_/u.test(name)) ?? "";
    const mtime = statSync(join(shop.own, topic)).mtimeMs;

    const reply = await shop.move();

    expect(reply).toMatchObject({ outcome: "moved", files: before.size, to: shop.better, conflicts: [] });
    expect(contentOf(shop.better)).toEqual(before);
    expect(Math.abs(statSync(join(shop.better, topic)).mtimeMs - mtime)).toBeLessThan(2);
    expect(existsSync(shop.own)).toBe(false);
    expect(reply.kept).toMatch(/\/memory\.moved-\d{8}$/u);
    expect(contentOf(reply.kept ?? "")).toEqual(before);
    expect(await shop.item()).toMatchObject({ memoryDir: shop.better, better: null, movedFrom: shop.own });
    expect(readdirSync(join(shop.better, ".."))).toEqual(["memory"]);
  });

  it("knows there what a person removed here, and whose words each memory rests on", async () => {
    const shop = await createShop();
    await shop.run("remember", BRANCH);
    const [file = ""] = (await shop.names()).filter((name) => /tabs/u.test(name));
    await shop.run("forget", file);
    const state = (kind: string) => contentOf(join(shop.home.stateDir, kind));
    const before = [state("evidence"), state("refused"), state("journal")].map((found) => found.size);
    const words = [...state("refused").values(), ...state("evidence").values()];

    await shop.move();

    expect([state("evidence"), state("refused"), state("journal")].map((found) => found.size)).toEqual(
      before,
    );
    expect([...state("refused").values(), ...state("evidence").values()]).toEqual(words);
    expect([...state("journal")].filter(([name]) => name.endsWith("place")).map(([, text]) => text)).toEqual([
      shop.better,
    ]);
  });

  it("goes on learning there, and back takes what was learnt along", async () => {
    const shop = await createShop();
    await shop.move();
    await shop.run("remember", BRANCH);
    const learnt = contentOf(shop.better);

    const back = await shop.move("--back");
    await shop.run("sync");
    const status = await shop.ask<Status>("status");

    expect(back).toMatchObject({ outcome: "moved", from: shop.better, to: shop.own });
    expect(contentOf(shop.own)).toEqual(learnt);
    expect(await shop.names()).toHaveLength(2);
    expect(existsSync(shop.better)).toBe(false);
    expect(status.warnings.map(({ code }) => code)).not.toContain("better_memory_home");
    expect(await shop.move("--back")).toMatchObject({ outcome: "nothing" });
    expect(await shop.move()).toMatchObject({ outcome: "moved", to: shop.better });
  });

  it("is left alone where a file of the same name says something else: both are named, nothing is moved", async () => {
    const shop = await createShop();
    mkdirSync(shop.better, { recursive: true });
    writeFileSync(join(shop.better, "MEMORY.md"), "- [Theirs](theirs.md) - of the agent\n");
    const [own, theirs] = [contentOf(shop.own), contentOf(shop.better)];

    const { code, stdout, stderr } = await shop.run("project", "move", "--yes", "--json");

    const reply: MoveReply = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(reply.outcome).toBe("refused");
    expect(reply.conflicts).toEqual([
      { from: join(shop.own, "MEMORY.md"), to: join(shop.better, "MEMORY.md") },
    ]);
    expect(stderr).toContain(join(shop.better, "MEMORY.md"));
    expect([contentOf(shop.own), contentOf(shop.better)]).toEqual([own, theirs]);
  });

  it("takes files beside those that are there already", async () => {
    const shop = await createShop();
    mkdirSync(shop.better, { recursive: true });
    writeFileSync(join(shop.better, "theirs.md"), "theirs");
    const own = contentOf(shop.own);

    const reply = await shop.move();

    expect(reply.outcome).toBe("moved");
    expect(contentOf(shop.better)).toEqual(new Map([...own, ["theirs.md", "theirs"]]));
  });

  it.each([
    ["a link that leads to the folder of now", (shop: Shop) => symlinkSync(shop.own, shop.better), "already"],
    [
      "a link that leads nowhere",
      (shop: Shop) => symlinkSync(shop.home.folder.at("nowhere"), shop.better),
      "no folder",
    ],
    ["a file", (shop: Shop) => writeFileSync(shop.better, "theirs"), "no folder"],
  ])("is refused where %s has its place, and nothing is left there", async (_, take, why) => {
    const shop = await createShop();
    mkdirSync(dirname(shop.better), { recursive: true });
    take(shop);
    const own = contentOf(shop.own);

    const reply = await shop.move();

    expect(reply.outcome).toBe("refused");
    expect(reply.message).toContain(why);
    expect(contentOf(shop.own)).toEqual(own);
    expect(await shop.names()).toHaveLength(1);
    expect(readdirSync(dirname(shop.better))).toEqual(["memory"]);
  });

  it.skipIf(!mayMount)(
    "is in force although the old one is a volume, which cannot get another name",
    async () => {
      const shop = await createShop();
      const script =
        'cp -a "$0" "$0.x" && mount -t tmpfs tmpfs "$0" && cp -a "$0.x/." "$0" && rm -r "$0.x" && exec "$@"';
      const command = [process.execPath, builtEntry(), "project", "move", "--yes", "--json"];

      const stdout = execFileSync("unshare", ["-Urm", "sh", "-c", script, shop.own, ...command], {
        cwd: shop.root,
        env: shop.home.env,
        encoding: "utf8",
      });

      expect(JSON.parse(stdout)).toMatchObject({ outcome: "moved", to: shop.better, kept: shop.own });
      expect((await shop.item())?.memoryDir).toBe(shop.better);
      expect(await shop.names()).toHaveLength(1);
    },
  );

  it("takes no link", async () => {
    const shop = await createShop();
    symlinkSync("/etc/hostname", join(shop.own, "link.md"));

    const { code, stderr } = await shop.run("project", "move", "--yes");

    expect(code).toBe(1);
    expect(stderr).toContain("link.md is no plain file");
    expect(existsSync(shop.better)).toBe(false);
  });

  it("is not gone to without a yes", async () => {
    const shop = await createShop();

    const { code, stdout, stderr } = await shop.run("project", "move");

    expect(code).toBe(1);
    expect(stdout).toContain(shop.better);
    expect(stderr).toContain("--yes");
    expect(existsSync(shop.better)).toBe(false);
    expect(await shop.item()).toMatchObject({ memoryDir: shop.own });
  });

  it("is gone to by a running daemon, which then learns there", async () => {
    const shop = await createShop();
    const daemon = startDaemon({ home: shop.home });
    await daemon.waitForEvent("daemon:ready");

    const reply = await shop.move();
    await shop.run("remember", BRANCH);

    expect(reply.outcome).toBe("moved");
    expect([...contentOf(shop.better).keys()].filter((name) => name !== "MEMORY.md")).toHaveLength(2);
    expect(existsSync(shop.own)).toBe(false);
    await daemon.stop();
  });

  it("that is none leaves everything as it is", async () => {
    const shop = await createShop();
    rmSync(join(shop.home.home, ".claude"), { recursive: true });

    expect(await shop.move()).toMatchObject({ outcome: "nothing", from: null, to: null });
    expect(await shop.item()).toMatchObject({ memoryDir: shop.own, better: null });
  });
});
