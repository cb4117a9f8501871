// A move of a project's memory is killed at every call that changes the disk: old or new is in force and whole, and a
// second move finishes.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { MoveReply, ProjectList } from "../../src/domain/projects.ts";
import type { MemoryList } from "../../src/domain/service.ts";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const KILL_AT = join(import.meta.dirname, "kill-at.mjs");
/** A move makes about a hundred such calls; a run beyond this is one that never ends by itself. */
const CALLS_MAX = 400;

async function createShop() {
  const home = createScratchHome();
  rmSync(join(home.home, ".claude"), { recursive: true });
  const root = home.folder.folder("home/shop");
  await runCommand({ home, cwd: root, args: ["remember", "we indent with tabs in every file of the shop"] });
  await runCommand({ home, cwd: root, args: ["remember", "releases of the shop are cut from stable"] });
  mkdirSync(join(home.home, ".claude/projects"), { recursive: true });
  return { home, root };
}

/** Whether it was killed; false when it ended before its N-th call. */
async function moveKilled(home: ScratchHome, root: string, at: number): Promise<boolean> {
  const child = startChild({
    command: process.execPath,
    args: ["--import", KILL_AT, builtEntry(), "project", "move", "--yes"],
    env: { ...home.env, ENGRAMD_TEST_KILL: `${at} half SIGKILL` },
    cwd: root,
  });
  return (await child.exit).signal === "SIGKILL";
}

function contentOf(folder: string): string[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`);
}

it("killed anywhere, loses nothing and is finished by the next one", { timeout: 600_000 }, async () => {
  let killed = 0;
  for (let at = 1; at <= CALLS_MAX; at += 1) {
    const { home, root } = await createShop();
    const ask = async <T>(...args: string[]): Promise<T> =>
      JSON.parse((await runCommand({ home, cwd: root, args: [...args, "--json"] })).stdout);
    const place = async () => (await ask<ProjectList>("project", "list")).projects[0]?.memoryDir ?? "";
    const memories = async () => (await ask<MemoryList>("list")).memories.map(({ file }) => file).toSorted();
    const [own, files] = [await place(), await memories()];
    const content = contentOf(own);

    if (!(await moveKilled(home, root, at))) break;
    killed += 1;

    const inForce = await place();
    expect({ at, content: contentOf(inForce) }).toEqual({ at, content });
    expect({ at, files: await memories() }).toEqual({ at, files });
    const reply = await ask<MoveReply>("project", "move", "--yes");
    expect({ at, outcome: reply.outcome }).toEqual({ at, outcome: expect.stringMatching(/moved|nothing/u) });
    const now = await place();
    expect({ at, isThere: now.includes("/.claude/projects/"), isLeft: existsSync(own) }).toEqual({
      at,
      isThere: true,
      isLeft: false,
    });
    expect({ at, content: contentOf(now), files: await memories() }).toEqual({ at, content, files });
    expect(readdirSync(join(now, ".."))).toEqual(["memory"]);
  }
  expect(killed).toBeGreaterThan(30);
});
