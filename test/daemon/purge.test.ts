// `forget --purge`: no word of a memory is left in anything engramd keeps, and it never comes back.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ForgetReply } from "../../src/domain/service.ts";
import { createInbox } from "../../src/memory/inbox/inbox.ts";
import { createFiles } from "../../src/system/files.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { wordsLeft } from "../helpers/words-left.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import { turn } from "./running.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, type Story, TABS } from "./story.ts";

const API = "/home/ana/api";
const LATER = Date.UTC(2026, 4, 5, 9);
const MINUTE_MS = 60_000;

async function taught(...texts: readonly string[]) {
  const clock = createManualClock({ startAt: LATER });
  const story = createStory({}, clock);
  const transcript = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(1) });
  for (const text of texts) transcript.user(text).assistant("ok");
  story.transcript(SHOP, S1, transcript.text());
  await story.sync();
  await clock.advance(MINUTE_MS);
  return { story, clock };
}

async function purge(story: Story, name: string, project = SHOP): Promise<ForgetReply> {
  const reply = await story.ask((service) => service.forget({ name, project, purge: true }));
  expect(DOCUMENTS["forget"]?.safeParse(reply).error).toBeUndefined();
  return reply;
}

/** Everything engramd keeps: state, and the memory folders; not the agent's transcripts. */
function places(story: Story): string[] {
  return [story.home.stateDir, story.memoryDir(SHOP), story.memoryDir(API)];
}

function fileOf(story: Story, word: string): string {
  const file = story
    .topics(SHOP)
    .find((each) => readFileSync(join(story.memoryDir(SHOP), each), "utf8").includes(word));
  if (file === undefined) throw new Error(`nothing says ${word}`);
  return file;
}

