// Money that buys nothing: a project whose runs teach nothing rests, and what a process died over is counted.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MODEL_LIMITS } from "../../src/domain/limits.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub, StubCall } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Inside, Story } from "./story.ts";
import { createStory, MOCKS, S1, SHOP, TABS } from "./story.ts";

const { barrenRunsMax, restMs } = MODEL_LIMITS;
let stub: ModelStub;
let clock: ManualClock;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
  clock = createManualClock();
  story = createStory({}, clock);
  configure();
});
afterEach(() => stub.close());

function configure(more: object = {}): void {
  const budget = { runsPerHour: 1_000 };
  const firstStart = { backfillDays: { model: 36_500 } };
  story.config({ provider: "local", baseUrl: stub.url, firstStart, budget, ...more });
}

function idOf(number: number): string {
  return `${String(number).padStart(8, "0")}-1111-4111-8111-111111111111`;
}

/** Another session of the shop, noticed and due at once. */
async function say({ parts }: Inside, number: number, words: string): Promise<void> {
  const session = createTranscript({ cwd: SHOP, sessionId: idOf(number), firstNumber: number * 100 });
  const at = { timestamp: new Date(clock.now()).toISOString() };
  const text = session.user(words, at).assistant("Done.", at).text();
  parts.growth.look(story.transcript(SHOP, `${idOf(number)}.jsonl`, text));
  parts.due(story.memoryDir(SHOP), { trigger: "quiet-over", now: true });
  await parts.queue.whenIdle();
}

async function sayNothings(inside: Inside, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    await say(inside, number, `Please look at part ${number} of the page.`);
  }
}

describe("a project whose runs are paid for and teach nothing", () => {
  it("rests after so many in a row, and the status says so and how to go on", async () => {
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await sayNothings(inside, barrenRunsMax - 1);
      expect((await inside.service.status()).warnings).toEqual([]);
      await say(inside, 80, "Please look at the last part of the page.");
      expect(stub.requests).toHaveLength(barrenRunsMax);
      await say(inside, 90, "Please look at one more part of the page.");

      const { warnings, projects, sources } = await inside.service.status();

      expect(stub.requests).toHaveLength(barrenRunsMax);
      expect(warnings).toMatchObject([{ code: "model-rests", fix: `engramd sync --project ${SHOP}` }]);
      expect(warnings[0]?.message).toContain('type "remember');
      expect(warnings[0]?.message).toContain(new Date(clock.now() + restMs).toISOString());
      expect(projects[0]?.lastSkip?.reason).toBe("resting");
      expect(projects[0]?.nextDue.extract).toBe(new Date(clock.now() + restMs).toISOString());
      expect(sources[0]?.pendingBytes).toBeGreaterThan(0);
    });
  });

  it("is read again, with what waited, once somebody types remember", async () => {
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await sayNothings(inside, barrenRunsMax + 1);
      expect(stub.requests).toHaveLength(barrenRunsMax);

      await say(inside, 90, MOCKS);

      expect(stub.requests.length).toBeGreaterThan(barrenRunsMax);
      expect(story.learnt(SHOP)).toContain("real database");
      expect((await inside.service.status()).warnings).toEqual([]);
      await say(inside, 91, "And one more part of the page.");
      expect(inside.parts.unreadFolders()).toEqual(new Map());
    });
  });

  it("is read again by sync, which begins a new count", async () => {
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await sayNothings(inside, barrenRunsMax + 1);

      await inside.service.sync({});
      const sent = stub.requests.length;
      await say(inside, 90, "And one more part of the page.");

      expect(sent).toBe(barrenRunsMax + 1);
      expect(stub.requests).toHaveLength(sent + 1);
    });
  });

  it("is tried once a day, also by another start", async () => {
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await sayNothings(inside, barrenRunsMax + 1);
    });
    await story.inside(async (inside) => {
      await clock.advance(restMs - 1);
      await say(inside, 90, "And one more part of the page.");
      expect(stub.requests).toHaveLength(barrenRunsMax);
      await clock.advance(1);

      await say(inside, 91, "And another one.");
      const sent = stub.requests.length;
      await say(inside, 92, "And the last one.");

      expect(sent).toBeGreaterThan(barrenRunsMax);
      expect(stub.requests).toHaveLength(sent);
    });
  });

  it("is one as well where the gate refused all that the model proposed, though a person may look at it", async () => {
    // Words that nobody typed, about another thing each time.
    let asked = 0;
    stub.otherwise(({ body }) => ({ blocks: [invented(lastRecordIn(body), (asked += 1))] }));
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await sayNothings(inside, barrenRunsMax);
      const sent = stub.requests.length;

      await say(inside, 90, "Please look at one more part of the page.");

      const { items } = await inside.service.inbox({});
      expect(items.map(({ kind }) => kind)).toContain("quarantine");
      expect(stub.requests).toHaveLength(sent);
      expect((await inside.service.status()).warnings.map(({ code }) => code)).toContain("model-rests");
    });
  });

  it("is none where a person decides: what waits for them was learnt", async () => {
    configure({ projects: { [SHOP]: { mode: "propose" } } });
    stub.otherwise(({ body }) => ({
      blocks: [
        {
          tool: "write",
          input: {
            file: "feedback_tabs.md",
            name: "tabs",
            description: "Use tabs",
            type: "feedback",
            body: "Always use tabs for indentation.\n\n**Why:** no reason was given.\n**How to apply:** in commits.",
            evidence: [{ recordId: lastRecordIn(body), quote: "Always use tabs for indentation in commits" }],
          },
        },
      ],
    }));
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      for (let number = 1; number <= barrenRunsMax + 1; number += 1) {
        await say(inside, number, `From now on always use tabs in module${number}.`);
      }
      expect(story.topics(SHOP)).toEqual([]);
      expect(stub.requests.length).toBeGreaterThan(barrenRunsMax);
      expect((await inside.service.status()).warnings.map(({ code }) => code)).not.toContain("model-rests");
    });
  });
});

