// The promise of the README, judged by the kernel: without a provider nothing of engramd ever opens a socket to a network.
// A day of work in a minute: sessions in many projects, questions, wishes, hand edits, new settings.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeProjectKey, createTranscript } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory } from "./story.ts";

const hasTracer = spawnSync("strace", ["-V"]).status === 0;
if (!hasTracer) process.stdout.write("skipped: counting sockets needs strace\n");

const BOUND_MS = 300_000;
const PROJECTS = 6;
const SESSIONS = 3;
/** Turns of a session; a person types a few hundred messages a day in all. */
const TURNS = 12;
const CONFIG = {
  extract: { settleMs: 0, debounceMs: { offline: 50, model: 50 }, minNewTokens: 0 },
  firstStart: { backfillDays: { offline: 7, model: 7 } },
};

interface Network {
  /** Families of the sockets that were opened, each once. */
  readonly families: readonly string[];
  /** Paths of the local sockets that were connected to: a name service would be one. */
  readonly peers: readonly string[];
}

function networkOf(trace: string): Network {
  const opened = trace.matchAll(/\b(?:socket|socketpair)\((\w+)/gu);
  const peers = trace.matchAll(/\bconnect\(\d+, \{sa_family=AF_UNIX, sun_path="([^"]*)"/gu);
  return {
    families: [...new Set(Array.from(opened, ([, family = ""]) => family))].toSorted(),
    peers: [...new Set(Array.from(peers, ([, path = ""]) => path))].toSorted(),
  };
}

/** Whoever is traced stays our own child (`-D`), so that its signals reach it. */
function tracer(log: string): readonly string[] {
  return ["strace", "-D", "-f", "-qq", "-s", "200", "-e", "trace=network", "-o", log];
}

async function startTraced(story: Story): Promise<{ daemon: Daemon; trace: () => string }> {
  const log = story.home.folder.at("network.trace");
  const daemon = startDaemon({ home: story.home, wrapper: tracer(log) });
  await daemon.waitForEvent("daemon:ready");
  return { daemon, trace: () => readFileSync(log, "utf8") };
}

const cwdOf = (project: number) => `/home/ana/work-${project}`;
const idOf = (project: number, session: number) =>
  `${String(100 * project + session).padStart(8, "0")}-1111-4222-8333-444455556666`;

/** One more turn in each session of the day; every fourth says something to be kept. */
function work(story: Story, number: number): void {
  for (let project = 0; project < PROJECTS; project++) {
    for (let session = 0; session < SESSIONS; session++) {
      const cwd = cwdOf(project);
      const text =
        (number + session) % 4 === 0
          ? `Remember that we deploy part ${session} from branch ${number}, never from main.`
          : `Please look at step ${number} of the plan, and at https://example.com/${number} too.`;
      const turn = createTranscript({
        cwd,
        sessionId: idOf(project, session),
        firstNumber: 2 * number + 1,
        startAt: Date.now(),
      });
      const folder = join(story.home.claudeProjects, claudeProjectKey(cwd));
      mkdirSync(folder, { recursive: true });
      appendFileSync(
        join(folder, `${idOf(project, session)}.jsonl`),
        turn.user(text).assistant("Done.").text(),
      );
    }
  }
}

async function day(story: Story, daemon: Daemon): Promise<void> {
  const run = async (...args: readonly string[]) => {
    const { code, stderr } = await runCommand({ home: story.home, args });
    expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
  };
  const at = ["--project", cwdOf(0)];
  const questions: readonly (() => Promise<void>)[] = [
    () => run("status"),
    () => run("sync"),
    () => run("remember", "the printer stands on the second floor", ...at),
    () => run("list", "--all"),
    async () => daemon.child.signal("SIGHUP"),
    () => run("search", "printer", ...at),
    () => run("sync", "--backfill", "all"),
    async () =>
      writeFileSync(join(story.memoryDir(cwdOf(0)), "by-hand.md"), "---\nname: by-hand\n---\nA note.\n"),
    () => run("forget", "by-hand", ...at),
    async () => rmSync(join(story.home.claudeProjects, claudeProjectKey(cwdOf(5)), `${idOf(5, 0)}.jsonl`)),
    () => run("sync", "--dry-run", "--backfill", "all"),
    () => run("status", "--json"),
  ];
  for (let number = 0; number < TURNS; number++) {
    work(story, number);
    await questions[number]?.();
  }
  await run("sync");
}

describe.skipIf(!hasTracer)("a day without a provider and without a team", () => {
  it("opens no socket but local ones, and asks no name service", { timeout: BOUND_MS }, async () => {
    const story = createStory();
    story.config(CONFIG);
    const { daemon, trace } = await startTraced(story);

    await day(story, daemon);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });

    const said = daemon.log().map(({ msg }) => msg);
    expect(said.filter((msg) => msg === "memory:written").length).toBeGreaterThan(PROJECTS);
    expect(said).toContain("configuration read again");
    const { families, peers } = networkOf(trace());
    expect(families).toEqual(["AF_UNIX"]);
    expect(peers.filter((path) => !path.startsWith(story.home.folder.path))).toEqual([]);
  });

  it("opens none in commands that work without a daemon either", { timeout: BOUND_MS }, async () => {
    const story = createStory();
    story.config(CONFIG);
    work(story, 0);
    const log = story.home.folder.at("network.trace");
    for (const args of [
      ["sync"],
      ["status"],
      ["remember", "the printer stands on the second floor", "--project", cwdOf(0)],
      ["doctor"],
    ]) {
      const command = startDaemon({ home: story.home, wrapper: tracer(log), args });
      await command.child.exit;

      const { families, peers } = networkOf(readFileSync(log, "utf8"));
      expect(
        families.filter((family) => family !== "AF_UNIX"),
        args.join(" "),
      ).toEqual([]);
      expect(peers.filter((path) => !path.startsWith(story.home.folder.path))).toEqual([]);
    }
    expect(story.topics(cwdOf(0)).length).toBeGreaterThan(0);
  });

  it("would be seen to open one: with a model there are some", { timeout: BOUND_MS }, async () => {
    const stub = await startModelStub();
    stub.otherwise({ blocks: ["Nothing to keep."] });
    const story = createStory();
    story.config({ ...CONFIG, provider: "local", baseUrl: stub.url });
    const { daemon, trace } = await startTraced(story);
    work(story, 0);
    const { ended } = await stub.request(0);
    await ended;

    await daemon.stop();
    await stub.close();

    expect(networkOf(trace()).families).toEqual(expect.arrayContaining(["AF_INET", "AF_UNIX"]));
  });
});
