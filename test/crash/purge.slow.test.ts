// `forget --purge` is killed at every third call that changes the disk: the next command of any kind finishes it, or nothing
// of it had begun and the same command does (asked within this process). No word stays, no other memory is harmed.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claudeProjectKey } from "../helpers/claude-transcript.ts";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { createStory } from "../daemon/story.ts";
import { wordsLeft } from "../helpers/words-left.ts";
import { inMemory } from "./world.ts";

const KILL_AT = join(import.meta.dirname, "kill-at.mjs");
/** A purge makes about a hundred such calls; more than this is one that never ends by itself. */
const CALLS_MAX = 400;
const WORDS = ["walrus", "narwhal"];

/** A project with two memories, one of which was edited once and stands in a copy of the log. */
async function createShop() {
  const home = inMemory(createScratchHome);
  const root = home.folder.folder("home/shop");
  const memoryDir = join(home.claudeProjects, claudeProjectKey(root), "memory");
  const run = (...args: string[]) => runCommand({ home, cwd: root, args });
  await run("remember", "the walrus of the shop is called narwhal in every file");
  await run("remember", "releases of the shop are cut from stable");
  const [file = ""] = wordsLeft([memoryDir], WORDS)
    .flatMap((each) => /[^/]+\.md/u.exec(each)?.[0] ?? [])
    .filter((name) => name !== "MEMORY.md");
  mkdirSync(home.stateDir, { recursive: true });
  const before = home.folder.at("before");
  cpSync(home.home, before, { recursive: true, preserveTimestamps: true });
  const story = createStory({}, undefined, home);
  return {
    home,
    memoryDir,
    places: [home.stateDir, memoryDir],
    again() {
      rmSync(home.home, { recursive: true });
      cpSync(before, home.home, { recursive: true, preserveTimestamps: true });
    },
    /** Whether the purge was killed; false when it ended before its N-th call. */
    async purgeKilled(at: number, where: string) {
      const child = startChild({
        command: process.execPath,
        args: ["--import", KILL_AT, builtEntry(), "forget", file, "--purge"],
        env: { ...home.env, ENGRAMD_TEST_KILL: `${at} ${where} SIGKILL` },
        cwd: root,
      });
      const { signal } = await child.exit;
      // Of a dead process: free by themselves a few seconds later.
      rmSync(join(home.stateDir, "locks"), { recursive: true, force: true });
      return signal === "SIGKILL";
    },
    sync: () => story.sync(),
    purge: () => story.ask((service) => service.forget({ name: file, project: root, purge: true })),
  };
}

function isBegun(stateDir: string): boolean {
  const folder = join(stateDir, "purges");
  return (
    existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".json") && !name.startsWith("."))
  );
}

it("killed anywhere, is finished by the next start or asked for again", async () => {
  const shop = await createShop();
  expect(wordsLeft(shop.places, WORDS)).not.toEqual([]);
  let killed = 0;
  let finished = 0;

  for (let at = 1; at <= CALLS_MAX; at += 3) {
    shop.again();
    if (!(await shop.purgeKilled(at, at % 2 === 0 ? "half" : "before"))) break;
    killed += 1;

    if (isBegun(shop.home.stateDir)) {
      finished += 1;
      expect(await shop.sync()).toMatchObject({ skipped: [] });
      expect({ at, left: wordsLeft(shop.places, WORDS) }).toEqual({ at, left: [] });
    }
    const reply = await shop.purge();
    expect({ at, outcome: reply.outcome }).toEqual({ at, outcome: "purged" });
    expect({ at, left: wordsLeft(shop.places, WORDS) }).toEqual({ at, left: [] });
    const topics = readdirSync(shop.memoryDir).filter((name) => name !== "MEMORY.md");
    expect({ at, topics }).toEqual({ at, topics: [expect.stringContaining("releases")] });
    expect(readFileSync(join(shop.memoryDir, "MEMORY.md"), "utf8")).toContain("releases");
  }

  expect(wordsLeft(shop.places, WORDS)).toEqual([]);
  expect(finished).toBeGreaterThan(5);
  expect(killed).toBeLessThan(CALLS_MAX);
});
