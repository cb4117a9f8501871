// Sessions that no person typed: engramd's own, other tools' observers, a CI's thousands. Known by id, folder, mark and
// rate; bounded in what is read and spent; never in the way of the person.
import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SCRIPT_LIMITS } from "../../src/domain/limits.ts";
import { ownSessionId } from "../../src/domain/own-sessions.ts";
import { syncLines } from "../../src/cli/render/sync.ts";
import { statusLines } from "../../src/cli/render/status.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { createStory, RELEASE, S1, SHOP, type Story, TABS } from "./story.ts";

const PAGE = { width: 200, now: 0 };
const UUID = "12345678-1234-4234-8234-123456789abc";
/** Two a folder and hour more than are looked into. */
const { sessionsPerHourMax: MOST, foldersPerDayMax: FOLDERS } = SCRIPT_LIMITS;

let made = 0;
beforeEach(() => void (made = 0));

interface Session {
  readonly cwd: string;
  readonly words?: string;
  readonly sessionId?: string;
  readonly entrypoint?: string;
}

/** A session of a program; answers its path. */
function scripted(story: Story, session: Session): string {
  made += 1;
  const { cwd, words = TABS, entrypoint = "sdk-ts" } = session;
  const sessionId = session.sessionId ?? `${String(made).padStart(8, "0")}-2222-4222-8222-222222222222`;
  const transcript = createTranscript({ cwd, sessionId, entrypoint, firstNumber: made * 10 });
  return story.transcript(cwd, `${sessionId}.jsonl`, transcript.user(words).assistant("Done.").text());
}

const known = (story: Story) =>
  story.inside(async ({ parts }) => parts.places.known().map(({ root }) => root));

describe("engramd's own sessions", () => {
  it.each([
    ["by their id", "/home/ana/shop", ownSessionId(UUID)],
    [
      "by their id, where the state folder was before it was moved",
      "/old/state/engramd/claude-cli/work",
      ownSessionId(UUID),
    ],
  ])("are known %s", async (_how, cwd, sessionId) => {
    const story = createStory();
    story.config({ extract: { headless: true } });
    scripted(story, { cwd, sessionId, entrypoint: "cli" });

    const report = await story.sync();
    const all = await story.sync({ backfillDays: "all" });

    for (const { memories, agents } of [report, all]) {
      expect(memories).toMatchObject({ created: 0, candidates: 0 });
      expect(agents["claude-code"]?.sessions ?? 0).toBe(0);
    }
    expect(await known(story)).toEqual([]);
  });

  it.each([false, true])(
    "are known by their folder, whatever their id (state behind a link: %s)",
    async (linked) => {
      const home = createScratchHome();
      const state = join(home.env["XDG_STATE_HOME"] ?? "", "engramd");
      const real = linked ? home.folder.folder("elsewhere") : state;
      mkdirSync(dirname(state), { recursive: true });
      if (linked) symlinkSync(real, state);
      const story = createStory({}, undefined, home);
      story.config({ extract: { headless: true } });
      scripted(story, { cwd: join(real, "claude-cli/work") });

      const report = await story.sync();

      expect(report.memories).toMatchObject({ created: 0, candidates: 0 });
      expect(await known(story)).toEqual([]);
    },
  );
});

describe("sessions of other tools that watch", () => {
  const watching = (story: Story) => join(story.home.home, ".some-memory/observer-sessions");

  it("are not looked into, also where programs may teach, and count as programs", async () => {
    const story = createStory();
    story.config({ extract: { headless: true } });
    scripted(story, { cwd: watching(story) });
    scripted(story, { cwd: join(story.home.home, ".local/share/watcher") });

    const report = await story.sync();
    const all = await story.sync({ backfillDays: "all" });

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 0, headlessSessions: 2 });
    expect(report.passedOver).toEqual({ flood: 0, observer: 2 });
    for (const { memories } of [report, all]) expect(memories).toMatchObject({ created: 0, candidates: 0 });
    expect(await known(story)).toEqual([]);
    const told = syncLines(report, PAGE)
      .flat()
      .map(({ text }) => text)
      .join("\n");
    expect(told).toContain("2 sessions of other tools' own programs passed over");
  });

  it.each([
    ["a person types there", { entrypoint: "cli" }, false],
    ["it is a repository", {}, true],
  ])("are read where %s", async (_why, session, isRepository) => {
    const story = createStory();
    story.config({ extract: { headless: true } });
    const cwd = watching(story);
    if (isRepository) mkdirSync(join(cwd, ".git"), { recursive: true });
    scripted(story, { cwd, ...session });

    expect((await story.sync()).memories).toMatchObject({ created: 1 });
  });
});

