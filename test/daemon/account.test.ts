// Why, news and ignore: what engramd says of what it did, and how a session is taken back.
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MessageStory, SessionStory } from "../../src/domain/account.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

const ONE = sessionIdOf(1);
const TWO = sessionIdOf(2);
const DAY_MS = 86_400_000;
/** After the invented conversations. */
const LATER = Date.UTC(2026, 4, 5, 9);

function clocked(): { story: Story; clock: ReturnType<typeof createManualClock> } {
  const clock = createManualClock({ startAt: LATER });
  return { story: createStory({}, clock), clock };
}

/** The second session, hours after the first. */
function said(text: string, firstNumber: number): string {
  const startAt = Date.UTC(2026, 4, 4, 19);
  const options = { cwd: SHOP, sessionId: TWO, firstNumber, startAt };
  return createTranscript(options).user(text).assistant("ok").text();
}

function sessionStory(story: Story, what: string): Promise<SessionStory> {
  return story.ask(async (service) => {
    const told = await service.why({ what, project: SHOP });
    if (told.about !== "session") throw new Error("not about a session");
    return told;
  });
}

function told({ messages }: SessionStory): (readonly [string, string | undefined])[] {
  return messages.map(({ outcome, reason }: MessageStory) => [outcome, reason?.code]);
}

function codes(story: SessionStory): readonly string[] {
  return told(story).map(([outcome, code]) => (code === undefined ? outcome : `${outcome} ${code}`));
}

describe("why, of a session", () => {
  it("tells what became of each message, by which rule, and what an unread one waits for", async () => {
    const { story } = clocked();
    const secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    const transcript = createTranscript({ cwd: SHOP })
      .user(TABS)
      .assistant("ok")
      .user("From now on always use spaces in this file.")
      .assistant("yes")
      .user("fix the typo in the readme")
      .assistant("done")
      .user("We decided to ship the beta on Mondays because support is there.")
      .assistant("ok")
      .user(`Remember that the deploy token is ${secret} for the release job.`)
      .assistant("ok")
      .user("<private>Remember that I leave in spring.</private>")
      .assistant("ok");
    const path = story.transcript(SHOP, S1, transcript.text());
    await story.sync();
    appendFileSync(path, turn(MOCKS, 40));

    const session = await sessionStory(story, ONE.slice(0, 8));

    expect(session).toMatchObject({
      session: ONE,
      agent: "claude-code",
      project: SHOP,
      ignored: false,
      more: 0,
    });
    const [first, once, chore, , token, hidden, unread] = session.messages;
    expect(first).toMatchObject({ outcome: "saved", record: recordIdOf(1), reason: null });
    expect(first?.memories).toMatchObject([{ file: story.topics(SHOP)[0], op: "created", gone: false }]);
    expect(once).toMatchObject({ outcome: "refused", reason: { code: "one-off" } });
    expect(chore).toMatchObject({ outcome: "nothing", reason: { code: "no-cue" } });
    expect(token?.outcome).toBe("refused");
    expect(hidden).toMatchObject({ outcome: "skipped", reason: { code: "private" } });
    expect(unread).toMatchObject({ outcome: "waiting", reason: { code: "not-running" } });
    expect(JSON.stringify(session)).not.toContain(secret);
    expect(JSON.stringify(session)).not.toContain("spring");
  });

  it("knows a candidate, a headless session and words that were said again", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS) + turn("We decided to use pnpm instead of npm for this repo.", 10));
    story.transcript(SHOP, S2, said(TABS, 20));
    const script = createTranscript({
      cwd: SHOP,
      sessionId: sessionIdOf(3),
      firstNumber: 30,
      entrypoint: "sdk-cli",
    });
    story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, script.user(RELEASE).assistant("ok").text());
    await story.sync();

    const both = [await sessionStory(story, ONE), await sessionStory(story, TWO)].map(
      (each) => each.messages[0],
    );
    expect(new Set(both.map((message) => message?.outcome))).toEqual(new Set(["confirmed", "saved"]));
    expect(codes(await sessionStory(story, ONE))).toContain("candidate candidate");
    expect(codes(await sessionStory(story, sessionIdOf(3)))).toEqual(["skipped headless"]);
  });

  it("names a taken-back memory, and says so after forget", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    await story.ask((service) => service.forget({ name: story.topics(SHOP)[0] ?? "", project: SHOP }));

    const session = await sessionStory(story, ONE);

    expect(codes(session)).toEqual(["taken-back taken-back"]);
    expect(session.messages[0]?.memories).toMatchObject([{ gone: true }]);
  });

  it("does not call saved what a hand removed or renamed, noticed or not", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS) + turn(MOCKS, 10));
    await story.sync();
    const [tabs = "", mocks = ""] = story.topics(SHOP);
    const at = (file: string) => join(story.memoryDir(SHOP), file);
    rmSync(at(tabs));
    renameSync(at(mocks), at("feedback_renamed.md"));

    const before = codes(await sessionStory(story, ONE));
    await story.ask((service) => service.remember({ text: RELEASE, project: SHOP }));
    const after = await sessionStory(story, ONE);

    expect(before).toEqual(["taken-back replaced", "taken-back replaced"]);
    expect(codes(after)).toEqual(["taken-back taken-back", "saved"]);
    expect(after.messages[1]?.memories).toContainEqual(
      expect.objectContaining({ file: "feedback_renamed.md", gone: false }),
    );
  });

  it("shows hostile text as one short printable line, and only the newest of very many messages", async () => {
    const { story } = clocked();
    const builder = createTranscript({ cwd: SHOP });
    for (let at = 0; at < 230; at++) builder.user(`message ${at}`).assistant("ok");
    builder.user(`evil \u001b[31m\u202e text\nwith lines ${"long ".repeat(200)}`).assistant("ok");
    story.transcript(SHOP, S1, builder.text());
    await story.sync();

    const session = await sessionStory(story, ONE);

    expect(session).toMatchObject({ more: 31 });
    expect(session.messages).toHaveLength(200);
    const last = session.messages.at(-1)?.text ?? "";
    expect(last).toMatch(/^evil \[31m text with lines long/u);
    expect(last.length).toBeLessThanOrEqual(161);
  });

  it("writes nothing", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const state = () => readFileSync(join(story.home.stateDir, "cursors/sources.jsonl"), "utf8");
    const before = [story.home.folder.tree(), state()];

    await sessionStory(story, ONE);

    expect([story.home.folder.tree(), state()]).toEqual(before);
  });
});

