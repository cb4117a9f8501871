// A dream of the built program that ends in its middle: cancelled, with its daemon, or by a kill. Each time the memory folder,
// the host's lock and the stamp are as they were. What its model waits with decides in which phase it is met.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConsolidationPhase } from "../../src/domain/consolidation.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import type { ModelStub, StubCall, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { listenToEvents } from "../helpers/socket-client.ts";
import { quickStory, started, turn } from "../daemon/running.ts";
import type { Story } from "../daemon/story.ts";
import { S1, SHOP } from "../daemon/story.ts";

const EXIT_MS = 10_000;
const LOCK = ".consolidate-lock";
const BOARDS = ["red", "blue", "green", "grey", "pink", "gold", "lime", "teal", "navy", "plum"];
const fileOf = (board: string) => `project_${board}_board_hangs_hall_number.md`;
const textOf = (board: string) => `The ${board} board hangs in hall number ${BOARDS.indexOf(board)}.`;
const call = (tool: string, input: object): StubCall => ({ tool, input });
const quote = (board: string) => ({ recordId: fileOf(board), quote: textOf(board) });
const drop = (board: string) =>
  call("delete", { file: fileOf(board), reason: "wrong", evidence: [quote("plum")] });
const HANG: StubReply = { blocks: ["Let me see what else there is."], hangAfter: 10 };

/** Whoever looks once more gets an answer, and is asked again. */
const LOOK = call("grep", { pattern: "board" });

/** What a model asks for before it says nothing more. */
const STEPS: Readonly<Record<ConsolidationPhase, readonly StubCall[]>> = {
  orient: [],
  gather: [call("search_sessions", { text: "board" })],
  consolidate: [
    call("write", {
      file: fileOf("red"),
      name: "red-board",
      description: textOf("red"),
      type: "project",
      body: `${textOf("red")}\n\n**Why:** stated by the person.\n**How to apply:** in the halls.`,
      evidence: [quote("red")],
    }),
    LOOK,
  ],
  prune: [drop("red"), LOOK],
};
const PHASES: readonly ConsolidationPhase[] = ["orient", "gather", "consolidate", "prune"];

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

/** Ten memories a person's words made, consolidated by the host two days ago. */
async function dreamer(server = stub): Promise<Story> {
  const story = quickStory();
  const words = BOARDS.map((board, at) => turn(`Remember: ${textOf(board)}`, 10 * at + 1));
  story.transcript(SHOP, S1, words.join(""));
  await story.sync();
  expect(story.topics(SHOP)).toHaveLength(BOARDS.length);
  const lock = join(story.memoryDir(SHOP), LOCK);
  writeFileSync(lock, "");
  const before = Math.floor(Date.now() / 1_000) - 2 * 86_400;
  utimesSync(lock, before, before);
  story.config({ provider: "local", baseUrl: server.url, extract: { minNewTokens: 0 } });
  return story;
}

/** All there is, to the byte; the host's lock with its time, and our stamp. */
function folderOf(story: Story): unknown {
  const memoryDir = story.memoryDir(SHOP);
  const names = readdirSync(memoryDir).toSorted();
  const stamps = join(story.home.stateDir, "stamps/consolidated");
  mkdirSync(stamps, { recursive: true });
  return {
    files: names.map((name) => [name, readFileSync(join(memoryDir, name), "utf8")]),
    lock: statSync(join(memoryDir, LOCK)).mtimeMs,
    stamps: readdirSync(stamps).map((name) => readFileSync(join(stamps, name), "utf8")),
  };
}

/** Takings that nobody has ended. */
function openTakings(story: Story): string[] {
  return readdirSync(join(story.home.stateDir, "consolidating"));
}

function failuresOf(story: Story): number[] {
  const gates = join(story.home.stateDir, "gates");
  return readdirSync(gates).map((name) => JSON.parse(readFileSync(join(gates, name), "utf8")).failures);
}

interface Met {
  /** The command that asked for it. */
  readonly asked: ReturnType<typeof dream>;
  readonly run: string;
}

function dream(story: Story) {
  return runCommand({ home: story.home, args: ["dream", "--force", "--project", SHOP, "--json"] });
}

