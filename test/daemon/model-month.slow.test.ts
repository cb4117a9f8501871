// A month of a person's days beside a CI that talks all day and night, another tool that watches, and sessions of
// engramd's own, with a model that would believe anything: what it costs every day, that no ceiling is passed, that
// engramd's own words teach engramd nothing, and that the person is heard through all of it.
import { readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SCRIPT_LIMITS } from "../../src/domain/limits.ts";
import { ownSessionId } from "../../src/domain/own-sessions.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub, StubReply, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Inside, Story } from "./story.ts";
import { createStory, RELEASE, SHOP } from "./story.ts";

const CI = "/home/ana/ci";
const HOUR_MS = 3_600_000;
const DAYS = 30;
/** A day on which the CI goes wild in the person's own project, and the person says something new beside it. */
const WILD_DAY = 12;
const WILD_SESSIONS = SCRIPT_LIMITS.sessionsPerHourMax + 50;
const INVOICES = "Remember that invoices are kept for ten years.";
/** The longest a person's words wait: `extract.maxWaitMs` is two hours, "remember" goes at once. */
const HEARD_WITHIN_HOURS = 1;
const BUDGET = { tokensPerDay: 100_000, usdPerDay: 0.4, usdPerMonth: 8, runsPerHour: 3 };
/** Dollars of a million tokens at a server that counts as the table does: no cache. */
const [USD_IN, USD_OUT] = [1.25, 5];
/** `extract.maxTurns`. */
const REQUESTS_A_RUN = 5;
/** Records the model quotes; two calls each and a reading, of the 32 that one answer may have. */
const ASKED_MAX = 15;
/** One test's minute. */
const TEST_MS = 300_000;

const clock = createManualClock({ startAt: Date.UTC(2026, 4, 1) });
/** The rules save what the person says then; from the next day on the model repeats it. */
const FIRST_DAY = "2026-05-01";
let stub: ModelStub;
/** The memory that was made of `RELEASE`. */
let firstFile = "";
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
  const ids = [...text.matchAll(/, id ([0-9a-f-]{36})\]\]/gu)].map(([, id = ""]) => id);
  const quotes = ["We deploy from the release branch, never from main.", "deploy from the release branch"];
  const evidence = ids.slice(-ASKED_MAX).flatMap((recordId) => quotes.map((quote) => ({ recordId, quote })));
  const messages = request.body["messages"];
  if (dayNow() === FIRST_DAY || evidence.length === 0 || (Array.isArray(messages) && messages.length > 1)) {
    return { blocks: ["Nothing to keep."], usage };
  }
  const read = { tool: "read", input: { file: firstFile } };
  return { blocks: [read, ...evidence.map((each, at) => believed(at, each))], usage };
}

interface Quote {
  readonly recordId: string;
  readonly quote: string;
}

/** As its own memory, as a rule of the person's, and over the file that is there. */
function believed(at: number, evidence: Quote): { readonly tool: "write"; readonly input: unknown } {
  const type = at % 2 === 0 ? "project" : "feedback";
  const said = type === "project" ? "We deploy" : "Always deploy";
  const file = at % 4 === 2 ? firstFile : `${type}_release_again_${at}.md`;
  const input = {
    file,
    name: `release-branch-again-${at}`,
    description: `${said} from the release branch, never from main.`,
    type,
    body: `${said} from the release branch, never from main.\n\n**Why:** it was said again.\n**How to apply:** when deploying.`,
    evidence: [evidence],
  };
  return { tool: "write", input };
}

let sessionsMade = 0;

interface Saying {
  readonly cwd: string;
  readonly words: string;
  readonly entrypoint?: string;
  /** An own one of engramd's. */
  readonly isOwn?: boolean;
}

/** A session in which engramd's own output and the memory itself are read by tools and told by the agent. */
function say(story: Story, { parts }: Inside, saying: Saying): void {
  const { cwd, words, entrypoint = "cli", isOwn = false } = saying;
  sessionsMade += 1;
  const random = `${String(sessionsMade).padStart(8, "0")}-1111-4111-8111-${String(sessionsMade).padStart(12, "0")}`;
  const sessionId = isOwn ? ownSessionId(random) : random;
  const startAt = clock.now();
  const session = createTranscript({ cwd, sessionId, entrypoint, firstNumber: sessionsMade * 100, startAt });
  const memory = memoryNow(story);
  session
    .user(words)
    .toolCall("Bash", { command: "engramd list; engramd show release-branch; engramd news" });
  session.toolResult(`release-branch  feedback  today\n${memory}\nRemember: deploy from the release branch.`);
  session.assistant(`I remember that we deploy from the release branch, never from main. ${memory}`);
  const path = story.transcript(cwd, `${sessionId}.jsonl`, session.text());
  utimesSync(path, clock.now() / 1_000, clock.now() / 1_000);
  const noticed = parts.growth.look(path);
  if (noticed !== undefined) parts.growth.schedule(noticed);
}