describe("why, of a memory", () => {
  const why = (story: Story, what: string) =>
    story.ask(async (service) => {
      const reply = await service.why({ what, project: SHOP });
      if (reply.about !== "memory") throw new Error("not about a memory");
      return reply;
    });

  it("quotes the words as they stand in the transcript, and who changed what in which run", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(`Thanks. ${TABS} Now fix the build.`));
    story.transcript(SHOP, S2, said(TABS, 20));
    await story.sync();
    const [file = ""] = story.topics(SHOP);

    const memory = await why(story, file.replace(".md", ""));

    expect(memory).toMatchObject({ file, made: "from-sessions", gone: false, more: 0 });
    expect(memory.message).toBe("learned from what you typed in 2 sessions");
    expect(memory.evidence.map(({ quote, session }) => [quote, session])).toEqual([
      [TABS, ONE],
      [TABS, TWO],
    ]);
    expect(memory.changes.map(({ op, by }) => [op, by])).toEqual([
      ["created", "rules"],
      ["confirmed", "rules"],
    ]);
  });

  it("says when the transcript is gone, when it was asked for, and when a hand wrote or edited it", async () => {
    const { story } = clocked();
    const path = story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const [tabs = ""] = story.topics(SHOP);
    rmSync(path);
    await story.ask((service) => service.remember({ text: RELEASE, project: SHOP }));
    const asked = story.topics(SHOP).find((file) => file !== tabs) ?? "";
    writeFileSync(join(story.memoryDir(SHOP), "my_own.md"), "---\nname: my-own\n---\n\nMine.\n");
    const tabsPath = join(story.memoryDir(SHOP), tabs);
    writeFileSync(tabsPath, readFileSync(tabsPath, "utf8").replace("tabs", "tabs, really tabs,"));

    expect(await why(story, tabs)).toMatchObject({
      message: "learned from what you typed in 1 session, and edited by hand since",
      evidence: [{ quote: null, missing: "its transcript is gone" }],
    });
    expect(await why(story, asked)).toMatchObject({ made: "on-request", evidence: [{ quote: null }] });
    expect(await why(story, "my-own")).toMatchObject({ made: "by-hand", evidence: [], changes: [] });
  });

  it("knows a file that was renamed by hand by what it was made from", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const [tabs = ""] = story.topics(SHOP);
    renameSync(join(story.memoryDir(SHOP), tabs), join(story.memoryDir(SHOP), "my_tabs.md"));
    await story.ask((service) => service.remember({ text: RELEASE, project: SHOP }));

    expect(await why(story, "my_tabs")).toMatchObject({
      made: "from-sessions",
      message: "learned from what you typed in 1 session, and edited by hand since",
      evidence: [{ quote: TABS, session: ONE }],
    });
    expect(await why(story, tabs)).toMatchObject({ gone: true });
  });

  it("tells of a memory that is gone, and refuses what it does not know", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const [file = ""] = story.topics(SHOP);
    await story.ask((service) => service.forget({ name: file, project: SHOP }));

    expect(await why(story, file)).toMatchObject({ gone: true, evidence: [{ quote: TABS }] });
    await expect(why(story, "no-such-thing")).rejects.toMatchObject({ code: "unknown-name", exitCode: 1 });
  });
});

