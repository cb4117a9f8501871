// A daemon that ends while a model is thinking, or while it waits to ask again: one more request after each end,
// and the memory exactly once.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { claudeProjectKey, createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { startDaemon } from "../helpers/daemon-process.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const CWD = "/home/ana/shop";
const ASKED = "Remember that we deploy from the release branch, never from main.";
/** A dead daemon's lock is waited for; a retry waits for five seconds. */
const WITHIN_MS = 30_000;
let stub: ModelStub;
let home: ScratchHome;

beforeEach(async () => {
  stub = await startModelStub();
  home = createScratchHome();
  mkdirSync(dirname(home.configFile), { recursive: true });
  const extract = { debounceMs: { model: 100 }, settleMs: 0 };
  writeFileSync(home.configFile, JSON.stringify({ provider: "local", baseUrl: stub.url, extract }));
});
afterEach(() => stub.close());

const folder = () => join(home.claudeProjects, claudeProjectKey(CWD));
const memoryFiles = () =>
  existsSync(join(folder(), "memory")) ? readdirSync(join(folder(), "memory")).toSorted() : [];

const write: StubReply = { blocks: [squashWrite(recordIdOf(1))] };

/** A daemon that is ready, and then a session it has not seen. */
async function startWithSession(text = SQUASH_WORDS): Promise<Daemon> {
  const daemon = startDaemon({ home });
  await daemon.waitForEvent("daemon:ready");
  mkdirSync(folder(), { recursive: true });
  const session = createTranscript({ cwd: CWD }).user(text).assistant("Will do.");
  writeFileSync(join(folder(), `${sessionIdOf(1)}.jsonl`), session.text());
  return daemon;
}

async function expectSavedOnce(daemon: Daemon, requests: number): Promise<void> {
  await daemon.waitForEvent("memory:written", { withinMs: WITHIN_MS });
  expect(memoryFiles()).toEqual(["MEMORY.md", "feedback_squash.md"]);
  expect(readFileSync(join(folder(), "memory/MEMORY.md"), "utf8").trim().split("\n")).toHaveLength(1);
  expect(stub.requests).toHaveLength(requests);
  expect((await daemon.stop()).code).toBe(0);
}

it("killed while the model is thinking, it asks once more after its restart", async () => {
  stub.reply({ ...write, hangAfter: 300 });
  const daemon = await startWithSession();
  const request = await stub.request(0);

  await daemon.stop("SIGKILL");
  expect(await request.ended).toBe("closed");
  expect(memoryFiles()).toEqual([]);
  stub.reply(write);

  await expectSavedOnce(startDaemon({ home }), 2);
});

it("killed while it waits to ask again, it keeps the wait and then asks once", async () => {
  stub.reply({ status: 529, error: { type: "overloaded_error" } });
  const daemon = await startWithSession();
  await daemon.waitForEvent("job:finished", { withinMs: WITHIN_MS });

  await daemon.stop("SIGKILL");
  stub.reply(write);

  await expectSavedOnce(startDaemon({ home }), 2);
});

it("told to stop while the model is thinking, it leaves within ten seconds and asks again at its next start", async () => {
  stub.reply({ ...write, hangAfter: 300 });
  const daemon = await startWithSession();
  await stub.request(0);

  const before = performance.now();
  expect((await daemon.stop("SIGTERM")).code).toBe(0);
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(memoryFiles()).toEqual([]);
  stub.reply(write);

  await expectSavedOnce(startDaemon({ home }), 2);
});

it("told by its settings to use no model any more, it breaks the request off and goes on with rules", async () => {
  stub.reply({ ...write, hangAfter: 300 });
  const daemon = await startWithSession(ASKED);
  const request = await stub.request(0);

  writeFileSync(home.configFile, JSON.stringify({ provider: "offline", extract: { settleMs: 0 } }));
  daemon.child.signal("SIGHUP");

  expect(await request.ended).toBe("closed");
  await daemon.waitForEvent("memory:written", { withinMs: WITHIN_MS });
  expect(memoryFiles()).toHaveLength(2);
  expect(stub.requests).toHaveLength(1);
  expect((await daemon.stop()).code).toBe(0);
});

it("killed again and again, it never asks more often than it was ended, plus once", async () => {
  const kills = 5;
  for (let kill = 0; kill < kills; kill++) stub.reply({ ...write, hangAfter: 300 });
  let daemon = await startWithSession();
  for (let kill = 0; kill < kills; kill++) {
    await stub.request(kill);
    await daemon.stop("SIGKILL");
    daemon = startDaemon({ home });
  }
  stub.reply(write);

  await expectSavedOnce(daemon, kills + 1);
});
