// A move of a project's memory is killed at every call that changes the disk: old or new is in force and whole, and a
// second move finishes. Only what is killed is a process; questions and the second move are asked within this one.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claudeProjectKey } from "../helpers/claude-transcript.ts";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { createStory } from "../daemon/story.ts";
import { inMemory } from "./world.ts";

const KILL_AT = join(import.meta.dirname, "kill-at.mjs");
/** A move makes about a hundred such calls; more than this is one that never ends by itself. */
const CALLS_MAX = 400;

/** A project with two memories below our own data folder, and an agent's home that has appeared since. */
async function createShop() {
  const home = inMemory(createScratchHome);
  rmSync(join(home.home, ".claude"), { recursive: true });
  const root = home.folder.folder("home/shop");
  const key = claudeProjectKey(root);
  await runCommand({ home, cwd: root, args: ["remember", "we indent with tabs in every file of the shop"] });
  await runCommand({ home, cwd: root, args: ["remember", "releases of the shop are cut from stable"] });
  mkdirSync(join(home.home, ".claude/projects"), { recursive: true });
  const before = home.folder.at("before");
  cpSync(home.home, before, { recursive: true, preserveTimestamps: true });
  const { ask } = createStory({}, undefined, home);
  return {
    own: join(home.home, ".local/share/engramd/projects", key, "memory"),
    better: join(home.home, ".claude/projects", key, "memory"),
    again() {
      rmSync(home.home, { recursive: true });
      cpSync(before, home.home, { recursive: true, preserveTimestamps: true });
    },
    /** Whether the move was killed; false when it ended before its N-th call. */
    async moveKilled(at: number) {
      const child = startChild({
        command: process.execPath,
        args: ["--import", KILL_AT, builtEntry(), "project", "move", "--yes"],
        env: { ...home.env, ENGRAMD_TEST_KILL: `${at} half SIGKILL` },
        cwd: root,
      });
      const { signal } = await child.exit;
      // Of a dead process: free by themselves a few seconds later.
      rmSync(join(home.stateDir, "locks"), { recursive: true, force: true });
      return signal === "SIGKILL";
    },
    inForce: () =>
      ask(
        async (service) =>
          (await service.projects()).projects.find((one) => one.root === root)?.memoryDir ?? "",
      ),
    move: () => ask((service) => service.moveProject({ project: root })),
  };
}

function contentOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`);
}

it("killed anywhere, loses nothing and is finished by the next one", async () => {
  const shop = await createShop();
  const content = contentOf(shop.own);
  let killed = 0;

  for (let at = 1; at <= CALLS_MAX; at += 1) {
    shop.again();
    if (!(await shop.moveKilled(at))) break;
    killed += 1;

    expect({ at, content: contentOf(await shop.inForce()) }).toEqual({ at, content });
    const { outcome } = await shop.move();
    expect({ at, outcome }).toEqual({ at, outcome: expect.stringMatching(/^(?:moved|nothing)$/u) });
    expect({ at, content: contentOf(shop.better), old: contentOf(shop.own) }).toEqual({
      at,
      content,
      old: [],
    });
    expect({ at, beside: readdirSync(join(shop.better, "..")) }).toEqual({ at, beside: ["memory"] });
  }

  expect(await shop.inForce()).toBe(shop.better);
  expect(content).toHaveLength(3);
  expect(killed).toBeGreaterThan(30);
});