describe("news", () => {
  const news = (story: Story, request: { looked?: boolean; project?: string } = { looked: true }) =>
    story.ask((service) => service.news(request));

  it("tells once what was learned, changed and removed, with only undos that exist", async () => {
    const { story, clock } = clocked();
    story.transcript(SHOP, S1, turn(TABS) + turn(MOCKS, 10));
    await story.sync();
    const [tabs = "", mocks = ""] = story.topics(SHOP);

    const first = await news(story);
    await clock.advance(60_000);
    const nothing = await news(story);
    await clock.advance(60_000);
    const mocksPath = join(story.memoryDir(SHOP), mocks);
    writeFileSync(mocksPath, readFileSync(mocksPath, "utf8").replace("database", "database of its own"));
    await story.ask((service) => service.forget({ name: tabs, project: SHOP }));
    const second = await news(story);

    expect(first).toMatchObject({ first: true, projects: [{ project: SHOP, more: 0 }] });
    expect(first.projects[0]?.items.map(({ what }) => what)).toEqual(["learned", "learned"]);
    expect(new Set(first.projects[0]?.items.map(({ undo }) => undo))).toEqual(
      new Set([tabs, mocks].map((file) => `engramd forget ${file} --project ${SHOP}`)),
    );
    expect(nothing).toMatchObject({ first: false, projects: [] });
    const changes =
      second.projects[0]?.items.map(({ what, file, by, undo }) => ({ what, file, by, undo })) ?? [];
    expect(changes).toContainEqual({ what: "changed", file: mocks, by: "hand", undo: null });
    const undo = expect.stringMatching(/^engramd undo \d{8}T\d{9}-[0-9a-f]{8}$/u);
    expect(changes).toContainEqual({ what: "removed", file: tabs, by: "person", undo });
    expect(second.projects[0]?.items.find(({ what }) => what === "removed")?.description).toContain("tabs");
  });

  it("tell what engramd took out between two looks, with the undo that brings it back", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const [tabs = ""] = story.topics(SHOP);
    const text = readFileSync(join(story.memoryDir(SHOP), tabs), "utf8");
    const again = "feedback_said_again.md";
    writeFileSync(join(story.memoryDir(SHOP), again), text.replace(/^name: .*$/mu, "name: said-again"));
    await story.sync();
    await story.ask((service) => service.fixLint({ project: SHOP }));

    const { projects } = await news(story, {});

    const [gone = ""] = [tabs, again].filter((file) => !story.topics(SHOP).includes(file));
    const undo = expect.stringMatching(/^engramd undo /u);
    expect(projects[0]?.items).toContainEqual(expect.objectContaining({ what: "removed", file: gone, undo }));
  });

  it("name the project in each undo, quoted where a shell would read something into it", async () => {
    const { story } = clocked();
    const odd = "/home/ana/it's $(here) now";
    story.transcript(SHOP, S1, turn(TABS));
    const there = createTranscript({ cwd: odd, sessionId: TWO, firstNumber: 50 }).user(TABS).assistant("ok");
    story.transcript(odd, S2, there.text());
    await story.sync();
    const [file = ""] = story.topics(SHOP);

    const { projects } = await news(story, {});

    expect(new Set(projects.flatMap(({ items }) => items.map(({ undo }) => undo)))).toEqual(
      new Set([
        `engramd forget ${file} --project '/home/ana/it'\\''s $(here) now'`,
        `engramd forget ${file} --project ${SHOP}`,
      ]),
    );
  });

  it("stay new until a person looks, and one project's look leaves the others new", async () => {
    const { story, clock } = clocked();
    const other = "/home/ana/other";
    story.transcript(SHOP, S1, turn(TABS));
    const there = createTranscript({ cwd: other, sessionId: TWO, firstNumber: 50 })
      .user(MOCKS)
      .assistant("ok");
    story.transcript(other, S2, there.text());
    await story.sync();

    expect((await news(story, {})).projects).toHaveLength(2);
    expect((await news(story, { looked: true, project: SHOP })).projects).toHaveLength(1);
    await clock.advance(60_000);
    expect((await news(story, {})).projects.map(({ project }) => project)).toEqual([other]);
    writeFileSync(join(story.home.stateDir, "news.json"), "{");
    expect((await news(story, {})).projects).toHaveLength(2);
  });

  it("are told again where the clock was set back since, rather than never", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const looks = join(story.home.stateDir, "news.json");
    const ahead = new Date(LATER + DAY_MS).toISOString();
    writeFileSync(looks, JSON.stringify({ v: 1, all: ahead, projects: {} }));

    expect((await news(story)).projects).toMatchObject([{ items: [{ what: "learned" }] }]);
    expect((await news(story)).projects).toEqual([]);
  });

  it("of a first look are those of the last 7 days", async () => {
    const { story, clock } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    await clock.advance(8 * DAY_MS);
    await story.ask((service) => service.remember({ text: RELEASE, project: SHOP }));

    const { projects } = await news(story);

    expect(projects[0]?.items).toHaveLength(1);
    expect(projects[0]?.items[0]).toMatchObject({ what: "learned", by: "person" });
  });
});

