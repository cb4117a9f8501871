// What a backfill gives a model: everything only rules have read, each message once, no memory twice.
import { appendFileSync, readFileSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SyncReport, SyncRequest } from "../../src/domain/service.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { newPartOf, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

const TAX = "/home/ana/tax";
const ALL: SyncRequest = { backfillDays: "all" };
let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
});
afterEach(() => stub.close());

/** From now on, a model reads. */
function chooseModel(story: Story, more: object = {}): void {
  story.config({ provider: "local", baseUrl: stub.url, ...more });
}

function chooseRules(story: Story): void {
  story.config({ provider: "offline" });
}

/** What the requests from number `from` on showed as new. */
function shown(from = 0): string {
  return stub.requests.slice(from).map(newPartOf).join("\n");
}

function times(text: string, word: string): number {
  return text.split(word).length - 1;
}

function typedIn(report: SyncReport): number | undefined {
  return report.agents["claude-code"]?.typedMessages;
}

function daysOld(days: number, path: string): void {
  const at = Date.now() / 1000 - days * 86_400;
  utimesSync(path, at, at);
}

/** Every file of a memory folder with its text. */
function folder(story: Story, cwd = SHOP): Record<string, string> {
  const dir = story.memoryDir(cwd);
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), "utf8")]));
}