describe("a purged memory", () => {
  it("leaves no word in state and memory folder; what its run did besides can still be shown and undone", async () => {
    const { story, clock } = await taught(TABS, MOCKS);
    const [file, other] = [fileOf(story, "tabs"), fileOf(story, "integration")];
    const [run] = (await story.ask((service) => service.history({}))).runs;
    expect(wordsLeft(places(story), ["tabs", "indentation"])).not.toEqual([]);

    const reply = await purge(story, file);

    expect(reply).toMatchObject({ outcome: "purged", file });
    expect(reply.purged?.removed).toMatchObject({ entries: 2, images: 1, runs: 2 });
    const transcript = join(story.memoryDir(SHOP), "..", S1);
    expect(reply.purged?.remains).toEqual([{ what: "transcript", path: transcript }]);
    expect(wordsLeft(places(story), ["tabs", "indentation", file])).toEqual([]);
    expect(story.topics(SHOP)).toEqual([other]);

    const { runs } = await story.ask((service) => service.history({}));
    expect(runs.map(({ kind, purged, undoable }) => [kind, purged, undoable])).toEqual([
      ["forget", true, false],
      ["extract", false, true],
    ]);
    const diff = await story.ask((service) => service.diff({ run: run?.id ?? "" }));
    expect(diff.files.map(({ patch, why }) => [patch === null, why])).toContainEqual([
      true,
      expect.stringContaining("purged"),
    ]);
    await clock.advance(MINUTE_MS);
    const undone = await story.ask((service) => service.undo({ run: run?.id ?? "" }));
    expect(undone.restored).toEqual([other]);
    expect(undone.refused).toEqual([
      {
        file: expect.stringMatching(/^purged-[0-9a-f]{16}$/u),
        why: expect.stringContaining("purged"),
        forcible: false,
      },
    ]);
    expect(undone.message).toBe("put back 1 file, 1 that cannot be put back");
    expect(story.topics(SHOP)).toEqual([]);
  });

  it("stays away through sync --backfill all and the loss of all cursors, as a candidate too", async () => {
    const { story, clock } = await taught(TABS);
    await purge(story, fileOf(story, "tabs"));
    rmSync(join(story.home.stateDir, "cursors"), { recursive: true });
    story.config({ projects: { [SHOP]: { mode: "propose" } } });
    await clock.advance(MINUTE_MS);
    await story.sync({ backfillDays: "all" });
    story.config({});
    await story.sync({ backfillDays: "all" });

    expect(story.topics(SHOP)).toEqual([]);
    expect(wordsLeft(places(story), ["tabs", "indentation"])).toEqual([]);

    await clock.advance(2 * 3_600_000);
    const anew = { cwd: SHOP, sessionId: sessionIdOf(3), firstNumber: 70, startAt: clock.now() - MINUTE_MS };
    story.transcript(
      SHOP,
      `${sessionIdOf(3)}.jsonl`,
      createTranscript(anew).user(TABS).assistant("ok").text(),
    );
    await story.sync();
    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("may be one forgotten long ago, called by its name; asked again there is nothing left", async () => {
    const { story, clock } = await taught(TABS);
    const file = fileOf(story, "tabs");
    const name = /^name: (.+)$/mu.exec(readFileSync(join(story.memoryDir(SHOP), file), "utf8"))?.[1] ?? "";
    await story.ask((service) => service.forget({ name: file, project: SHOP }));
    await clock.advance(MINUTE_MS);
    expect(wordsLeft(places(story), ["tabs"])).not.toEqual([]);

    expect(await purge(story, name)).toMatchObject({ outcome: "purged", file });

    expect(wordsLeft(places(story), ["tabs", "indentation", file])).toEqual([]);
    for (const again of [name, file]) {
      expect(await purge(story, again)).toMatchObject({
        outcome: "purged",
        purged: { removed: { entries: 0 } },
      });
    }
    expect(await purge(story, "never-heard-of")).toMatchObject({ outcome: "not-found" });
    const { runs } = await story.ask((service) => service.history({ name: file, project: SHOP }));
    expect(runs.map(({ purged }) => purged)).toEqual([true, true]);
  });

  it("may be a candidate", async () => {
    const clock = createManualClock({ startAt: LATER });
    const story = createStory({}, clock);
    story.config({ projects: { [SHOP]: { mode: "propose" } } });
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const [name = ""] = readdirSync(join(story.home.stateDir, "inbox"));
    const stored = createInbox({
      files: createFiles(),
      stateDir: story.home.stateDir,
      clock: { now: () => 0 },
    });
    const [candidate] = stored.list(name.replace(/\.jsonl$/u, ""));
    expect(candidate).toBeDefined();

    expect(await purge(story, candidate?.id ?? "")).toMatchObject({
      outcome: "purged",
      file: null,
      purged: { removed: { candidates: 1 } },
    });
    await story.sync({ backfillDays: "all" });

    expect(wordsLeft(places(story), ["tabs", "indentation"])).toEqual([]);
  });

  it("keeps another memory with the same sentence, and its history; the reply names it", async () => {
    const { story, clock } = await taught(TABS);
    const file = fileOf(story, "tabs");
    const path = join(story.memoryDir(SHOP), "other.md");
    const sentence = /^.*tabs.*$/mu.exec(story.learnt(SHOP).split("---").at(-1) ?? "")?.[0] ?? "";
    writeFileSync(
      path,
      `---\nname: other\ndescription: habits\ntype: user\n---\n${sentence}\nAnd a vim user.\n`,
    );
    await story.ask((service) => service.news({}));
    await story.sync();
    await story.inside(async ({ parts }) => {
      const [project] = parts.places.known();
      if (project !== undefined) await parts.writer.upkeep(story.memoryDir(SHOP), project);
    });
    await clock.advance(MINUTE_MS);

    const reply = await purge(story, file);

    expect(reply.purged?.remains).toContainEqual({ what: "memory", path });
    expect(story.topics(SHOP)).toEqual(["other.md"]);
    const holding = (word: string) =>
      wordsLeft([story.home.stateDir], [word]).map((each) => each.split(": ")[0]);
    expect(holding("vim user")).toHaveLength(1);
    expect(holding("tabs")).toEqual(holding("vim user"));
  });

  it("is found under the names it had before, and under every text", async () => {
    const { story, clock } = await taught(TABS);
    const file = fileOf(story, "tabs");
    const upkeep = () =>
      story.inside(async ({ parts }) => {
        const [project] = parts.places.known();
        if (project !== undefined) await parts.writer.upkeep(story.memoryDir(SHOP), project);
      });
    const text = readFileSync(join(story.memoryDir(SHOP), file), "utf8");
    renameSync(join(story.memoryDir(SHOP), file), join(story.memoryDir(SHOP), "walrus_habits.md"));
    await upkeep();
    await clock.advance(MINUTE_MS);
    writeFileSync(join(story.memoryDir(SHOP), "walrus_habits.md"), text.replaceAll("tabs", "narwhal marks"));
    await upkeep();
    await clock.advance(MINUTE_MS);

    await purge(story, "walrus_habits");

    expect(wordsLeft(places(story), ["tabs", "indentation", "narwhal", "walrus", file])).toEqual([]);
    expect(story.topics(SHOP)).toEqual([]);
  });

  it("is named nowhere in our log, however it was rotated", async () => {
    const { story } = await taught(TABS);
    const file = fileOf(story, "tabs");
    const line = (name: string) =>
      `${JSON.stringify({ level: "info", file: name, msg: "memory:written" })}\n`;
    mkdirSync(story.home.stateDir, { recursive: true });
    for (const part of ["engramd.log", "engramd.log.1"]) {
      writeFileSync(join(story.home.stateDir, part), line(file) + line("other.md"));
    }

    const reply = await purge(story, file);

    expect(reply.purged?.removed.logLines).toBe(2);
    expect(wordsLeft(places(story), ["tabs", file])).toEqual([]);
    const left = readFileSync(join(story.home.stateDir, "engramd.log"), "utf8").split("\n");
    expect(left[1]).toContain("other.md");
    expect(() => JSON.parse(left[0] ?? "")).not.toThrow();
    expect(existsSync(join(story.home.stateDir, "purges"))).toBe(true);
  });

  it("is one project's: the same words in another project stay and are named", async () => {
    const { story, clock } = await taught(RELEASE);
    const there = createTranscript({ cwd: API, sessionId: sessionIdOf(4), firstNumber: 90 });
    story.transcript(API, S2, there.user(RELEASE).assistant("ok").text());
    await story.sync();
    await clock.advance(MINUTE_MS);
    const [kept = ""] = story.topics(API);

    const reply = await purge(story, story.topics(SHOP)[0] ?? "");

    expect(reply.purged?.remains).toContainEqual({ what: "memory", path: join(story.memoryDir(API), kept) });
    expect(story.topics(API)).toEqual([kept]);
    const undone = await story.ask((service) => service.undo({ all: true, project: API }));
    expect(undone.restored).toEqual([kept]);
  });
});
