// `engramd log` killed at every call that changes the disk, and from outside at moments of nobody's choice: the log has
// whole lines only, and nothing that was there is touched.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../src/system/clock.ts";
import { claudeProjectKey, createTranscript } from "../helpers/claude-transcript.ts";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { NOON, zoneNamed } from "../helpers/time-zone.ts";
import { createStory } from "../daemon/story.ts";
import { ageFiles } from "./disk-checks.ts";
import { inMemory } from "./world.ts";

const CWD = "/home/ana/shop";
const KILLER = join(import.meta.dirname, "kill-at.mjs");
const CALLS_MAX = 150;
const ROUNDS = 24;
const KILLED_MIN = 5;
const ROUNDS_MAX = 10 * ROUNDS;
const WHOLE = /^- \d{4}-\d{2}-\d{2}T\d{2}:\d{2}[+-]\d{2}:00 (?:kill \d+|after \d+|first)(?:, and on)*$/u;

interface World {
  readonly home: ScratchHome;
  /** The log of today, and what stands there. */
  readonly path: string;
  text(): string;
  /** Logs within this process; answers the number of the line. */
  logHere(words: string): Promise<number | null>;
}

async function world(): Promise<World> {
  const home = inMemory(createScratchHome);
  const session = createTranscript({ cwd: CWD }).user("hello").assistant("ok");
  home.folder.write(`home/.claude/projects/${claudeProjectKey(CWD)}/s.jsonl`, session.text());
  const reply = JSON.parse((await log(home, "first")).stdout);
  expect(reply).toMatchObject({ outcome: "logged", line: 1 });
  const { path } = reply;
  const clock = { ...createClock(), timeZone: () => zoneNamed(NOON) };
  const { ask } = createStory({}, clock, home);
  return {
    home,
    path,
    text: () => (existsSync(path) ? readFileSync(path, "utf8") : ""),
    logHere: async (words) => (await ask((service) => service.log({ text: words, project: CWD }))).line,
  };
}

function log(home: ScratchHome, text: string, env: Record<string, string> = {}) {
  return runCommand({ home, args: ["log", text, "--project", CWD, "--json"], env: { TZ: NOON, ...env } });
}

describe("a killed log", () => {
  // "half" is "before" for all that is no write, and before a call is after the last: every third does for "after".
  it.each([
    ["after", 3],
    ["half", 1],
  ])("has whole lines only, %s whatever call", { timeout: 300_000 }, async (where, stride) => {
    const { home, path, text, logHere } = await world();
    let torn = 0;
    for (let at = 1; at <= CALLS_MAX; at += stride) {
      const before = text();
      const env = { NODE_OPTIONS: `--import=${KILLER}`, ENGRAMD_TEST_KILL: `${at} ${where} SIGKILL` };
      const { signal } = await log(home, `kill ${at}`, env);

      expect(text().startsWith(before), `killed at ${at}`).toBe(true);
      if (signal === null) break;
      expect(at).toBeLessThan(CALLS_MAX);
      const isTorn = !text().endsWith("\n");
      if (isTorn) torn += 1;
      // Only a write cut in its middle can leave a line without an end.
      expect(isTorn && where !== "half").toBe(false);
      ageFiles(home);
      const line = (await logHere(`after ${at}`)) ?? 0;
      expect(text().split("\n")[line - 1]).toMatch(new RegExp(`after ${at}$`, "u"));
      expect(text().endsWith("\n")).toBe(true);
      // A torn line is a line of its own, and the start over keeps the test small.
      const odd = text()
        .split("\n")
        .filter((each) => each !== "" && !WHOLE.test(each));
      expect(odd).toHaveLength(isTorn ? 1 : 0);
      if (isTorn) writeFileSync(path, before);
    }
    expect(torn).toBe(where === "half" ? 1 : 0);
  });

  it(
    "has whole lines only when it is killed from outside, again and again",
    { timeout: 300_000 },
    async () => {
      const { home, text, logHere } = await world();
      const begun = performance.now();
      await log(home, "after 0");
      let wholeMs = performance.now() - begun;
      let killed = 0;
      for (let round = 1; round <= ROUNDS || (killed <= KILLED_MIN && round <= ROUNDS_MAX); round += 1) {
        const startedAt = performance.now();
        const words = `kill ${round}${", and on".repeat(200)}`;
        const args = [builtEntry(), "log", words, "--project", CWD];
        const child = spawn(process.execPath, args, { env: { ...home.env, TZ: NOON }, stdio: "ignore" });
        const gone = new Promise((resolve) => child.once("exit", resolve));
        const timer = setTimeout(() => child.kill("SIGKILL"), wholeMs * (0.4 + (round % ROUNDS) / ROUNDS));
        await gone;
        clearTimeout(timer);
        if (child.signalCode === "SIGKILL") killed += 1;
        // A machine that has become quicker or slower.
        else wholeMs = performance.now() - startedAt;
        const lines = text().split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.filter((line) => !WHOLE.test(line))).toEqual([]);
        // What the dead one left is cleared away by one that ends by itself.
        ageFiles(home);
        expect(await logHere(`after ${round}`)).toBe(lines.length + 1);
      }
      const written = text().split("kill ").length - 1;
      process.stdout.write(`daily log: ${killed} of ${ROUNDS} killed, ${written} rounds wrote their line\n`);
      expect(killed).toBeGreaterThan(KILLED_MIN);
    },
  );
});
