// What a model costs: a session full of tool calls, a whole day of work, and sessions longer than one job.
import { appendFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { CostReport } from "../../src/domain/cost.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { newPartOf } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { started } from "./running.ts";
import { createStory, S1, SHOP } from "./story.ts";

const MINUTE_MS = 60_000;
const NOTHING: StubReply = { blocks: ["Nothing to keep."] };
let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

function settings(more: object = {}): object {
  return {
    provider: "local",
    baseUrl: stub.url,
    firstStart: { backfillDays: { model: 36_500 } },
    ...more,
  };
}

/** What a model was shown of the session, in one request. */
function shownIn({ body }: StubRequest): string {
  return JSON.stringify(body["messages"]);
}

function write(recordId: string, quote: string): StubReply {
  const input = {
    file: "feedback_release.md",
    name: "release-branch",
    description: "Deploy from the release branch",
    type: "feedback",
    body: "Deploy from the release branch.\n\n**Why:** no reason was given.\n**How to apply:** when deploying.",
    evidence: [{ recordId, quote }],
  };
  return { blocks: [{ tool: "write", input }] };
}

it("reads a session of 60 tool calls with one request and no second one for a plain write", async () => {
  const story = createStory();
  story.config(settings());
  const rule = "Please deploy from the release branch in this project.";
  const session = createTranscript({ cwd: SHOP }).user(rule);
  for (let call = 0; call < 60; call++) {
    session.toolCall("Bash", { command: `make step${call} ${"x".repeat(2_000)}` });
    session.toolResult(`step ${call} done\n${"output ".repeat(1_500)}`);
  }
  story.transcript(SHOP, S1, session.assistant("All 60 steps are done.").text());
  stub.reply(write(recordIdOf(1), rule));

  const report = await story.sync();

  expect(report.memories).toMatchObject({ created: 1, refused: [] });
  const [run] = report.runs;
  expect(run?.requests).toBe(1);
  expect(run?.inputTokens).toBeLessThan(15_000);
  expect(stub.requests).toHaveLength(1);
  expect((await story.sync()).runs).toEqual([]);
  expect(stub.requests).toHaveLength(1);
});

it("reads a day of 160 turns, three minutes apart, in at most 6 runs and 150,000 input tokens", async () => {
  const clock = createManualClock();
  const story = createStory({}, clock);
  story.config(settings());
  const session = createTranscript({ cwd: SHOP, startAt: clock.now() });
  const path = story.transcript(SHOP, S1, "");
  stub.otherwise(NOTHING);
  let written = "";

  const runs = await story.inside(async ({ parts, events }) => {
    parts.recordConsent();
    for (let turn = 0; turn < 160; turn++) {
      const at = { timestamp: new Date(clock.now()).toISOString() };
      session.user(`Turn ${turn}: ${"please look at this part of the page ".repeat(20)}`, at);
      session.assistant(`Done with ${turn}. ${"The page was changed as you asked for. ".repeat(20)}`, at);
      appendFileSync(path, session.text().slice(written.length));
      written = session.text();
      const noticed = parts.growth.look(path);
      if (noticed !== undefined) parts.growth.schedule(noticed);
      await clock.advance(3 * MINUTE_MS);
      await parts.queue.whenIdle();
    }
    for (let step = 0; step < 10; step++) {
      await clock.advance(5 * MINUTE_MS);
      await parts.queue.whenIdle();
    }
    expect(parts.unreadFolders()).toEqual(new Map());
    return events.seen("job:finished");
  });

  const shown = stub.requests.map(shownIn).join();
  for (let turn = 0; turn < 160; turn++) expect(shown).toContain(`Turn ${turn}:`);
  expect(runs.length).toBeLessThanOrEqual(6);
  expect(stub.requests.length).toBeLessThanOrEqual(6);
  const { tokensToday } = (await story.ask((service) => service.status())).budget;
  expect(tokensToday).toBeGreaterThan(20_000);
  expect(tokensToday).toBeLessThanOrEqual(150_000);
});

it("reads a session longer than one job in pieces, oldest first, each message once, in one pass", async () => {
  const story = createStory();
  story.config(settings());
  const session = createTranscript({ cwd: SHOP });
  for (let turn = 0; turn < 300; turn++) {
    session.user(`Turn ${turn}: ${"please look at this part of the page ".repeat(22)}`).assistant("Done.");
  }
  story.transcript(SHOP, S1, session.text());
  stub.otherwise(NOTHING);

  const report = await story.sync();

  const order = stub.requests.flatMap(newTurnsIn);
  expect(order).toEqual(Array.from({ length: 300 }, (_, turn) => turn));
  expect(report.runs.length).toBeGreaterThan(1);
  for (const run of report.runs) expect(run.inputTokens).toBeLessThanOrEqual(60_000);
  expect((await story.sync()).runs).toEqual([]);
});

it("goes on after a failure at the piece that failed, not at the first", async () => {
  const story = createStory();
  story.config(settings());
  const session = createTranscript({ cwd: SHOP });
  for (let turn = 0; turn < 120; turn++) {
    session.user(`Turn ${turn}: ${"please look at this part of the page ".repeat(22)}`).assistant("Done.");
  }
  story.transcript(SHOP, S1, session.text());
  stub.reply(NOTHING, { status: 529, error: { type: "overloaded_error" } });
  await story.sync();
  const before = stub.requests.length;
  stub.otherwise(NOTHING);

  await story.sync();

  const [failed, again] = stub.requests.slice(1).map(newTurnsIn);
  expect(before).toBe(2);
  expect(again).toEqual(failed);
  expect(again?.[0]).toBeGreaterThan(0);
});

it("is told for one project where a person names it, alone and by the daemon", async () => {
  const story = createStory();
  story.config(settings());
  const tax = "/home/ana/tax";
  const say = (cwd: string, id: number) => {
    const session = createTranscript({ cwd, sessionId: sessionIdOf(id), firstNumber: id * 100 });
    const text = session.user(`Please look at page ${id}.`).assistant("Done.").text();
    story.transcript(cwd, `${sessionIdOf(id)}.jsonl`, text);
  };
  for (const [at, cwd] of [SHOP, SHOP, tax].entries()) say(cwd, at + 1);
  stub.otherwise(NOTHING);
  await story.sync();
  const told = async (...args: string[]) => {
    const { stdout } = await runCommand({ home: story.home, args: ["cost", "--json", ...args] });
    const { total, byProject } = JSON.parse(stdout) as CostReport;
    return { requests: total.requests, projects: byProject.map(({ project }) => project).toSorted() };
  };
  const wanted = [
    { requests: 3, projects: [SHOP, tax] },
    { requests: 2, projects: [SHOP] },
    { requests: 0, projects: [] },
  ];
  const ask = async () => [
    await told(),
    await told("--project", SHOP),
    await told("--project", "/home/ana/other"),
  ];

  expect(await ask()).toEqual(wanted);
  await started(story);
  expect(await ask()).toEqual(wanted);
});

/** Numbers of the turns a request shows as new. */
function newTurnsIn(request: StubRequest): number[] {
  return [...newPartOf(request).matchAll(/Turn (\d+):/gu)].map(([, turn]) => Number(turn));
}
