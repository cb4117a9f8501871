// History, diff and undo: what ran, what it changed, and everything put back, also for good.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HistoryRun } from "../../src/domain/history.ts";
import { contentHash } from "../../src/system/ids.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import { turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

const API = "/home/ana/api";
const LATER = Date.UTC(2026, 4, 5, 9);

function clocked() {
  const clock = createManualClock({ startAt: LATER });
  return { story: createStory({}, clock), clock };
}

async function history(
  story: Story,
  request: { name?: string; project?: string } = {},
): Promise<readonly HistoryRun[]> {
  const found = await story.ask((service) => service.history(request));
  expect(DOCUMENTS["history"]?.safeParse(found).error).toBeUndefined();
  return found.runs;
}

async function undo(story: Story, run: string, force = false) {
  const reply = await story.ask((service) => service.undo({ run, force }));
  expect(DOCUMENTS["undo"]?.safeParse(reply).error).toBeUndefined();
  return reply;
}

/** A home with one memory learnt, and the run that taught it. */
async function taught() {
  const { story, clock } = clocked();
  story.transcript(SHOP, S1, turn(TABS));
  await story.sync();
  await clock.advance(60_000);
  const [run] = await history(story);
  if (run === undefined) throw new Error("nothing ran");
  return { story, clock, run, file: story.topics(SHOP)[0] ?? "" };
}