describe("a backfill by a model", () => {
  it("reads what only rules have read, once, and saves nothing a second time", async () => {
    const story = createStory();
    const session = createTranscript({ cwd: SHOP }).user(RELEASE).assistant("Noted.");
    session.user("The staging database is slow on Mondays.").assistant("I see.");
    story.transcript(SHOP, S1, session.text());
    const rules = await story.sync();
    chooseModel(story);
    const unasked = await story.sync();
    expect(unasked.runs).toEqual([]);

    const first = await story.sync(ALL);
    const after = folder(story);
    const second = await story.sync(ALL);

    expect(rules.memories.created).toBe(1);
    expect(stub.requests).toHaveLength(1);
    for (const words of ["staging database", "release branch"]) expect(shown()).toContain(words);
    expect(first).toMatchObject({
      sessions: { new: 1, processed: 1 },
      memories: { created: 0, confirmed: 0 },
    });
    expect(second).toMatchObject({ records: 0, runs: [], sessions: { new: 0, processed: 0 } });
    expect(folder(story)).toEqual(after);
    expect([typedIn(rules), typedIn(first), typedIn(second)]).toEqual([2, 2, 2]);
    expect(first.damagedLines).toBe(0);
  });

  it("keeps a model from saving under another name what the rules have saved", async () => {
    const story = createStory();
    const rule = "Remember that we squash commits before merging, the history is unreadable otherwise.";
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(rule).assistant("Noted.").text());
    await story.sync();
    chooseModel(story);
    const before = folder(story);
    stub.reply(write(recordIdOf(1), rule));

    await story.sync(ALL);

    expect(shown()).toContain("squash commits");
    expect(folder(story)).toEqual(before);
    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("lets the model save what the rules did not understand, beside what they had saved", async () => {
    const story = createStory();
    const rule = "Please squash commits before merging, the history is unreadable otherwise.";
    const session = createTranscript({ cwd: SHOP }).user(RELEASE).assistant("Noted.");
    story.transcript(SHOP, S1, session.user(rule).assistant("Sure.").text());
    await story.sync();
    chooseModel(story);
    const [before] = story.topics(SHOP);
    stub.reply(write(recordIdOf(3), rule));

    const report = await story.sync(ALL);

    expect(report.memories).toMatchObject({ created: 1, updated: 0, refused: [] });
    expect(new Set(story.topics(SHOP))).toEqual(new Set([before, "feedback_squash.md"]));
  });

  it("shows words that stand in a fork as well only once, and still reads the fork's own", async () => {
    const story = createStory();
    const parent = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    story.transcript(SHOP, S1, parent.text());
    const fork = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2) })
      .user(TABS)
      .assistant("Noted.");
    story.transcript(SHOP, S2, fork.user(MOCKS).assistant("Noted.").text());
    const rules = await story.sync();
    chooseModel(story);

    const report = await story.sync(ALL);
    const second = await story.sync(ALL);

    expect(times(shown(), "tabs for indentation")).toBe(1);
    expect(times(shown(), "real database")).toBe(1);
    expect(typedIn(report)).toBe(typedIn(rules));
    expect(second.runs).toEqual([]);
  });

  it("does not send words a fork repeats from before the model was chosen until it is asked to", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.").text());
    await story.sync();
    chooseModel(story);
    const fork = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2) })
      .user(TABS)
      .assistant("Noted.");
    story.transcript(SHOP, S2, fork.user(MOCKS).assistant("Noted.").text());
    await story.sync();
    expect(stub.requests).toHaveLength(1);
    expect(shown()).not.toContain("tabs for indentation");

    await story.sync(ALL);

    expect(times(shown(1), "tabs for indentation")).toBe(1);
    expect(times(shown(), "real database")).toBe(1);
    expect((await story.sync(ALL)).runs).toEqual([]);
  });

  it("reads the rest where a model began, rules went on and a model comes back", async () => {
    const story = createStory();
    chooseModel(story, { firstStart: { backfillDays: { model: 36_500 } } });
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    const path = story.transcript(SHOP, S1, session.text());
    await story.sync();
    chooseRules(story);
    const length = session.text().length;
    appendFileSync(path, session.user(MOCKS).assistant("Noted.").text().slice(length));
    await story.sync();
    chooseModel(story);
    const longer = session.text().length;
    appendFileSync(path, session.user(RELEASE).assistant("Noted.").text().slice(longer));
    await story.sync();
    expect(stub.requests).toHaveLength(2);
    expect(shown()).not.toContain("real database");

    const report = await story.sync(ALL);
    const second = await story.sync(ALL);

    expect(stub.requests).toHaveLength(3);
    for (const words of ["tabs for indentation", "real database", "release branch"]) {
      expect(times(shown(), words)).toBe(1);
    }
    expect(typedIn(report)).toBe(3);
    expect(second.runs).toEqual([]);
    expect(report.memories.created).toBe(0);
  });

  it("goes on after a failure with the messages the model has not seen", async () => {
    const story = createStory();
    const session = createTranscript({ cwd: SHOP });
    for (let turn = 0; turn < 120; turn++) {
      session.user(`Turn ${turn}: ${"please look at this part of the page ".repeat(22)}`).assistant("Done.");
    }
    story.transcript(SHOP, S1, session.raw("{ torn").text());
    const rules = await story.sync();
    chooseModel(story);
    stub.reply({ blocks: ["Nothing."] }, { status: 529, error: { type: "overloaded_error" } });
    await story.sync(ALL);
    const sent = stub.requests.length;

    const report = await story.sync();

    const turns = [...stub.requests.slice(0, sent - 1), ...stub.requests.slice(sent)]
      .flatMap((request) => [...newPartOf(request).matchAll(/Turn (\d+):/gu)])
      .map(([, turn]) => Number(turn));
    expect(turns).toEqual(Array.from({ length: 120 }, (_, turn) => turn));
    expect(report.agents).toEqual(rules.agents);
    expect((await story.sync(ALL)).runs).toEqual([]);
  });

  it("asked for while the model reads the end of that session still reads the rest of it", async () => {
    const story = createStory();
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    const path = story.transcript(SHOP, S1, session.text());
    await story.sync();
    chooseModel(story);
    await story.sync();
    const length = session.text().length;
    appendFileSync(path, session.user(MOCKS).assistant("Noted.").text().slice(length));
    stub.reply({ blocks: ["Nothing to keep."], delayMs: 500 });

    await story.inside(async ({ parts, service }) => {
      await parts.rounds.run(new AbortController().signal);
      parts.due(story.memoryDir(SHOP), { trigger: "quiet-over", now: true });
      await stub.request(0);
      await service.sync(ALL);
    });

    expect(newPartOf(await stub.request(0))).not.toContain("tabs for indentation");
    for (const words of ["tabs for indentation", "real database"]) expect(times(shown(), words)).toBe(1);
    expect((await story.sync(ALL)).runs).toEqual([]);
  });

  it("reads them where they stand now, when the session has moved meanwhile", async () => {
    const story = createStory();
    const text = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.").text();
    const path = story.transcript(SHOP, S1, text);
    await story.sync();
    chooseModel(story);
    rmSync(path);
    story.transcript(`${SHOP}/moved`, S1, text);
    const moved = await story.sync();
    expect(stub.requests).toEqual([]);

    const report = await story.sync(ALL);

    expect(times(shown(), "tabs for indentation")).toBe(1);
    expect(report.agents).toEqual(moved.agents);
    expect((await story.sync(ALL)).runs).toEqual([]);
  });

  it("has nothing to do with new words in a file that became shorter: the model reads those unasked", async () => {
    const story = createStory();
    const long = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted. ".repeat(500));
    const path = story.transcript(SHOP, S1, long.text());
    await story.sync();
    const short = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    story.transcript(SHOP, S1, short.text());
    await story.sync();
    chooseModel(story);
    const length = short.text().length;
    appendFileSync(path, short.user(MOCKS).assistant("Noted.").text().slice(length));

    await story.sync();

    expect(times(shown(), "real database")).toBe(1);
  });

  it("nor in one that was rewritten as a longer one, however many jobs that takes", async () => {
    const story = createStory();
    const talk = (firstNumber: number, word: string) => {
      const session = createTranscript({ cwd: SHOP, firstNumber });
      for (let turn = 0; turn < 200; turn++) {
        session.user(`${word} ${turn}: ${"please look at this part ".repeat(30)}`).assistant("Done.");
      }
      return session.text();
    };
    story.transcript(SHOP, S1, talk(1, "Before"));
    await story.sync();
    chooseModel(story);
    story.transcript(SHOP, S1, talk(1_001, "Turn") + talk(2_001, "Then"));

    const report = await story.sync();

    expect(report.runs.length).toBeGreaterThan(1);
    expect(shown().match(/Turn \d+:/gu)).toHaveLength(200);
    expect(shown().match(/Then \d+:/gu)).toHaveLength(200);
    expect(shown()).not.toContain("Before");
  });

  it("is over with the end of the file: a later rewrite shows the model nothing old", async () => {
    const story = createStory();
    const old = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 60 }).user(MOCKS);
    daysOld(20, story.transcript(SHOP, S2, old.assistant("Noted.").text()));
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted. ".repeat(500));
    story.transcript(SHOP, S1, session.text());
    await story.sync(ALL);
    chooseModel(story);
    await story.sync({ backfillDays: 7 });
    expect(times(shown(), "tabs for indentation")).toBe(1);

    const rewritten = old.user(RELEASE).assistant("Noted.");
    story.transcript(SHOP, S1, rewritten.text());
    await story.sync();

    expect(times(shown(1), "release branch")).toBe(1);
    expect(shown()).not.toContain("real database");
  });

  it("keeps what follows off the record from the model, and shows what stands before it", async () => {
    const story = createStory();
    const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    session.user("Off the record from here on: I leave in May.").assistant("Understood.");
    session.user("Remember that I will move to Lisbon.").assistant("Nice.");
    story.transcript(SHOP, S1, session.text());
    await story.sync();
    chooseModel(story);

    await story.sync(ALL);

    const sent = JSON.stringify(stub.requests.map(({ body }) => body));
    expect(sent).toContain("tabs for indentation");
    for (const word of ["leave in May", "Lisbon"]) expect(sent).not.toContain(word);
  });

  it("of one project leaves the words of every other one where they are", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.").text());
    const other = createTranscript({ cwd: TAX, sessionId: sessionIdOf(2), firstNumber: 60 });
    story.transcript(TAX, S2, other.user(MOCKS).assistant("Noted.").text());
    await story.sync();
    chooseModel(story);

    await story.sync({ ...ALL, project: SHOP });
    await story.sync();

    expect(shown()).toContain("tabs for indentation");
    expect(shown()).not.toContain("real database");
    await story.sync(ALL);
    expect(times(shown(), "real database")).toBe(1);
    expect(times(shown(), "tabs for indentation")).toBe(1);
  });

  it("of one project leaves passed over what turns out to be another one's", async () => {
    const story = createStory();
    const mine = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    daysOld(20, story.transcript(SHOP, S1, mine.text()));
    const other = createTranscript({ cwd: TAX, sessionId: sessionIdOf(2), firstNumber: 60 }).user(MOCKS);
    daysOld(20, story.transcript(TAX, S2, other.assistant("Noted.").text()));
    chooseModel(story);

    await story.sync({ ...ALL, project: SHOP });
    await story.sync();

    expect(times(shown(), "tabs for indentation")).toBe(1);
    expect(shown()).not.toContain("real database");
  });

  it("of some days leaves older sessions to the rules", async () => {
    const story = createStory();
    const path = story.transcript(
      SHOP,
      S1,
      createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.").text(),
    );
    daysOld(20, path);
    await story.sync(ALL);
    chooseModel(story);

    await story.sync({ backfillDays: 7 });
    expect(stub.requests).toEqual([]);
    await story.sync({ backfillDays: 30 });

    expect(times(shown(), "tabs for indentation")).toBe(1);
  });
});

function write(recordId: string, quote: string): StubReply {
  return { blocks: [squashWrite(recordId, { evidence: [{ recordId, quote }] })] };
}