function invented(recordId: string, number: number): StubCall {
  const body = `Always deploy part ${number} from branch-${number}.\n\n**Why:** no reason was given.\n**How to apply:** always.`;
  const evidence = [{ recordId, quote: `Please look at part ${number} of the page` }];
  const file = `feedback_branch${number}.md`;
  const memory = { file, name: `branch-${number}`, description: `Deploy part ${number}`, type: "feedback" };
  return { tool: "write", input: { ...memory, body, evidence } };
}

function lastRecordIn(body: Readonly<Record<string, unknown>>): string {
  return (
    JSON.stringify(body)
      .match(/[0-9a-f]{8}-[0-9a-f-]{27}/gu)
      ?.at(-1) ?? ""
  );
}

describe("a process that died over a request", () => {
  it("has paid for it: the next one counts it before it asks anything", async () => {
    const open = join(story.home.stateDir, "runs", "open.jsonl");
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("Noted.").text());
    stub.otherwise(() => {
      copyFileSync(open, `${open}.saved`);
      return { blocks: ["Nothing to keep."] };
    });
    const report = await story.sync();
    const [told] = report.runs;
    writeFileSync(open, readFileSync(`${open}.saved`));

    const { runs, status } = await story.ask(async (service) => {
      await service.sync({});
      return { runs: (await service.runs({})).runs, status: await service.status() };
    });

    const crashed = runs.find(({ outcome }) => outcome === "interrupted");
    expect(crashed).toMatchObject({ kind: "extract", project: SHOP, requests: 1, trigger: "crash" });
    // No less than what such a request really is, and the longest answer on top.
    expect(crashed?.outputTokens).toBeGreaterThan(8_000);
    expect(crashed?.inputTokens).toBeGreaterThan((told?.inputTokens ?? 0) * 0.8);
    expect(status.budget.tokensToday).toBeGreaterThan(crashed?.inputTokens ?? 0);
    const again = await story.ask((service) => service.runs({}));
    expect(again.runs.filter(({ outcome }) => outcome === "interrupted")).toHaveLength(1);
  });
});
