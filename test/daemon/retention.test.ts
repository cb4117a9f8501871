// Stories about transcripts their agent is about to delete: they are read before all others, by rules, and once.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Status } from "../../src/domain/status.ts";
import { createTranscript, recordIdOf } from "../helpers/claude-transcript.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, SHOP } from "./story.ts";

const DAY_S = 86_400;
const ALL = { backfillDays: "all" } as const;

interface Session {
  readonly ageDays: number;
  readonly cwd?: string;
  readonly text?: string;
}

/** One finished turn, last written so long ago; answers its path. */
function session(
  story: Story,
  number: number,
  { ageDays, cwd = SHOP, text = "a question" }: Session,
): string {
  const sessionId = recordIdOf(9_000 + number);
  const turn = createTranscript({ cwd, sessionId, firstNumber: number * 10 })
    .user(text)
    .assistant("ok");
  const path = story.transcript(cwd, `${sessionId}.jsonl`, turn.text());
  const at = Date.now() / 1000 - ageDays * DAY_S;
  utimesSync(path, at, at);
  return path;
}

function settings(story: Story, value: object, file = join(story.home.home, ".claude/settings.json")): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

const statusOf = (story: Story): Promise<Status> => story.ask((service) => service.status());

/** Paths in the order in which they were read. */
async function readBy(story: Story, request: Parameters<Story["sync"]>[0] = {}): Promise<string[]> {
  return story.inside(async ({ service, events }) => {
    await service.sync(request);
    return events.seen("turns:read").map(({ path }) => path);
  });
}

describe("at the first start", () => {
  it("reads what is young and what is about to be deleted, and passes over what lies between", async () => {
    const story = createStory();
    const young = session(story, 1, { ageDays: 1 });
    session(story, 2, { ageDays: 15 });
    const ending = session(story, 3, { ageDays: 25, text: MOCKS });

    const read = await readBy(story);

    expect(read.toSorted()).toEqual([young, ending].toSorted());
    expect(story.topics(SHOP)).toHaveLength(1);
    expect((await statusOf(story)).sources[0]?.expiringSessions).toBe(0);
  });

  it("leaves it to the person who wants no old sessions, and says what will be lost", async () => {
    const story = createStory();
    story.config({ firstStart: { backfillDays: { offline: 0 } } });
    session(story, 1, { ageDays: 29.5 });

    expect(await readBy(story)).toEqual([]);
    const status = await statusOf(story);

    expect(status.sources[0]?.expiringSessions).toBe(1);
    expect(status.warnings).toEqual([]);
  });

  it("goes by cleanupPeriodDays of the agent's settings", async () => {
    const story = createStory();
    settings(story, { cleanupPeriodDays: 20 });
    const ending = session(story, 1, { ageDays: 14 });
    session(story, 2, { ageDays: 9 });

    expect(await readBy(story)).toEqual([ending]);

    const patient = createStory();
    settings(patient, { cleanupPeriodDays: 365 });
    session(patient, 1, { ageDays: 29 });

    expect(await readBy(patient)).toEqual([]);
  });

  it("sends none of it to a model, which reads it when a person asks for a backfill", async () => {
    const stub = await startModelStub();
    const story = createStory();
    story.config({ provider: "local", baseUrl: stub.url });
    session(story, 1, { ageDays: 29, text: MOCKS });

    await story.sync();

    expect(stub.requests).toEqual([]);
    expect(story.topics(SHOP)).toHaveLength(1);
  });
});

describe("later", () => {
  it("an old session that was passed over is read before its agent deletes it, once", async () => {
    const story = createStory();
    const path = session(story, 1, { ageDays: 15, text: MOCKS });
    session(story, 2, { ageDays: 1 });
    await story.sync();
    settings(story, { cleanupPeriodDays: 16 });
    expect((await statusOf(story)).sources[0]?.expiringSessions).toBe(1);

    expect(await readBy(story)).toEqual([path]);
    expect(await readBy(story)).toEqual([]);

    expect((await statusOf(story)).sources[0]?.expiringSessions).toBe(0);
    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("a project's own settings decide over those of the home", async () => {
    const story = createStory();
    const cwd = story.home.folder.folder("home/work");
    const path = session(story, 1, { ageDays: 15, cwd });
    await story.sync();
    settings(story, { cleanupPeriodDays: 365 });
    await story.sync(ALL);
    writeFileSync(path, createTranscript({ cwd, firstNumber: 90 }).user("new words").text(), { flag: "a" });
    settings(story, { cleanupPeriodDays: 1 }, join(cwd, ".claude/settings.local.json"));

    await story.sync({ dryRun: true });

    expect((await statusOf(story)).sources[0]?.expiringSessions).toBe(1);
    expect((await statusOf(story)).warnings.map(({ code }) => code)).toContain("sessions-expiring");
  });
});

describe("a backfill of many sessions", () => {
  it("reads projects with expiring sessions first, the soonest before all, then the newest", async () => {
    const story = createStory();
    story.config({ concurrency: 1, firstStart: { backfillDays: { offline: 0 } } });
    const ages = [3, 26, 10, 1, 29, 18, 5, 24];
    const cwdOf = (at: number) => `/home/ana/project-${at}`;
    for (const [at, ageDays] of ages.entries()) session(story, at + 1, { ageDays, cwd: cwdOf(at) });
    await story.sync();

    const read = await readBy(story, ALL);

    const order = read.map((path) => ages[Number(/project-(\d)/.exec(path)?.[1])]);
    expect(order).toEqual([29, 26, 24, 1, 3, 5, 10, 18]);
  });

  it("in one project reads from the oldest on, so that what expires comes first there too", async () => {
    const story = createStory();
    story.config({ firstStart: { backfillDays: { offline: 0 } } });
    const paths = [29, 20, 10, 2].map((ageDays, at) => session(story, at + 1, { ageDays }));
    await story.sync();

    expect(await readBy(story, ALL)).toEqual(paths);
  });
});