describe("ignore", () => {
  const ignore = (story: Story, session: string) => story.ask((service) => service.ignore({ session }));

  it("removes what only that session taught, and no reading ever brings it back", async () => {
    const { story } = clocked();
    const lesson = turn(TABS) + turn("We decided to use pnpm instead of npm for this repo.", 10);
    const path = story.transcript(SHOP, S1, lesson);
    await story.sync();
    const [file] = story.topics(SHOP);

    const reply = await ignore(story, ONE.slice(0, 6));

    expect(reply).toMatchObject({
      outcome: "ignored",
      session: ONE,
      removed: [{ file }],
      kept: [],
      candidates: 1,
    });
    expect(story.topics(SHOP)).toEqual([]);
    appendFileSync(path, turn(MOCKS, 30));
    await story.sync({ backfillDays: "all" });
    // A copy of its words under another id.
    story.transcript(SHOP, S2, lesson.replaceAll(ONE, TWO));
    await story.sync({ backfillDays: "all" });
    expect(story.topics(SHOP)).toEqual([]);
    expect(codes(await sessionStory(story, ONE)).at(-1)).toBe("skipped ignored");
    expect(codes(await sessionStory(story, TWO))).toEqual(["taken-back taken-back", "skipped ignored-copy"]);
    expect(await ignore(story, ONE)).toMatchObject({ outcome: "already-ignored", removed: [] });
  });

  it("keeps what other sessions carry too, without this one's evidence, and what a hand has edited", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS) + turn(MOCKS, 10) + turn(RELEASE, 20));
    story.transcript(SHOP, S2, said(TABS, 40));
    await story.sync();
    const edited = story.topics(SHOP).find((file) => file.includes("database")) ?? "";
    const editedPath = join(story.memoryDir(SHOP), edited);
    writeFileSync(
      editedPath,
      readFileSync(editedPath, "utf8").replace("real database", "real, local database"),
    );
    const shared = story.topics(SHOP).find((file) => file.includes("tabs")) ?? "";

    const reply = await ignore(story, ONE);

    expect(story.topics(SHOP).toSorted()).toEqual([edited, shared].toSorted());
    expect(reply.removed).toHaveLength(1);
    expect(Object.fromEntries(reply.kept.map(({ file, reason }) => [file, reason.code]))).toEqual({
      [edited]: "edited-by-hand",
      [shared]: "other-evidence",
    });
    const text = readFileSync(join(story.memoryDir(SHOP), shared), "utf8");
    expect(text).not.toContain(recordIdOf(1));
    expect(text).toContain(recordIdOf(40));
    // Nothing rests on the first any more, so that the second alone carries it.
    expect((await ignore(story, TWO)).removed).toMatchObject([{ file: shared }]);
  });

  it("names what was renamed by hand, also while nobody watched", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    const [tabs = ""] = story.topics(SHOP);
    renameSync(join(story.memoryDir(SHOP), tabs), join(story.memoryDir(SHOP), "my_tabs.md"));

    const { removed, kept } = await ignore(story, ONE);

    expect(removed).toEqual([]);
    expect(kept).toMatchObject([{ file: "my_tabs.md", reason: { code: "edited-by-hand" } }]);
  });

  it("takes a session nobody has met yet by its whole id, and nothing else", async () => {
    const { story } = clocked();
    await expect(ignore(story, "1111")).rejects.toMatchObject({ code: "unknown-session", exitCode: 1 });

    expect(await ignore(story, ONE)).toMatchObject({ outcome: "ignored", agent: null });
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();

    expect(existsSync(story.memoryDir(SHOP)) ? story.topics(SHOP) : []).toEqual([]);
  });

  it("names the sessions a beginning could mean", async () => {
    const { story } = clocked();
    story.transcript(SHOP, S1, turn(TABS));
    story.transcript(SHOP, S2, turn(MOCKS, 10, TWO));
    await story.sync();

    await expect(ignore(story, "")).rejects.toMatchObject({ code: "ambiguous-session" });
    expect(story.topics(SHOP)).toHaveLength(2);
  });
});