describe("a flood of programs' sessions", () => {
  it("is read up to a bound, told with its number, and read when a person asks", async () => {
    const story = createStory();
    for (let number = 0; number < MOST + 2; number += 1) scripted(story, { cwd: SHOP });
    const mine = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(1) })
      .user(RELEASE)
      .assistant("ok");
    story.transcript(SHOP, S1, mine.text());

    const report = await story.sync();
    const status = await story.ask((service) => service.status());
    const why = await story.ask((service) =>
      service.why({ what: `${String(MOST + 1).padStart(8, "0")}-2222`, project: SHOP }),
    );
    const all = await story.sync({ backfillDays: "all" });

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, headlessSessions: MOST + 2 });
    expect(report.passedOver).toEqual({ flood: 2, observer: 0 });
    expect(report.memories).toMatchObject({ created: 1 });
    expect(report.skipped).toHaveLength(MOST);
    expect(status.sources[0]).toMatchObject({ headlessSessions: MOST + 2, passedOver: { flood: 2 } });
    const told = statusLines(status, PAGE)
      .flat()
      .map(({ text }) => text)
      .join("\n");
    expect(told).toContain(
      "2 sessions of programs passed over, too many at once: engramd sync --backfill all",
    );
    expect(why).toMatchObject({ messages: [{ outcome: "skipped", reason: { code: "flood" } }] });
    expect(all.passedOver).toBeUndefined();
    expect(all.agents["claude-code"]).toMatchObject({ sessions: 1, headlessSessions: MOST + 2 });
  });

  it("makes no more projects than a day has room for", async () => {
    const story = createStory();
    for (let number = 0; number < FOLDERS + 3; number += 1) scripted(story, { cwd: `/tmp/run-${number}` });

    const report = await story.sync();

    expect(report.passedOver).toEqual({ flood: 3, observer: 0 });
    expect(await known(story)).toHaveLength(FOLDERS);
  });

  it("stays passed over while it grows, until a person goes on in it", async () => {
    const story = createStory();
    const paths = Array.from({ length: MOST + 1 }, () => scripted(story, { cwd: SHOP }));
    await story.sync();
    const passed = await story.inside(async ({ parts }) =>
      [...parts.catalog.states()].filter(({ passedWhy }) => passedWhy === "flood").map(({ path }) => path),
    );
    const [path = ""] = passed;
    const later = (entrypoint: string, firstNumber: number, words: string) =>
      createTranscript({ cwd: SHOP, entrypoint, firstNumber }).user(words).assistant("Done.").text();

    appendFileSync(path, later("sdk-ts", 90_001, "More of it."));
    const grown = await story.sync();
    appendFileSync(path, later("cli", 90_011, RELEASE));
    const typed = await story.sync();
    appendFileSync(path, later("cli", 90_021, "Remember that the tax is rounded per line."));
    const more = await story.sync();

    expect(passed).toHaveLength(1);
    expect(paths).toContain(path);
    expect(grown).toMatchObject({ passedOver: { flood: 1 }, memories: { created: 0 } });
    expect(typed.memories).toMatchObject({ created: 1 });
    expect(more.memories).toMatchObject({ created: 1 });
  });
});

describe("programs beside a person", () => {
  it("do not make the person wait for their quiet", async () => {
    const clock = createManualClock({ startAt: Date.UTC(2026, 4, 1) });
    const story = createStory({}, clock);
    await story.inside(async ({ parts }) => {
      const look = (path: string) => {
        const noticed = parts.growth.look(path);
        if (noticed !== undefined) parts.growth.schedule(noticed);
      };
      const mine = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(1) })
        .user(TABS)
        .assistant("ok");
      look(story.transcript(SHOP, S1, mine.text()));
      for (let seconds = 0; seconds < 25; seconds += 5) {
        look(scripted(story, { cwd: SHOP, words: "Review the diff." }));
        await clock.advance(5_000);
      }
      await parts.queue.whenIdle();
    });

    expect(story.topics(SHOP)).toHaveLength(1);
  });
});

describe("programs that a model may read", () => {
  let stub: ModelStub;
  beforeEach(async () => {
    stub = await startModelStub();
  });
  afterEach(() => stub.close());

  it("leave half of each ceiling to people, and what they leave out is read when a person asks", async () => {
    const story = createStory({ ANTHROPIC_API_KEY: "k".repeat(20) });
    const budget = { tokensPerDay: 100_000, usdPerDay: 100, usdPerMonth: 100, runsPerHour: 100 };
    const extract = { headless: true, minNewTokens: 0 };
    const firstStart = { backfillDays: { model: 36_500 } };
    story.config({ provider: "anthropic", baseUrl: stub.url, extract, budget, firstStart });
    stub.otherwise({ blocks: ["Nothing."], usage: { input_tokens: 9_000, output_tokens: 100 } });
    for (let number = 0; number < 12; number += 1)
      scripted(story, { cwd: SHOP, words: `Review part ${number}.` });
    await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await parts.rounds.run(new AbortController().signal);
      parts.due(story.memoryDir(SHOP), { trigger: "quiet", now: false });
      await parts.queue.whenIdle();
      const asked = stub.requests.length;
      const { sources, budget: spent } = await service.status();

      expect(spent.tokensToday).toBeGreaterThan(30_000);
      expect(spent.tokensToday).toBeLessThan(60_000);
      expect(sources[0]?.passedOver).toEqual({ flood: 12 - asked, observer: 0 });

      const mine = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(1) })
        .user(RELEASE)
        .assistant("ok");
      parts.growth.look(story.transcript(SHOP, S1, mine.text()));
      parts.due(story.memoryDir(SHOP), { trigger: "quiet", now: false });
      await parts.queue.whenIdle();

      expect(stub.requests.length).toBeGreaterThan(asked);
      expect(JSON.stringify(stub.requests.at(-1)?.body)).toContain("release branch");
      expect((await service.sync({ backfillDays: "all" })).passedOver).toBeUndefined();
    });
  });

  it("are asked about after all that people said", async () => {
    const story = createStory({ ANTHROPIC_API_KEY: "k".repeat(20) });
    const extract = { headless: true, minNewTokens: 0 };
    const firstStart = { backfillDays: { model: 36_500 } };
    story.config({ provider: "anthropic", baseUrl: stub.url, extract, firstStart });
    stub.otherwise({ blocks: ["Nothing."] });
    for (let number = 0; number < 3; number += 1)
      scripted(story, { cwd: SHOP, words: `Review part ${number}.` });
    const mine = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(1) })
      .user("Fix the tax.")
      .assistant("ok");
    story.transcript(SHOP, S1, mine.text());

    await story.sync();

    expect(JSON.stringify(stub.requests[0]?.body)).toContain("Fix the tax.");
  });
});
