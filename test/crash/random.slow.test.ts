// The daemon killed at random moments while a person goes on talking: nothing said is lost, nothing comes twice.
import { appendFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock, wait } from "../../src/system/clock.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { describeWorld, inWorld, memoryDirOf, session, SHOP, syncOnce } from "./world.ts";

const SAID = [
  "From now on always use tabs for indentation in commits.",
  "From now on never print customer addresses into the log.",
  "From now on write commit messages in the imperative mood.",
  "From now on never force-push to a branch somebody else works on.",
  "From now on answer questions about the invoices in German.",
  "From now on put every new endpoint behind a feature flag.",
  "From now on run the linter before each push.",
  "From now on keep screenshots out of the repository.",
  "From now on ask before you add a dependency.",
  "From now on name migrations after the ticket.",
];
/** Longer than a job takes from the append to the cursor, so that kills fall before, into and after it. */
const KILL_WITHIN_MS = 1_500;
const READY_MS = 30_000;

/** Park and Miller's generator: the printed seed repeats the kills. */
function createRandom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe("a daemon that is killed again and again", () => {
  it("learns each rule exactly once and leaves nothing half-done", async () => {
    const undisturbed = inWorld(({ home: calm }) => {
      session(calm, SHOP, 1, SAID);
      expect(syncOnce(calm).code).toBe(0);
      return countHolders(memoryDirOf(calm, SHOP));
    });
    // What the rules make of each sentence is theirs to say; most must be kept for this test to mean something.
    expect(undisturbed.filter(([, holders]) => holders === 1).length).toBeGreaterThan(SAID.length / 2);
    const seed = Date.now() % 1_000_000;
    const random = createRandom(seed);
    const home = createScratchHome();
    const world = describeWorld(home);
    mkdirSync(dirname(home.configFile), { recursive: true });
    const quick = { extract: { debounceMs: { offline: 0 }, settleMs: 0 } };
    writeFileSync(home.configFile, JSON.stringify(quick));
    const transcript = createTranscript({ cwd: SHOP });
    const path = session(home, SHOP, 1, []);

    for (const [round, text] of SAID.entries()) {
      const daemon = startDaemon({ home });
      await daemon.waitForEvent("daemon:ready", { withinMs: READY_MS });
      const before = transcript.lines().length;
      transcript.user(text).assistant("ok");
      appendFileSync(
        path,
        transcript
          .lines()
          .slice(before)
          .map((line) => `${line}\n`)
          .join(""),
      );
      await wait(createClock(), random() * KILL_WITHIN_MS);
      await daemon.stop("SIGKILL");
      expect(world.halves(), `seed ${seed}, round ${round}`).toEqual([]);
    }

    const last = startDaemon({ home });
    await last.waitForEvent("daemon:ready", { withinMs: READY_MS });
    const sync = await runCommand({ home, args: ["sync", "--json"] });
    expect(sync.code, sync.stderr).toBe(0);
    expect(JSON.parse(sync.stdout)).toMatchObject({ remaining: { sessions: 0 } });
    expect(await last.stop()).toEqual({ code: 0, signal: null });
    world.age();
    expect(syncOnce(home)).toMatchObject({ code: 0, stderr: "" });

    expect(countHolders(memoryDirOf(home, SHOP)), `seed ${seed}`).toEqual(undisturbed);
    expect(world.halves(), `seed ${seed}`).toEqual([]);
    expect(world.leftovers(), `seed ${seed}`).toEqual([]);
  });
});

/** For each thing said: in how many topic files' descriptions it stands. */
function countHolders(folder: string): [string, number][] {
  const descriptions = readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "MEMORY.md")
    .map((name) => /^description: (.*)$/m.exec(readFileSync(join(folder, name), "utf8"))?.[1] ?? "");
  return SAID.map((text) => [text, descriptions.filter((line) => line.includes(text)).length]);
}
