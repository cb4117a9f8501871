// A new version is installed while the old one runs, and an old one meets the state of a newer one: nothing crashes,
// nothing restarts by itself, nothing is reset.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Status } from "../../src/domain/status.ts";
import { recordIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { copyProgram, OWN_VERSION } from "../helpers/program-copy.ts";
import type { Program } from "../helpers/program-copy.ts";
import { quickStory, turn, written } from "./running.ts";
import type { Story } from "./story.ts";
import { RELEASE, S1, S2, SHOP } from "./story.ts";

async function running(story: Story, { entry }: Program): Promise<Daemon> {
  const daemon = startDaemon({ home: story.home, entry });
  await daemon.waitForEvent("daemon:ready");
  return daemon;
}

async function statusOf(story: Story, { entry }: Program): Promise<Status> {
  const { stdout } = await runCommand({ home: story.home, entry, args: ["status", "--json"] });
  return JSON.parse(stdout);
}

const stubs: ModelStub[] = [];
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.close();
});

async function modelStory(): Promise<{ readonly story: Story; readonly stub: ModelStub }> {
  const stub = await startModelStub();
  stubs.push(stub);
  const backfill = { firstStart: { backfillDays: { model: 36_500 } } };
  const story = quickStory({ minNewTokens: 0 }, { provider: "local", baseUrl: stub.url, ...backfill });
  return { story, stub };
}

/** Its day is told by a module that is loaded with the first phrase of its kind. */
const PNPM = "Remember that we use pnpm since March 3rd.";

describe("an update while the daemon runs", () => {
  it("lets the job in flight end, names both versions each time it is asked, and restarts nothing", async () => {
    const { story, stub } = await modelStory();
    const program = copyProgram(story.home);
    const daemon = await running(story, program);
    let isAsked: (value?: unknown) => void = () => undefined;
    stub.reply({
      blocks: [squashWrite(recordIdOf(1))],
      after: new Promise((resolve) => (isAsked = resolve)),
    });
    stub.otherwise({ blocks: ["Nothing to keep."] });
    story.transcript(SHOP, S1, turn(SQUASH_WORDS));
    await stub.request(0);

    program.update("1.1.0");
    const answers: Status[] = [];
    for (let asked = 0; asked < 5; asked++) answers.push(await statusOf(story, program));
    isAsked();

    await written(daemon, /feedback_squash\.md/u);
    for (const { pid, version, clientVersion, warnings } of answers) {
      expect({ pid, version, clientVersion }).toEqual({
        pid: daemon.child.pid,
        version: OWN_VERSION,
        clientVersion: "1.1.0",
      });
      expect(warnings[0]).toMatchObject({ code: "restart-needed", fix: "engramd restart" });
      expect(warnings[0]?.message).toContain("restart to finish the update");
    }
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  it("makes a module that is gone a reason to restart; what waited for it is learnt afterwards", async () => {
    const story = quickStory();
    const program = copyProgram(story.home);
    const daemon = await running(story, program);
    program.update("1.1.0");

    story.transcript(SHOP, S1, turn(PNPM));
    await daemon.waitForEvent("job:finished", {
      where: (line) => JSON.stringify(line["outcome"]).includes("restart-needed"),
    });
    const { state, pid, warnings } = await statusOf(story, program);
    expect({ state, pid }).toEqual({ state: "degraded", pid: daemon.child.pid });
    expect(warnings.map(({ code }) => code)).toContain("restart-needed");
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });

    const next = await running(story, program);
    await runCommand({ home: story.home, entry: program.entry, args: ["sync"] });
    expect(story.learnt(SHOP)).toMatch(/pnpm since \d{4}-03-03/u);
    expect((await statusOf(story, program)).clientVersion).toBeUndefined();
    await next.stop();
  });

  it("says nothing where only package.json tells another version", async () => {
    const story = quickStory();
    const program = copyProgram(story.home);
    const daemon = await running(story, program);
    writeFileSync(
      join(program.entry, "../../package.json"),
      JSON.stringify({ version: "0.1.1", type: "module" }),
    );

    const status = await statusOf(story, program);

    expect(status.clientVersion).toBeUndefined();
    expect(status.warnings).toEqual([]);
    await daemon.stop();
  });
});

/** Every file of the state with its content. */
function stateOf({ home }: Story): Map<string, string> {
  const names = readdirSync(home.stateDir, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => /\.(?:jsonl?|md)$|^stamps\//u.test(name))
      .map((name) => [name, readFileSync(join(home.stateDir, name), "utf8")]),
  );
}

describe("the state of a newer version", () => {
  it("is refused by an older one with both versions, and stays as it is", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(RELEASE));
    await story.sync();
    const stamp = join(story.home.stateDir, "stamps/format");
    const written = JSON.parse(readFileSync(stamp, "utf8"));
    writeFileSync(stamp, JSON.stringify({ ...written, format: written.format + 1, engramd: "1.1.0" }));
    story.transcript(SHOP, S2, turn(PNPM, 20));
    const before = stateOf(story);

    for (const args of [["run"], ["sync"], ["list"], ["remember", "we use tabs"]]) {
      const { code, stderr } = await runCommand({ home: story.home, args });
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain("1.1.0");
      expect(stderr).toContain(OWN_VERSION);
    }
    expect(stateOf(story)).toEqual(before);
    const status = await runCommand({ home: story.home, args: ["status", "--json"] });
    expect(status.code).toBe(5);
  });

  it("of the same format is taken over, and nothing is read a second time", async () => {
    const story = quickStory();
    const [old, next] = [copyProgram(story.home), copyProgram(story.home, "1.1.0")];
    story.transcript(SHOP, S1, turn(RELEASE));
    const sync = async ({ entry }: Program) =>
      JSON.parse((await runCommand({ home: story.home, entry, args: ["sync", "--json"] })).stdout);
    await sync(old);

    const updated = await sync(next);
    const stamp = readFileSync(join(story.home.stateDir, "stamps/format"), "utf8");
    const back = await sync(old);

    expect(updated).toMatchObject({ records: 0, memories: { created: 0 } });
    expect(stamp).toContain("1.1.0");
    expect(back).toMatchObject({ records: 0, memories: { created: 0 } });
    expect(story.topics(SHOP)).toHaveLength(1);
  });
});