/** Asks for a dream and resolves when it is in that phase, its model waiting. */
async function meetIn(phase: ConsolidationPhase, story: Story, server = stub): Promise<Met> {
  const listener = await listenToEvents(story.home.socket);
  const calls = STEPS[phase];
  const first = server.requests.length;
  if (calls.length > 0) server.reply({ blocks: calls });
  server.reply(HANG);
  const asked = dream(story);
  const { data } = await listener.waitFor("dream-advanced", (event) => event.data["phase"] === phase);
  await server.request(first + (calls.length > 0 ? 1 : 0));
  listener.leave();
  return { asked, run: String(data["run"]) };
}

describe("a dream that is cancelled", () => {
  it("in any phase leaves the folder, the host's lock and the stamp as they were", async () => {
    const story = await dreamer();
    const before = folderOf(story);
    const daemon = await started(story);
    for (const phase of PHASES) {
      const { asked, run } = await meetIn(phase, story);
      expect(folderOf(story), phase).not.toEqual(before);

      const cancelled = await runCommand({ home: story.home, args: ["cancel", run, "--json"] });

      expect(JSON.parse(cancelled.stdout), phase).toMatchObject({ outcome: "cancelled", kind: "dream" });
      expect((await asked).code, phase).toBe(1);
      expect(folderOf(story), phase).toEqual(before);
      expect(openTakings(story), phase).toEqual([]);
    }
    expect((await daemon.stop()).code).toBe(0);
    expect(folderOf(story)).toEqual(before);
  });
});

describe("a daemon that is told to stop (fault 57)", () => {
  it("in any phase of a dream ends in time and leaves everything as it was", async () => {
    await Promise.all(
      PHASES.map(async (phase) => {
        const server = await startModelStub();
        const story = await dreamer(server);
        const before = folderOf(story);
        const daemon: Daemon = await started(story);
        const { asked } = await meetIn(phase, story, server);

        const startedAt = performance.now();
        const exit = await daemon.stop("SIGTERM");

        expect(exit, phase).toEqual({ code: 0, signal: null });
        expect(performance.now() - startedAt, phase).toBeLessThan(EXIT_MS);
        expect((await asked).code, phase).not.toBe(0);
        expect(folderOf(story), phase).toEqual(before);
        expect(openTakings(story), phase).toEqual([]);
        expect(failuresOf(story), phase).toEqual([0]);
        await server.close();
      }),
    );
  });
});

describe("a daemon that is killed (fault 10)", () => {
  it.each(PHASES)("while its dream is at %s: the next start gives the folder back, once", async (phase) => {
    const story = await dreamer();
    const before = folderOf(story);
    const daemon = await started(story);
    const { asked } = await meetIn(phase, story);
    await daemon.stop("SIGKILL");
    await asked;
    expect(openTakings(story)).toHaveLength(1);
    expect(folderOf(story)).not.toEqual(before);

    const given: number[] = [];
    for (let starts = 0; starts < 2; starts += 1) {
      const next = await started(story);
      given.push(next.log().filter(({ msg }) => msg === "unfinished consolidations were given back").length);
      expect(folderOf(story)).toEqual(before);
      expect(openTakings(story)).toEqual([]);
      expect((await next.stop()).code).toBe(0);
    }
    expect(given).toEqual([1, 0]);
  });
});

describe("a dream that would drop four of ten memories (fault 58)", () => {
  it("is refused whole, and says so: exit code, status, folder as it was", async () => {
    const story = await dreamer();
    const before = folderOf(story);
    const daemon = await started(story);
    stub.reply({ blocks: BOARDS.slice(0, 4).map(drop) });

    const { code, stdout } = await dream(story);

    expect([code, JSON.parse(stdout)]).toMatchObject([1, { outcome: "failed", reason: "loss", changes: [] }]);
    expect(folderOf(story)).toEqual(before);
    const status = await runCommand({ home: story.home, args: ["status", "--json"] });
    expect(JSON.parse(status.stdout).projects).toMatchObject([
      { lastError: { kind: "dream", code: "loss" } },
    ]);
    expect(failuresOf(story)).toEqual([1]);
    expect((await daemon.stop()).code).toBe(0);
  });
});