describe("a memory whose run was undone", () => {
  it("is gone with its index line and stays away through sync --backfill all", async () => {
    const { story, clock, run, file } = await taught();
    expect(run).toMatchObject({ kind: "extract", files: [file], undoable: true, undone: false });

    const reply = await undo(story, run.id);
    await clock.advance(60_000);
    await story.sync({ backfillDays: "all" });
    await story.sync({ backfillDays: "all" });

    expect(reply).toMatchObject({ outcome: "undone", runs: [run.id], restored: [file], refused: [] });
    expect(story.topics(SHOP)).toEqual([]);
    expect(story.index(SHOP)).not.toContain(file);
    expect((await history(story)).find(({ id }) => id === run.id)).toMatchObject({
      undoable: false,
      undone: true,
    });
  });

  it("stays away also from a copy of the session, and comes back with words typed anew", async () => {
    const { story, clock, run } = await taught();
    await undo(story, run.id);
    await clock.advance(60_000);
    story.transcript(SHOP, S2, turn(TABS));
    await story.sync({ backfillDays: "all" });
    expect(story.topics(SHOP)).toEqual([]);

    const startAt = LATER + 3_600_000;
    const options = { cwd: SHOP, sessionId: sessionIdOf(3), firstNumber: 70, startAt };
    await clock.advance(7_200_000);
    story.transcript(
      SHOP,
      `${sessionIdOf(3)}.jsonl`,
      createTranscript(options).user(TABS).assistant("ok").text(),
    );
    await story.sync();

    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("comes back with an undo of the undo", async () => {
    const { story, clock, run, file } = await taught();
    const before = readFileSync(join(story.memoryDir(SHOP), file), "utf8");
    const {
      undo: [undoing = ""],
    } = await undo(story, run.id);
    await clock.advance(60_000);

    expect(await undo(story, undoing)).toMatchObject({ outcome: "undone", restored: [file] });

    expect(readFileSync(join(story.memoryDir(SHOP), file), "utf8")).toBe(before);
    expect(story.index(SHOP)).toContain(file);
    expect((await history(story)).map(({ kind, undoable }) => [kind, undoable])).toEqual([
      ["undo", true],
      ["undo", false],
      ["extract", true],
    ]);
  });
});

describe("undo", () => {
  it("brings back what was forgotten; news names the command", async () => {
    const { story, clock, file } = await taught();
    await story.ask((service) => service.news({ looked: true }));
    await clock.advance(60_000);
    await story.ask((service) => service.forget({ name: file, project: SHOP }));
    await clock.advance(60_000);
    const { projects } = await story.ask((service) => service.news({}));
    const command = projects[0]?.items[0]?.undo ?? "";
    expect(command).toMatch(/^engramd undo \S+$/u);

    const reply = await undo(story, command.split(" ").at(-1) ?? "");

    expect(reply).toMatchObject({ outcome: "undone", changes: [{ file, what: "brought-back" }] });
    expect(story.topics(SHOP)).toEqual([file]);
    await story.sync({ backfillDays: "all" });
    expect(story.topics(SHOP)).toEqual([file]);
  });

  it("keeps a later edit, naming it, and is all of one project", async () => {
    const { story, clock, file } = await taught();
    story.transcript(SHOP, S2, turn(MOCKS, 30));
    const there = createTranscript({ cwd: API, sessionId: sessionIdOf(4), firstNumber: 90 });
    story.transcript(API, `${sessionIdOf(4)}.jsonl`, there.user(RELEASE).assistant("ok").text());
    await story.sync();
    const path = join(story.memoryDir(SHOP), file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("tabs", "wide tabs"));
    await clock.advance(60_000);

    const plan = await story.ask((service) => service.undo({ all: true, project: SHOP, dryRun: true }));
    expect(plan).toMatchObject({ outcome: "planned", refused: [{ file }] });
    expect(story.topics(SHOP)).toHaveLength(2);
    const reply = await story.ask((service) => service.undo({ all: true, project: SHOP }));

    expect(reply.restored).toHaveLength(1);
    expect(reply.refused).toEqual([{ file, why: expect.stringContaining("by hand"), forcible: true }]);
    expect(story.topics(SHOP)).toEqual([file]);
    expect(story.topics(API)).toHaveLength(1);
    await clock.advance(60_000);
    expect((await history(story)).map(({ kind }) => kind)).toContain("edit");
    const forced = await story.ask((service) => service.undo({ all: true, project: SHOP, force: true }));
    expect(forced.restored).toEqual([file]);
  });

  it("knows no run of that name, and undoes nothing that was done by hand", async () => {
    const { story, clock, file } = await taught();
    await expect(undo(story, "20260101T000000000-00000000")).rejects.toMatchObject({
      code: "unknown-run",
      exitCode: 1,
      fix: "see: engramd history",
    });
    rmSync(join(story.memoryDir(SHOP), file));
    await story.ask((service) => service.remember({ text: MOCKS, project: SHOP }));
    await clock.advance(60_000);
    const edit = (await history(story)).find(({ kind }) => kind === "edit");

    expect(edit).toMatchObject({ files: [file], undoable: false });
    await expect(undo(story, edit?.id ?? "")).rejects.toMatchObject({ code: "not-undoable", exitCode: 1 });
  });

  it("does nothing for a question that names neither one run nor all of a project", async () => {
    const { story, run, file } = await taught();

    for (const request of [{}, { all: true }, { run: run.id, all: true, project: SHOP }]) {
      const asked = story.ask((service) => service.undo(request));
      await expect(asked).rejects.toMatchObject({ code: "bad-undo" });
    }

    expect(story.topics(SHOP)).toEqual([file]);
  });

  it("is told by /v1/runs as possible where it is", async () => {
    const { story, run } = await taught();
    const undoable = async () =>
      (await story.ask((service) => service.runs({}))).runs.find(({ id }) => id === run.id)?.undoable;

    expect(await undoable()).toBe(true);
    await undo(story, run.id);
    expect(await undoable()).toBe(false);
  });
});

describe("history of one memory", () => {
  it("holds only the runs that touched it, also when it is gone", async () => {
    const { story, clock, run, file } = await taught();
    await story.ask((service) => service.remember({ text: MOCKS, project: SHOP }));
    await clock.advance(60_000);
    await story.ask((service) => service.forget({ name: file, project: SHOP }));

    const found = await history(story, { name: file.replace(/\.md$/u, ""), project: SHOP });

    expect(found.map(({ kind }) => kind)).toEqual(["forget", "extract"]);
    expect(found.at(-1)?.id).toBe(run.id);
    expect(await history(story, { name: "nothing", project: SHOP })).toEqual([]);
    expect((await history(story)).map(({ kind }) => kind)).toEqual(["forget", "remember", "extract"]);
  });
});

describe("a memory that is gone", () => {
  it("has its history and its reasons under the name it was called, however it went", async () => {
    const { story, clock, file } = await taught();
    const { memories } = await story.ask((service) => service.memories({ project: SHOP }));
    const name = memories[0]?.name ?? "";
    expect(`${name}.md`).not.toBe(file);
    const asked = async () => (await history(story, { name, project: SHOP })).map(({ kind }) => kind);

    await story.ask((service) => service.forget({ name, project: SHOP }));
    await clock.advance(60_000);
    expect(await asked()).toEqual(["forget", "extract"]);
    const why = await story.ask((service) => service.why({ what: name, project: SHOP }));
    expect(why).toMatchObject({ file, gone: true });

    await undo(story, (await history(story))[0]?.id ?? "");
    rmSync(join(story.memoryDir(SHOP), file));
    expect(await asked()).toEqual(["undo", "forget", "extract"]);
  });
});

describe("diff", () => {
  it("shows each file as a patch, with what it was and became", async () => {
    const { story, run, file } = await taught();

    const diff = await story.ask((service) => service.diff({ run: run.id }));

    expect(DOCUMENTS["diff"]?.safeParse(diff).error).toBeUndefined();
    expect(diff).toMatchObject({
      run: run.id,
      kind: "extract",
      files: [{ file, op: "created", before: null }],
    });
    const { patch = "", after } = diff.files[0] ?? {};
    expect(after).toMatch(/^[0-9a-f]{64}$/u);
    expect(patch).toMatch(/^--- \/dev\/null\n\+\+\+ b\/\S+\n@@ -0,0 \+1,/u);
    const text = readFileSync(join(story.memoryDir(SHOP), file), "utf8");
    for (const line of text.split("\n").filter((each) => each !== "")) expect(patch).toContain(`+${line}\n`);
  });

  it("masks a secret in an image of before its rule", async () => {
    const { story, run } = await taught();
    const secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    const journal = join(story.home.stateDir, "journal");
    const image = `---\nname: x\n---\ntoken ${secret}\n`;
    for (const path of readdirSync(journal, { recursive: true }).map(String)) {
      const [, folder, hash = ""] = /^(.*\/)blobs\/([0-9a-f]{64})$/u.exec(path) ?? [];
      if (folder === undefined) continue;
      writeFileSync(join(journal, folder, "blobs", contentHash(image)), image);
      for (const name of readdirSync(join(journal, folder)).filter((each) => each !== "blobs")) {
        const entry = readFileSync(join(journal, folder, name), "utf8");
        writeFileSync(join(journal, folder, name), entry.replaceAll(hash, contentHash(image)));
      }
    }

    const diff = await story.ask((service) => service.diff({ run: run.id }));

    expect(JSON.stringify(diff)).not.toContain(secret);
    expect(diff.files[0]?.patch).toContain("+token [secret:");
  });

  it("says so where no copy was kept", async () => {
    const { story, run } = await taught();
    const journal = join(story.home.stateDir, "journal");
    for (const folder of readdirSync(journal)) rmSync(join(journal, folder, "blobs"), { recursive: true });

    const diff = await story.ask((service) => service.diff({ run: run.id }));

    expect(diff.files[0]).toMatchObject({ patch: null, why: expect.stringContaining("no copy") });
  });
});

describe("the commands", () => {
  it("show, undo and ask before undoing everything", async () => {
    const story = createStory();
    const cwd = story.home.folder.folder("home/shop");
    const run = (...args: string[]) => runCommand({ home: story.home, cwd, args });
    await run("remember", "we indent with tabs in every file of the shop");
    const [file = ""] = story.topics(cwd);

    const shown = await run("history");
    const id = /\d{8}T\d{9}-[0-9a-f]{8}/u.exec(shown.stdout)?.[0] ?? "";
    const diff = await run("diff", id);
    const unasked = await run("undo", "--all");
    const planned = await run("undo", "--all", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(diff).toMatchObject({ code: 0, stdout: expect.stringContaining("+++ b/") });
    expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining("(needs-yes)") });
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining(`would be removed: ${file}`) });
    expect(existsSync(join(story.memoryDir(cwd), file))).toBe(true);

    expect(await run("undo", id)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`removed: ${file}`),
    });
    expect(existsSync(join(story.memoryDir(cwd), file))).toBe(false);
    expect(await run("undo", id)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing to put back"),
    });
    expect(await run("undo", "nothing")).toMatchObject({
      code: 1,
      stderr: "engramd: no run is called nothing: see: engramd history (unknown-run)\n",
    });
    expect(await run("undo")).toMatchObject({ code: 2, stderr: expect.stringContaining("(bad-usage)") });
    expect(await run("undo", "--all", "--yes")).toMatchObject({ code: 0 });
  });

  it("answer what they did although nothing can be noted after it", async () => {
    const story = createStory();
    const cwd = story.home.folder.folder("home/shop");
    mkdirSync(join(story.home.stateDir, "status.json"), { recursive: true, mode: 0o700 });

    const said = await runCommand({
      home: story.home,
      cwd,
      args: ["remember", "we", "indent", "with", "tabs"],
    });

    expect(said).toMatchObject({ code: 0, stdout: expect.stringMatching(/^created /u) });
    expect(said.stderr).toContain("status.json");
  });
});