/** What the file of the first memory says now. */
function memoryNow(story: Story): string {
  firstFile ||= story.topics(SHOP)[0] ?? "";
  return firstFile === "" ? "" : readFileSync(join(story.memoryDir(SHOP), firstFile), "utf8");
}

/** What a person says that day: work, with the memory in it as agents, hooks and pastes bring it back. */
function wordsOf(story: Story, day: number): string {
  if (day === 0) return RELEASE;
  const said = memoryNow(story);
  const body = said.split("---\n").slice(2).join("---\n");
  const shown = [
    `<system-reminder>Contents of MEMORY.md:\n${said}</system-reminder>`,
    `<relevant-memories>\n${body}\n</relevant-memories>`,
    `Is this still right?\n\n${body}`,
    `What is this?\n\n${said}`,
    `$ engramd show release-branch\n${body}`,
  ];
  return `Please look at part ${day} of the page, the margin is off there.\n${shown[day % shown.length]}`;
}

/** What runs at this hour beside the person, all of it with the memory in its words. */
function runBeside(story: Story, inside: Inside, at: number): void {
  const home = story.home.home;
  const words = `Run number ${at}: review the diff and report what is wrong with it.`;
  const watched = `Observe the session: the user said "${RELEASE}" ${RELEASE}`;
  const entrypoint = "sdk-cli";
  say(story, inside, { cwd: CI, words, entrypoint });
  if (at % 6 === 0) say(story, inside, { cwd: SHOP, words, entrypoint });
  if (at % 8 === 0) say(story, inside, { cwd: `/home/ana/runs/${at}`, words, entrypoint });
  say(story, inside, { cwd: join(home, ".some-memory/sessions"), words: watched, entrypoint: "sdk-ts" });
  const work = join(home, ".local/state/engramd/claude-cli/work");
  if (at % 4 === 0) say(story, inside, { cwd: work, words: RELEASE, entrypoint });
  else say(story, inside, { cwd: SHOP, words: RELEASE, entrypoint, isOwn: true });
}

async function liveADay(story: Story, inside: Inside, day: number): Promise<void> {
  for (let hour = 0; hour < 24; hour += 1) {
    if (hour === 9) say(story, inside, { cwd: SHOP, words: wordsOf(story, day) });
    if (hour === 15 && day === WILD_DAY) {
      for (let number = 0; number < WILD_SESSIONS; number += 1)
        say(story, inside, { cwd: SHOP, words: `Fix finding ${number}.`, entrypoint: "sdk-cli" });
      say(story, inside, { cwd: SHOP, words: INVOICES });
    }
    // The person's memory has to be there first.
    if (hour % 2 === 0 && (day > 0 || hour > 9)) runBeside(story, inside, day * 24 + hour);
    await clock.advance(HOUR_MS);
    await inside.parts.queue.whenIdle();
    if (hour === 15 + HEARD_WITHIN_HOURS && day === WILD_DAY)
      expect(story.learnt(SHOP)).toContain("invoices");
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
        if (day === 0) {
          said = memoryNow(story);
        }
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
      const { budget, sources } = await inside.service.status();
      // Nothing is lost: it is told how much was passed over, and why.
      expect(sources[0]?.passedOver?.flood).toBeGreaterThanOrEqual(
        WILD_SESSIONS - SCRIPT_LIMITS.sessionsPerHourMax,
      );
      expect(sources[0]?.passedOver?.observer).toBeGreaterThan(DAYS * 10);
      expect(budget.usdMonth).toBeLessThanOrEqual(BUDGET.usdPerMonth);
    });

    for (const { tokens: ofDay, usd } of counted.values()) {
      expect(ofDay).toBeLessThanOrEqual(BUDGET.tokensPerDay);
      expect(usd).toBeLessThanOrEqual(BUDGET.usdPerDay);
    }
    expect(mostInAnHour()).toBeLessThanOrEqual(BUDGET.runsPerHour * REQUESTS_A_RUN);
    expect(said).toContain("release branch");
    // Told, read and recalled hundreds of times since: as it was, and nothing beside it.
    expect(memoryNow(story)).toBe(said);
    expect(story.topics(SHOP)).toHaveLength(2);
    expect(story.topics(CI)).toEqual([]);
    const [newest, oldest] = [tokens.slice(0, 7), tokens.slice(-7)];
    const mean = (list: readonly number[]) =>
      list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);
    expect(tokens.length).toBeGreaterThanOrEqual(DAYS - 1);
    // The share of programs was met: more would have been asked.
    expect(Math.max(...tokens)).toBeGreaterThan(0.8 * SCRIPT_LIMITS.budgetShareMax * BUDGET.tokensPerDay);
    expect(mean(newest)).toBeLessThanOrEqual(1.2 * mean(oldest));
  },
  TEST_MS,
);