describe("the commands", () => {
  it("answer a person and a program, and fail as promised", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, turn(TABS));
    const run = (...args: readonly string[]) =>
      runCommand({ home: story.home, args: [...args, "--project", SHOP] });
    await run("sync", "--backfill", "all");

    const json = async (...args: readonly string[]) => {
      const result = await run(...args, "--json");
      expect(result).toMatchObject({ code: 0, stderr: "" });
      const document = JSON.parse(result.stdout);
      const [command = ""] = args;
      DOCUMENTS[command]?.parse(document);
      return document;
    };
    const path = join(story.home.claudeProjects, "-home-ana-shop", S1);
    expect(await json("why", path)).toMatchObject({
      v: 1,
      about: "session",
      messages: [{ outcome: "saved" }],
    });
    expect((await run("why", ONE)).stdout).toContain(`saved: ${story.topics(SHOP)[0]}`);
    expect((await run("why", story.topics(SHOP)[0] ?? "")).stdout).toContain(`"${TABS}"`);
    expect((await run("news")).stdout).toContain(
      `undo: engramd forget ${story.topics(SHOP)[0]} --project ${SHOP}`,
    );
    expect(await json("news")).toMatchObject({ v: 1, projects: [] });
    expect(await run("why", "nothing-here")).toMatchObject({ code: 1, stdout: "" });
    expect(await run("cancel", "20260505T090000000-00000000")).toMatchObject({ code: 5 });
    expect((await run("ignore", ONE)).stdout).toContain("removed ");
    expect(story.topics(SHOP)).toEqual([]);
  });
});
