// What the last seven days would have cost with a model: the same figures as a dry run, and nothing of it stays.
import { readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ModelWeek } from "../../src/domain/model-choice.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

const DAY_MS = 86_400_000;
/** Noon: what is said within some minutes is of one day. */
const now = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;

interface Said {
  readonly name?: string;
  readonly digit?: number;
  readonly daysAgo?: number;
  readonly cwd?: string;
}

function say(
  story: Story,
  text: string,
  { name = S1, digit = 1, daysAgo = 1, cwd = SHOP }: Said = {},
): string {
  const startAt = now - daysAgo * DAY_MS;
  const session = createTranscript({ cwd, sessionId: sessionIdOf(digit), startAt, firstNumber: digit * 60 });
  const path = story.transcript(cwd, name, session.user(text).assistant("Noted.").text());
  utimesSync(path, new Date(startAt), new Date(startAt));
  return path;
}

const weekOf = (story: Story): Promise<ModelWeek> =>
  story.ask(async (service) => (await service.model()).week);

function filesIn(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return new Map(
    paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path, "utf8")]),
  );
}

it("counts sessions, projects, tokens and money, and a typical day", async () => {
  const story = createStory();
  say(story, TABS, { daysAgo: 2 });
  say(story, RELEASE, { name: S2, digit: 2, daysAgo: 1, cwd: "/home/ana/api" });

  const week = await weekOf(story);

  expect(week).toMatchObject({ days: 7, activeDays: 2, sessions: 2, requests: 2, left: 0 });
  expect(week.agents).toEqual([{ agent: "claude-code", sessions: 2, projects: ["/home/ana/api", SHOP] }]);
  expect(week.usd).toBeGreaterThan(week.inputTokens / 1_000_000);
  expect(week.day.inputTokens).toBeCloseTo(week.inputTokens / 2, -1);
  expect(week.day.usd).toBeCloseTo((week.usd ?? 0) / 2);
});

it("says what a dry run says of the same sessions, and the same after they were read", async () => {
  const story = createStory();
  say(story, TABS);
  const before = await weekOf(story);
  await story.sync();
  const after = await weekOf(story);
  story.config({ provider: "anthropic", firstStart: { backfillDays: { model: 7 } } });
  const { estimate } = await story.sync({ dryRun: true, backfillDays: "all" });

  expect(before).toMatchObject({ requests: estimate?.requests });
  // The memory that was made meanwhile is listed in the request.
  expect(Math.abs(before.inputTokens - (estimate?.inputTokens ?? 0))).toBeLessThan(200);
  expect({ ...after, inputTokens: 0, usd: 0, day: 0 }).toEqual({ ...before, inputTokens: 0, usd: 0, day: 0 });
});

it("leaves out what is older, also within a session that goes on, and counts a fork's words once", async () => {
  const story = createStory();
  say(story, RELEASE, { daysAgo: 30 });
  const old = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), startAt: now - 20 * DAY_MS });
  story.transcript(
    SHOP,
    S2,
    old
      .user(`${"An old matter. ".repeat(2_000)}`)
      .assistant("Noted.")
      .text(),
  );
  expect(await weekOf(story)).toMatchObject({ sessions: 0, requests: 0, inputTokens: 0, activeDays: 0 });

  const words = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(3), startAt: now - DAY_MS });
  const text = words.user(TABS).assistant("Noted.").text();
  story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, text);
  const one = await weekOf(story);
  story.transcript(SHOP, `${sessionIdOf(4)}.jsonl`, text.replaceAll(sessionIdOf(3), sessionIdOf(4)));

  expect(one.requests).toBe(1);
  expect(await weekOf(story)).toMatchObject({ requests: 1, inputTokens: one.inputTokens });
});

it("writes nothing, and leaves the first start as it would have been", async () => {
  const story = createStory();
  say(story, RELEASE);
  const before = filesIn(story.home.home);

  await weekOf(story);

  expect(filesIn(story.home.home)).toEqual(before);
  expect((await story.sync()).memories.created).toBe(1);
});
