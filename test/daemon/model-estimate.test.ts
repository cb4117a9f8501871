// What a dry run says of a pass by a model: the requests, tokens and sessions the pass then has, and no request sent.
// Genuine and Japanese sessions: `model-dry-run`.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SyncReport, SyncRequest } from "../../src/domain/service.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, S1, S2, SHOP, TABS } from "./story.ts";

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

describe("a dry run", () => {
  const OPEN = { firstStart: { backfillDays: { model: 36_500 } }, budget: { runsPerHour: 1_000 } };
  /** Room between what is estimated and what a server counts. */
  const SHARE = 0.2;

  /** The dry run and the pass, with the tokens the server counted. */
  async function both(story: Story): Promise<{ dry: SyncReport; real: SyncReport; tokens: number }> {
    const dry = await story.sync({ ...ALL, dryRun: true });
    expect(stub.requests).toEqual([]);
    const again = await story.sync({ ...ALL, dryRun: true });
    expect(again.estimate).toEqual(dry.estimate);
    const real = await story.sync(ALL);
    const tokens = real.runs.reduce((sum, run) => sum + run.inputTokens, 0);
    return { dry, real, tokens };
  }

  function expectClose({ dry, real, tokens }: Awaited<ReturnType<typeof both>>): void {
    const { estimate, sessions } = dry;
    expect(estimate?.requests).toBe(stub.requests.length);
    expect(Math.abs((estimate?.inputTokens ?? 0) - tokens)).toBeLessThanOrEqual(SHARE * tokens);
    expect(sessions).toEqual({ ...real.sessions, processed: 0 });
    expect(dry.agents).toEqual(real.agents);
  }

  it("says what a session of 60 tool calls costs", async () => {
    const story = createStory();
    chooseModel(story, OPEN);
    const session = createTranscript({ cwd: SHOP }).user("Please tidy the shop page up.");
    for (let call = 0; call < 60; call++) {
      session.toolCall("Bash", { command: `make step${call} ${"x".repeat(2_000)}` });
      session.toolResult(`step ${call} done\n${"output ".repeat(1_500)}`);
    }
    story.transcript(SHOP, S1, session.assistant("All 60 steps are done.").text());

    const told = await both(story);

    expectClose(told);
    expect(told.dry.sessions).toEqual({ seen: 1, new: 1, processed: 0 });
    // A server of the person's own has no price.
    expect(told.dry.estimate).toMatchObject({ requests: 1, usd: 0 });
  });

  it("says what a session of 2,000 turns costs, which takes many jobs and is still one session", async () => {
    const story = createStory();
    chooseModel(story, OPEN);
    const session = createTranscript({ cwd: SHOP });
    for (let turn = 0; turn < 2_000; turn++) {
      session
        .user(`Turn ${turn}: ${"please look at this page ".repeat(10)}`)
        .assistant("Done, it is changed.");
    }
    story.transcript(SHOP, S1, session.text());

    const told = await both(story);

    expectClose(told);
    expect(told.real.runs.length).toBeGreaterThan(1);
    expect(told.real.sessions).toEqual({ seen: 1, new: 1, processed: 1 });
    expect(told.tokens).toBeGreaterThan(100_000);
  });

  it("counts a fork's words once, and rules cost nothing", async () => {
    const story = createStory();
    const parent = createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.");
    story.transcript(SHOP, S1, parent.text());
    const fork = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2) })
      .user(TABS)
      .assistant("Noted.");
    story.transcript(SHOP, S2, fork.text());

    const rules = await story.sync({ ...ALL, dryRun: true });

    expect(rules).toMatchObject({
      sessions: { seen: 1, new: 1, processed: 0 },
      estimate: { requests: 0, inputTokens: 0, usd: 0 },
    });
    await story.sync();
    chooseModel(story);
    const told = await both(story);
    expectClose(told);
    expect(told.dry.estimate?.requests).toBe(1);
    expect(told.dry.agents).toEqual(rules.agents);
  });

  it("prices the tokens by the table", async () => {
    const story = createStory();
    story.config({ ...OPEN, provider: "anthropic", baseUrl: stub.url, models: { extract: "middle" } });
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.").text());

    const middle = (await story.sync({ dryRun: true })).estimate;
    story.config({ ...OPEN, provider: "anthropic", baseUrl: stub.url, models: { extract: "small" } });
    const small = (await story.sync({ dryRun: true })).estimate;

    expect(small?.usd).toBeGreaterThan((small?.inputTokens ?? 0) / 1_000_000);
    expect((middle?.usd ?? 0) / (small?.usd ?? 1)).toBeCloseTo(3);
    expect(stub.requests).toEqual([]);
  });
});
