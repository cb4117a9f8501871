// A pass over words that only wait - a proposal, a candidate - killed at many calls that change the disk: the next pass
// ends with the inbox of an undisturbed one, nothing lost and nothing twice.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseItem } from "../../src/memory/inbox/items.ts";
import { claudeProjectKey, createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { createStory } from "../daemon/story.ts";
import { inMemory } from "./world.ts";

const CWD = "/home/ana/shop";
const KILLER = join(import.meta.dirname, "kill-at.mjs");
/** More calls than this is not one small pass any more. */
const CALLS_MAX = 200;
/** Every one of them takes minutes; what is between two of these is much alike. */
const STRIDE = 5;

function world(): ScratchHome {
  const home = inMemory(createScratchHome);
  const session = createTranscript({ cwd: CWD })
    .user("From now on always use tabs for indentation in commits.")
    .assistant("ok")
    .user("We decided to use pnpm instead of npm for this repo.")
    .assistant("ok")
    .user("Remember that integration tests hit a real database.")
    .assistant("ok");
  const path = join(home.claudeProjects, claudeProjectKey(CWD), "s.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, session.text());
  mkdirSync(dirname(home.configFile), { recursive: true });
  writeFileSync(home.configFile, JSON.stringify({ projects: { [CWD]: { mode: "propose" } } }));
  return home;
}

/** What waits, without the moment it came. */
function waiting(home: ScratchHome): string[] {
  const folder = join(home.stateDir, "inbox");
  if (!existsSync(folder)) return [];
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  return lines
    .filter((line) => line !== "")
    .flatMap((line) => parseItem(JSON.parse(line)) ?? [])
    .map(({ id, kind, changes }) => JSON.stringify([id, kind, changes]))
    .toSorted();
}

describe("a killed pass", () => {
  it("at whatever call leaves an inbox that the next pass completes", { timeout: 300_000 }, async () => {
    const undisturbed = world();
    expect((await runCommand({ home: undisturbed, args: ["sync"] })).code).toBe(0);
    const whole = waiting(undisturbed);
    expect(whole).toHaveLength(3);
    let kills = 0;
    let halfway = 0;

    for (let at = 1; at <= CALLS_MAX; at += STRIDE) {
      const home = world();
      const env = { NODE_OPTIONS: `--import=${KILLER}`, ENGRAMD_TEST_KILL: `${at} after SIGKILL` };
      const { signal } = await runCommand({ home, args: ["sync"], env });
      if (signal === null) break;
      kills += 1;
      if (waiting(home).length > 0) halfway += 1;

      // What a process left is there for any other one: this.
      const again = await createStory({}, undefined, home).sync();

      expect(again.skipped, `killed after call ${at}`).toEqual([]);
      expect(waiting(home), `killed after call ${at}`).toEqual(whole);
      expect(existsSync(join(home.claudeProjects, claudeProjectKey(CWD), "memory"))).toBe(false);
    }

    expect(kills).toBeGreaterThan(5);
    expect(kills).toBeLessThan(CALLS_MAX);
    expect(halfway).toBeGreaterThan(0);
  });
});
