// A backfill that meets a ceiling: what it leaves, for how much and how long, told before and after; and what scripts
// said is priced before it is read, without a trace.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SyncRequest } from "../../src/domain/service.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, SHOP } from "./story.ts";

const ALL: SyncRequest = { backfillDays: "all" };
let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
});
afterEach(() => stub.close());

function idOf(number: number): string {
  return `${String(number).padStart(8, "0")}-1111-4111-8111-111111111111`;
}

function sessions(story: Story, count: number, entrypoint = "cli"): void {
  for (let number = 1; number <= count; number += 1) {
    const options = { cwd: SHOP, sessionId: idOf(number), firstNumber: number * 100, entrypoint };
    const session = createTranscript(options).user(`Please look at part ${number} of the page.`);
    story.transcript(SHOP, `${idOf(number)}.jsonl`, session.assistant("Done.").text());
  }
}

function paid(budget: object, more: object = {}): Story {
  const story = createStory({ ANTHROPIC_API_KEY: "k".repeat(20) });
  const firstStart = { backfillDays: { model: 36_500 } };
  story.config({ provider: "anthropic", baseUrl: stub.url, firstStart, budget, ...more });
  return story;
}

it("says how many sessions remain, for how much and how many days, and reads the rest when there is room", async () => {
  const story = paid({ tokensPerDay: 30_000 });
  sessions(story, 12);

  const dry = await story.sync({ ...ALL, dryRun: true });
  expect(stub.requests).toEqual([]);
  const first = await story.sync(ALL);
  const read = stub.requests.length;
  const again = await story.sync(ALL);

  expect(read).toBeGreaterThan(3);
  expect(read).toBeLessThan(12);
  expect(first.remaining.sessions).toBe(12 - read);
  expect(first.remaining.usd).toBeGreaterThan(0);
  expect(first.remaining.days).toBeGreaterThanOrEqual(1);
  expect(again.remaining).toEqual(first.remaining);
  expect(stub.requests).toHaveLength(read);
  // The dry run knew: no later than it said, and for no more.
  expect(dry.remaining.sessions).toBeGreaterThan(0);
  expect(dry.remaining.days).toBeGreaterThanOrEqual(1);
  expect(dry.estimate?.usd).toBeGreaterThan(dry.remaining.usd);

  const budget = { tokensPerDay: 2_000_000 };
  const firstStart = { backfillDays: { model: 36_500 } };
  story.config({ provider: "anthropic", baseUrl: stub.url, firstStart, budget });
  const rest = await story.sync(ALL);
  expect(rest.remaining).toEqual({ sessions: 0, usd: 0, days: 0 });
  expect(stub.requests).toHaveLength(12);
});

it.each([
  ["a ceiling", { budget: { usdPerDay: 0 } }],
  ["a key that is missing", { apiKeyEnv: "NO_SUCH_KEY" }],
])("counts sessions that %s keeps from being read as the dry run does", async (_, more) => {
  const story = paid({}, more);
  sessions(story, 3);
  const dry = await story.sync({ ...ALL, dryRun: true });

  for (const report of [await story.sync(ALL), await story.sync(ALL)]) {
    expect(report.sessions).toEqual({ seen: 3, new: 3, processed: 0 });
    expect({ ...report.sessions, agents: report.agents }).toEqual({ ...dry.sessions, agents: dry.agents });
  }
  expect(stub.requests).toEqual([]);
});

it("asks a server that costs nothing whatever ceiling of money there is", async () => {
  const story = createStory();
  const firstStart = { backfillDays: { model: 36_500 } };
  const budget = { usdPerDay: 0, usdPerMonth: 0 };
  story.config({ provider: "local", baseUrl: stub.url, firstStart, budget });
  sessions(story, 2);

  const dry = await story.sync({ ...ALL, dryRun: true });
  const report = await story.sync(ALL);

  expect(dry.remaining.sessions).toBe(0);
  expect(report.sessions.processed).toBe(2);
  expect(report.skipped).toEqual([]);
});

it("leaves nothing where everything fits, and rules leave nothing to price", async () => {
  const story = paid({});
  sessions(story, 3);
  expect((await story.sync({ ...ALL, dryRun: true })).remaining).toEqual({ sessions: 0, usd: 0, days: 0 });
  expect((await story.sync(ALL)).remaining).toEqual({ sessions: 0, usd: 0, days: 0 });
});

it("says never, as a number, where a ceiling is nothing", async () => {
  const story = paid({ usdPerDay: 0 });
  sessions(story, 3);
  const report = await story.sync(ALL);
  expect(stub.requests).toEqual([]);
  expect(report.remaining).toMatchObject({ sessions: 3, days: 36_500 });
});

it("says never as well where a ceiling holds less than a single request may cost", async () => {
  const story = paid({ usdPerDay: 0.01 });
  sessions(story, 3);

  const report = await story.sync(ALL);

  expect(stub.requests).toEqual([]);
  expect(report.skipped).toEqual([expect.objectContaining({ reason: "over-budget" })]);
  expect(report.remaining).toMatchObject({ sessions: 3, days: 36_500 });
});

it("prices sessions of scripts within 20 %, sends nothing and changes no file outside our state", async () => {
  const story = paid({ runsPerHour: 1_000 }, { extract: { headless: true } });
  sessions(story, 8, "sdk-cli");
  const before = filesIn(story);

  const dry = await story.sync({ ...ALL, dryRun: true });

  expect(stub.requests).toEqual([]);
  expect(filesIn(story)).toEqual(before);
  const real = await story.sync(ALL);
  const tokens = real.runs.reduce((sum, run) => sum + run.inputTokens, 0);
  expect(dry.estimate?.requests).toBe(8);
  expect(stub.requests).toHaveLength(8);
  expect(Math.abs((dry.estimate?.inputTokens ?? 0) - tokens)).toBeLessThanOrEqual(0.2 * tokens);
});

/** Every file of the home but our state, with its time and bytes. */
function filesIn({ home: { home, stateDir } }: Story): Record<string, string> {
  const paths = readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => join(home, name));
  const files = paths.filter((path) => !path.startsWith(stateDir) && statSync(path).isFile());
  return Object.fromEntries(
    files.map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path, "utf8")}`]),
  );
}
