// A month of a person's days beside a CI that talks all day, with a model that would believe anything: what it costs every
// day, that no ceiling is passed, and that engramd's own words teach engramd nothing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub, StubReply, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Inside, Story } from "./story.ts";
import { createStory, RELEASE, SHOP } from "./story.ts";

const CI = "/home/ana/ci";
const HOUR_MS = 3_600_000;
const DAYS = 30;
const CI_RUNS_PER_DAY = 8;
const BUDGET = { tokensPerDay: 40_000, usdPerDay: 0.2, usdPerMonth: 2, runsPerHour: 3 };
/** Dollars of a million tokens at a server that counts as the table does: no cache. */
const [USD_IN, USD_OUT] = [1.25, 5];
/** `extract.maxTurns`. */
const REQUESTS_A_RUN = 5;
/** One test's minute. */
const TEST_MS = 60_000;

const clock = createManualClock({ startAt: Date.UTC(2026, 4, 1) });
let stub: ModelStub;
/** What the server counted, by day. */
const counted = new Map<string, { tokens: number; usd: number }>();
const askedAt: number[] = [];

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise(believer);
});
afterEach(() => stub.close());

function dayNow(): string {
  return new Date(clock.now()).toISOString().slice(0, 10);
}

/** Counts for itself, and proposes what it was shown of engramd's own output, as if somebody had said it. */
function believer(request: StubRequest): StubReply {
  const text = JSON.stringify(request.body);
  const tokens = { in: Math.ceil(text.length / 4), out: 120 };
  const day = counted.get(dayNow()) ?? { tokens: 0, usd: 0 };
  counted.set(dayNow(), {
    tokens: day.tokens + tokens.in + tokens.out,
    usd: day.usd + (tokens.in * USD_IN + tokens.out * USD_OUT) / 1_000_000,
  });
  askedAt.push(clock.now());
  const usage = { input_tokens: tokens.in, cache_creation_input_tokens: 0, output_tokens: tokens.out };
  const ids = [...new Set(text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/gu) ?? [])];
  const evidence = ids.slice(-3).map((recordId) => ({ recordId, quote: "deploy from the release branch" }));
  const messages = request.body["messages"];
  if (evidence.length === 0 || (Array.isArray(messages) && messages.length > 1)) {
    return { blocks: ["Nothing to keep."], usage };
  }
  const input = {
    file: "feedback_echo.md",
    name: "release-branch-again",
    description: "Deploy from the release branch",
    type: "feedback",
    body: "Always deploy from the release branch.\n\n**Why:** it was said again.\n**How to apply:** when deploying.",
    evidence,
  };
  return { blocks: [{ tool: "write", input }], usage };
}

let sessionsMade = 0;

interface Saying {
  readonly cwd: string;
  readonly words: string;
  readonly entrypoint?: string;
}

/** A session in which engramd's own output and the memory itself are read by tools and told by the agent. */
function say(story: Story, { parts }: Inside, { cwd, words, entrypoint = "cli" }: Saying): void {
  sessionsMade += 1;
  const sessionId = `${String(sessionsMade).padStart(8, "0")}-1111-4111-8111-111111111111`;
  const startAt = clock.now();
  const session = createTranscript({ cwd, sessionId, entrypoint, firstNumber: sessionsMade * 100, startAt });
  const memory = story.topics(SHOP).map((file) => readFileSync(join(story.memoryDir(SHOP), file), "utf8"));
  session
    .user(words)
    .toolCall("Bash", { command: "engramd list; engramd show release-branch; engramd news" });
  session.toolResult(
    `release-branch  feedback  today\n${memory.join("\n")}\nRemember: deploy from the release branch.`,
  );
  session.assistant(
    `I remember that we deploy from the release branch, never from main. ${memory.join(" ")}`,
  );
  const path = story.transcript(cwd, `${sessionId}.jsonl`, session.text());
  const noticed = parts.growth.look(path);
  if (noticed !== undefined) parts.growth.schedule(noticed);
}

async function liveADay(story: Story, inside: Inside, day: number): Promise<void> {
  for (let hour = 0; hour < 24; hour += 1) {
    if (hour === 9) {
      const words = day === 0 ? RELEASE : `Please look at part ${day} of the page, the margin is off there.`;
      say(story, inside, { cwd: SHOP, words });
    }
    if (hour < CI_RUNS_PER_DAY) {
      const words = `Run number ${day * 24 + hour}: review the diff and report what is wrong with it.`;
      say(story, inside, { cwd: CI, words, entrypoint: "sdk-cli" });
    }
    await clock.advance(HOUR_MS);
    await inside.parts.queue.whenIdle();
  }
}

function mostInAnHour(): number {
  const within = (from: number) => askedAt.filter((at) => at >= from && at < from + HOUR_MS).length;
  return Math.max(...askedAt.map(within));
}

it(
  "a month beside a noisy CI: tokens a day stay flat, no ceiling is passed, no memory grows by its own echo",
  async () => {
    const story = createStory({ ANTHROPIC_API_KEY: "k".repeat(20) }, clock);
    const firstStart = { backfillDays: { model: 36_500 } };
    const extract = { headless: true, minNewTokens: 0 };
    story.config({ provider: "anthropic", baseUrl: stub.url, firstStart, extract, budget: BUDGET });
    const tokens: number[] = [];
    let said = "";
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      for (let day = 0; day < DAYS; day += 1) {
        await liveADay(story, inside, day);
        if (day === 0) said = story.learnt(SHOP);
      }
      const report = await inside.service.cost({ days: 40 });
      for (const { day, inputTokens, outputTokens, usd } of report.byDay) {
        tokens.push(inputTokens + outputTokens);
        expect(inputTokens + outputTokens).toBeLessThanOrEqual(BUDGET.tokensPerDay);
        expect(usd).toBeLessThanOrEqual(BUDGET.usdPerDay);
        expect(counted.get(day)?.tokens).toBeGreaterThan(0);
      }
      // What we say it cost is no less than what the server counted.
      const server = [...counted.values()].reduce((sum, day) => sum + day.tokens, 0);
      expect(report.total.inputTokens + report.total.outputTokens).toBeGreaterThanOrEqual(server);
      const { budget } = await inside.service.status();
      expect(budget.usdMonth).toBeLessThanOrEqual(BUDGET.usdPerMonth);
    });

    for (const { tokens: ofDay, usd } of counted.values()) {
      expect(ofDay).toBeLessThanOrEqual(BUDGET.tokensPerDay);
      expect(usd).toBeLessThanOrEqual(BUDGET.usdPerDay);
    }
    expect(mostInAnHour()).toBeLessThanOrEqual(BUDGET.runsPerHour * REQUESTS_A_RUN);
    expect(said).toContain("release branch");
    // Told, read and recalled hundreds of times since: as it was, and nothing beside it.
    expect(story.learnt(SHOP)).toBe(said);
    expect(story.topics(CI)).toEqual([]);
    const [newest, oldest] = [tokens.slice(0, 7), tokens.slice(-7)];
    const mean = (list: readonly number[]) =>
      list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);
    expect(tokens.length).toBeGreaterThanOrEqual(DAYS - 1);
    // The ceiling was met: more would have been asked.
    expect(Math.max(...tokens)).toBeGreaterThan(0.6 * BUDGET.tokensPerDay);
    expect(mean(newest)).toBeLessThanOrEqual(1.2 * mean(oldest));
  },
  TEST_MS,
);
