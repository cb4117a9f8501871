// Weeks of one daemon's life in half a minute: 20 restarts, 5 kills and 3 upgrades in place, with sessions read by a program
// that runs for each request. Afterwards nothing of it is left but what was learnt, once.
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { claudeProjectKey, createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { startDaemon } from "../helpers/daemon-process.ts";
import { addFakeClaude } from "../helpers/fake-claude.ts";
import { newPartOf } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Found } from "../helpers/processes.ts";
import { CAN_LIST_PROCESSES, processesOf, stillAlive } from "../helpers/processes.ts";
import type { Program } from "../helpers/program-copy.ts";
import { copyProgram } from "../helpers/program-copy.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { findHalves, findLeftovers, learntIn } from "./disk-checks.ts";

/**
 * How each daemon ends: told to or killed; while its program is asked, when something was learnt, or as soon as it is
 * ready. `upgrade`: another version is put in its place before.
 */
const LIVES = [
  "stop learnt",
  "stop ready",
  "kill asking",
  "stop asking",
  "stop learnt",
  "upgrade learnt",
  "stop ready",
  "kill ready",
  "stop learnt",
  "stop learnt",
  "kill asking",
  "stop ready",
  "upgrade asking",
  "stop learnt",
  "stop ready",
  "stop learnt",
  "kill learnt",
  "stop asking",
  "stop ready",
  "stop learnt",
  "stop learnt",
  "upgrade learnt",
  "stop ready",
  "kill asking",
  "stop learnt",
  "stop ready",
  "stop learnt",
  "stop learnt",
] as const;
const PROJECTS = 7;
/** A dead daemon's lock and a busy machine. */
const WITHIN_MS = 60_000;
const EXIT_MS = 10_000;

let stub: ModelStub;
let home: ScratchHome;
let program: Program;
let env: Readonly<Record<string, string>>;
/** While set, requests are not answered. */
let holdsAnswers = false;

beforeEach(async () => {
  stub = await startModelStub();
  home = createScratchHome();
  program = copyProgram(home);
  env = { PATH: `${addFakeClaude(home.folder)}:/usr/bin:/bin`, CLAUDE_CODE_OAUTH_TOKEN: "nobody" };
  holdsAnswers = false;
  stub.otherwise((request) => ({ ...answerTo(request), ...(holdsAnswers ? { hangAfter: 300 } : {}) }));
  mkdirSync(dirname(home.configFile), { recursive: true });
  const config = {
    provider: "claude-cli",
    baseUrl: stub.url,
    extract: { debounceMs: { model: 0 }, settleMs: 0, minNewTokens: 0 },
    budget: { runsPerHour: 10_000, subscription: { runsPerDay: 10_000, tokensPerDay: 100_000_000 } },
  };
  writeFileSync(home.configFile, JSON.stringify(config));
});
afterEach(() => stub.close());

const wordsOf = (number: number) =>
  `Please put chapter-${number} before appendix-${number}, otherwise nobody finds it.`;

/** One memory for each session of the request that no memory was made of. */
function answerTo(request: StubRequest): StubReply {
  const part = newPartOf(request);
  const numbers = [
    ...new Set([...part.matchAll(/Please put chapter-(\d+) /gu)].map(([, found]) => Number(found))),
  ];
  const blocks = numbers.map((number) => ({
    tool: "write",
    input: {
      file: `feedback_chapter_${number}.md`,
      name: `chapter-${number}`,
      description: `chapter-${number} before appendix-${number}`,
      type: "feedback",
      body: `Put chapter-${number} before appendix-${number}.\n\n**Why:** nobody finds it otherwise.\n**How to apply:** in each book.`,
      evidence: [{ recordId: recordIdOf(number * 100), quote: wordsOf(number) }],
    },
  }));
  return { blocks: blocks.length === 0 ? ["Nothing to keep."] : blocks };
}

