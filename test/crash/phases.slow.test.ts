// SIGTERM in the phases of a daemon that no count of disk calls reaches: while it waits for quiet, for a model, for a program,
// for its own recovery, beside a command. Each ends in time with 0, and the next start does what was left, once.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeProjectKey, createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { addFakeClaude } from "../helpers/fake-claude.ts";
import { addSystemd, createFakePrograms } from "../helpers/fake-programs.ts";
import { SQUASH_FILE, SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { CAN_LIST_PROCESSES, processesOf } from "../helpers/processes.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { askSocket } from "../helpers/socket-client.ts";
import { findHalves, findLeftovers, learntIn } from "./disk-checks.ts";
import { session, SHOP, syncOnce } from "./world.ts";

const KILLER = join(import.meta.dirname, "kill-at.mjs");
const EXIT_MS = 10_000;
const WITHIN_MS = 60_000;
const POLL_MS = 20;
/** A state that lasts so long is seen by one who asks for it all the time. */
const SEEN_MS = 5_000;
const NEVER_MS = 600_000;
/** A call in the middle of a daemon's first commit, which is open for some twenty of them. */
const IN_COMMIT = 88;
const BOOK = `${claudeProjectKey(SHOP)}/`;

let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

const write: StubReply = { blocks: [squashWrite(recordIdOf(1))] };

function homeWith(settings: object, extract: object = {}): ScratchHome {
  const home = createScratchHome();
  mkdirSync(dirname(home.configFile), { recursive: true });
  writeSettings(home, settings, extract);
  return home;
}

function writeSettings(home: ScratchHome, settings: object, extract: object = {}): void {
  const quick = { debounceMs: { model: 0, offline: 0 }, settleMs: 0, minNewTokens: 0, ...extract };
  writeFileSync(home.configFile, JSON.stringify({ ...settings, extract: quick }));
}

/** One session a model learns one memory from, `pads` more in front of it that say nothing. */
function say(home: ScratchHome, pads = 0): void {
  const text = createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text();
  const pad = `${JSON.stringify({ type: "progress", text: "x".repeat(4_000) })}\n`.repeat(pads);
  const path = join(home.claudeProjects, claudeProjectKey(SHOP), `${sessionIdOf(1)}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pad + text);
}

interface Phase {
  readonly settings?: object;
  readonly extract?: object;
  readonly pads?: number;
  /** The model's answer to the first request. */
  readonly answer?: StubReply;
  readonly env?: (home: ScratchHome) => Readonly<Record<string, string>>;
  /** Resolves when the phase is reached; the session was just written. */
  reached(daemon: Daemon, server: ModelStub): Promise<unknown>;
}

const asked = (_: Daemon, server: ModelStub) => server.request(0);
const withProgram = (stubborn: boolean) => (home: ScratchHome) => ({
  PATH: `${addFakeClaude(home.folder, { stubborn })}:/usr/bin:/bin`,
  CLAUDE_CODE_OAUTH_TOKEN: "nobody",
});

const PHASES: Readonly<Record<string, Phase>> = {
  "waits for quiet": {
    extract: { debounceMs: { model: 60_000, offline: 60_000 } },
    reached: (daemon) => untilState(daemon, "waiting-for-quiet"),
  },
  "reads a long transcript": {
    pads: 30_000,
    // Who asks seldom, as a test on a busy machine, meets it still at work.
    answer: { ...write, delayMs: SEEN_MS },
    reached: (daemon) => untilState(daemon, "running"),
  },
  "waits for a model that never answers": { answer: { ...write, delayMs: NEVER_MS }, reached: asked },
  "hears half an answer": { answer: { ...write, hangAfter: 300 }, reached: asked },
  "waits for a program": {
    settings: { provider: "claude-cli" },
    env: withProgram(false),
    answer: { ...write, hangAfter: 300 },
    reached: asked,
  },
  "waits for a program that does not end when it is asked to": {
    settings: { provider: "claude-cli" },
    env: withProgram(true),
    answer: { ...write, hangAfter: 300 },
    reached: asked,
  },
  "waits for a command that tells the key and never ends": {
    settings: { provider: "anthropic", apiKeyCommand: "trap '' TERM; sleep 1000; true" },
    reached: (daemon) => untilState(daemon, "running"),
  },
};

async function untilState(daemon: Daemon, state: string): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const { text } = await askSocket(daemon.home.socket, { path: "/v1/status" });
    if ((JSON.parse(text) as { state: string }).state === state) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`it never said ${state}`);
}

async function untilLearnt(home: ScratchHome): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS;
  while (!(`${BOOK}${SQUASH_FILE}` in learntIn(home)) && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function runningFor(home: ScratchHome): readonly object[] {
  return CAN_LIST_PROCESSES ? processesOf(home.home) : [];
}

/** Lives through one phase; answers how long its end took. */
async function through(phase: Phase): Promise<number> {
  const server = await startModelStub();
  try {
    const home = homeWith({ provider: "local", baseUrl: server.url, ...phase.settings }, phase.extract);
    const env = phase.env?.(home) ?? {};
    if (phase.answer !== undefined) server.reply(phase.answer);
    server.otherwise(write);
    const daemon = startDaemon({ home, env });
    await daemon.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
    say(home, phase.pads);
    await phase.reached(daemon, server);

    const startedAt = performance.now();
    const exit = await daemon.stop("SIGTERM");
    const ms = performance.now() - startedAt;

    expect(exit, daemon.child.stderr()).toEqual({ code: 0, signal: null });
    // Who guards a program learns of our end by our end, and what is killed needs a moment to die.
    await untilNoneRuns(home);
    expect(findHalves(home)).toEqual([]);
    writeSettings(home, { provider: "local", baseUrl: server.url });
    const next = startDaemon({ home, env });
    await next.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
    await untilLearnt(home);
    expect((await next.stop()).code).toBe(0);
    expect(Object.keys(learntIn(home)).toSorted()).toEqual([`${BOOK}MEMORY.md`, `${BOOK}${SQUASH_FILE}`]);
    expect(findLeftovers(home)).toEqual([]);
    return ms;
  } finally {
    await server.close();
  }
}

describe("SIGTERM (fault 69)", () => {
  it("ends a daemon in time while it ...; the next one learns what was said, once", async () => {
    const took = await Promise.all(
      Object.entries(PHASES).map(async ([name, phase]) => {
        const ms = await through(phase).catch((error: unknown) => {
          throw new Error(`while it ${name}`, { cause: error });
        });
        return [name, ms] as const;
      }),
    );

    for (const [name, ms] of took) expect(ms, name).toBeLessThan(EXIT_MS);
  });

  it("ends a daemon in the middle of its own recovery, and the next one finishes it", async () => {
    for (const at of [8, 14, 20, 26, 32]) {
      const home = homeWith({});
      const texts = ["From now on always use tabs for indentation in commits."];
      session(home, SHOP, 1, texts);
      const kill = { ENGRAMD_TEST_KILL: `${IN_COMMIT} before SIGKILL` };
      await startDaemon({ home, nodeArgs: ["--import", KILLER], env: kill }).child.exit;
      expect(findLeftovers(home).join()).toContain("unfinished commit");
      const env = { ENGRAMD_TEST_KILL: `${at} before SIGTERM` };
      const daemon = startDaemon({ home, nodeArgs: ["--import", KILLER], env });
      await daemon.child.waitForLine((line) => line.includes("test:signalled"));
      const startedAt = performance.now();
      const { code } = await daemon.child.exit;

      expect(code, `at call ${at}: ${daemon.child.stderr()}`).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(EXIT_MS);
      expect(findHalves(home)).toEqual([]);
      expect(syncOnce(home)).toMatchObject({ code: 0, stderr: "" });
      expect(Object.keys(learntIn(home)), `at call ${at}`).toHaveLength(2);
      // Nothing was made older: a dead process's files go at once.
      expect(findLeftovers(home)).toEqual([]);
    }
  });

  it("ends a pass that works by itself, and its program, and the next pass does it", async () => {
    const home = homeWith({ provider: "claude-cli", baseUrl: stub.url });
    const env = withProgram(true)(home);
    stub.reply({ ...write, hangAfter: 300 });
    stub.otherwise(write);
    say(home);
    const args = ["sync", "--backfill", "all"];
    const pass = startDaemon({ home, env, args });
    await stub.request(0);

    const startedAt = performance.now();
    await pass.stop("SIGTERM");

    expect(performance.now() - startedAt).toBeLessThan(EXIT_MS);
    await untilNoneRuns(home);
    expect(await runCommand({ home, env, args })).toMatchObject({ code: 0, stderr: "" });
    expect(Object.keys(learntIn(home)).toSorted()).toEqual([`${BOOK}MEMORY.md`, `${BOOK}${SQUASH_FILE}`]);
  });

  it("ends a daemon that a pass waits for; the pass says so and does not hang", async () => {
    const home = homeWith({ provider: "local", baseUrl: stub.url });
    stub.reply({ ...write, delayMs: NEVER_MS });
    stub.otherwise(write);
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");
    say(home);
    const pass = runCommand({ home, args: ["sync"] });
    await stub.request(0);

    const startedAt = performance.now();
    const exit = await daemon.stop("SIGTERM");
    const { code, stderr } = await pass;

    expect(exit).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(EXIT_MS);
    expect([0, 1, 5], stderr).toContain(code);
    if (code !== 0) expect(stderr).toMatch(/^engramd: .+ \([a-z-]+\)\n$/u);
  });

  it.skipIf(process.platform !== "linux")(
    "ends an install whose service manager hangs, and the next one completes it",
    async () => {
      const home = createScratchHome();
      const programs = createFakePrograms(home.folder);
      addSystemd(programs, home.folder);
      const env = { PATH: programs.path, USER: "mara" };
      programs.add("systemctl", "exec /bin/sleep 1000");
      const install = startDaemon({ home, env, args: ["install"] });
      while (programs.calls().length === 0) await new Promise((resolve) => setImmediate(resolve));

      const startedAt = performance.now();
      await install.stop("SIGTERM");

      expect(performance.now() - startedAt).toBeLessThan(EXIT_MS);
      await untilNoneRuns(home);
      addSystemd(programs, home.folder);
      expect(await runCommand({ home, env, args: ["install"] })).toMatchObject({ code: 0, stderr: "" });
      expect(await runCommand({ home, env, args: ["uninstall"] })).toMatchObject({ code: 0, stderr: "" });
    },
  );
});

describe.skipIf(!CAN_LIST_PROCESSES)("kill -9", () => {
  it("of a daemon ends the command it asks for its key, however deaf that is", async () => {
    const home = homeWith({
      provider: "anthropic",
      baseUrl: stub.url,
      apiKeyCommand: "trap '' TERM HUP; sleep 1000; true",
    });
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
    say(home);
    await untilState(daemon, "running");
    // The daemon, and the command's shell with its sleep.
    const giveUpAt = performance.now() + WITHIN_MS;
    while (runningFor(home).length < 3 && performance.now() < giveUpAt)
      await new Promise((resolve) => setImmediate(resolve));
    expect(runningFor(home).length).toBeGreaterThanOrEqual(3);

    await daemon.stop("SIGKILL");

    await untilNoneRuns(home);
  });
});

async function untilNoneRuns(home: ScratchHome): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS;
  while (runningFor(home).length > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setImmediate(resolve));
  expect(runningFor(home)).toEqual([]);
}