/** Each session is the first of its kind in one of a few projects. */
function say(number: number): void {
  const cwd = `/home/ana/book${number % PROJECTS}`;
  const sessionId = sessionIdOf(number);
  const text = createTranscript({ cwd, sessionId, firstNumber: number * 100 })
    .user(wordsOf(number))
    .assistant("Will do.")
    .text();
  const path = join(home.claudeProjects, claudeProjectKey(cwd), `${sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const learntNumbers = () =>
  Object.keys(learntIn(home))
    .flatMap((path) => /feedback_chapter_(\d+)\.md$/u.exec(path)?.[1] ?? [])
    .map(Number)
    .toSorted((one, two) => one - two);

/** Lives until the moment its end is to come. */
async function live(daemon: Daemon, { number, until }: { number: number; until: string }): Promise<void> {
  await daemon.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
  const asked = stub.requests.length;
  holdsAnswers = until === "asking";
  say(number);
  if (until === "asking") await stub.request(asked);
  if (until === "learnt") {
    const file = `feedback_chapter_${number}.md`;
    await daemon.waitForEvent("memory:written", {
      where: (line) => line["file"] === file,
      withinMs: WITHIN_MS,
    });
  }
}

async function end(daemon: Daemon, how: string): Promise<void> {
  const startedAt = performance.now();
  const exit = await daemon.stop(how === "kill" ? "SIGKILL" : "SIGTERM");
  expect(performance.now() - startedAt).toBeLessThan(EXIT_MS);
  if (how !== "kill") expect(exit, daemon.child.stderr()).toEqual({ code: 0, signal: null });
}

function countOf(how: string): number {
  return LIVES.filter((life) => life.startsWith(how)).length;
}

/** What runs for this home, and dies: a killed daemon's program a moment after it. */
async function untilGone(found: () => readonly Found[]): Promise<readonly Found[]> {
  const giveUpAt = performance.now() + WITHIN_MS;
  while (found().length > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setImmediate(resolve));
  return found();
}

/** Everything below a folder that is no plain file or folder, or is named as unfinished. */
function oddNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const facts = lstatSync(join(folder, name));
    return !(facts.isFile() || facts.isDirectory()) || /\.lock$|tmp-/u.test(name);
  });
}

it.skipIf(!CAN_LIST_PROCESSES)(
  "leaves no process, socket, lock or temporary file after 20 restarts, 5 kills and 3 upgrades, and everything learnt once",
  async () => {
    const seen: Found[] = [];
    let version = 0;
    expect(["stop", "kill", "upgrade"].map(countOf)).toEqual([20, 5, 3]);
    for (const [at, life] of LIVES.entries()) {
      const [how = "", until = ""] = life.split(" ");
      const daemon = startDaemon({ home, env, entry: program.entry });
      await live(daemon, { number: at + 1, until });
      if (how === "upgrade") program.update(`0.${(version += 1)}.1`);
      const running = processesOf(home.home);
      seen.push(...running);
      // The daemon, the shell that guards its program, and the program.
      if (until === "asking") expect(running.length, life).toBeGreaterThanOrEqual(3);

      await end(daemon, how);

      expect(await untilGone(() => processesOf(home.home)), `after life ${at + 1}, ${life}`).toEqual([]);
      expect(findHalves(home), `after life ${at + 1}, ${life}`).toEqual([]);
      holdsAnswers = false;
    }
    const last = startDaemon({ home, env, entry: program.entry });
    const all = LIVES.map((_, at) => at + 1);
    await last.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
    const giveUpAt = performance.now() + WITHIN_MS;
    while (learntNumbers().length < all.length && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await end(last, "stop");

    expect(learntNumbers()).toEqual(all);
    expect(seen.length).toBeGreaterThan(LIVES.length);
    expect(stillAlive(seen)).toEqual([]);
    expect(findLeftovers(home)).toEqual([]);
    expect(oddNames(home.stateDir)).toEqual([]);
    expect(readdirSync(join(home.stateDir, "claude-cli"))).toEqual(["work"]);
    expect(readdirSync(home.env["TMPDIR"] ?? "")).toEqual([]);
    expect(readdirSync(dirname(home.socket)).filter((name) => !name.endsWith(".owner"))).toEqual([]);
  },
);
