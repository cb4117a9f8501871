// Every way a model can fail, seen from the files: nothing half applied, nothing lost, a name for what happened, and
// the memory there once the model is well again.
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript, recordIdOf } from "../helpers/claude-transcript.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { SQUASH_FILE, SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub, StubCall, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, S1, SHOP } from "./story.ts";

let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

function tell(story: Story): void {
  story.config({
    provider: "local",
    baseUrl: stub.url,
    firstStart: { backfillDays: { model: 36_500 } },
  });
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
}

const write = squashWrite(recordIdOf(1));
const json = JSON.stringify(write.input);

interface Failing {
  readonly reply: StubReply;
  readonly code: string;
}

const FAILING: Readonly<Record<string, Failing>> = {
  "a rate limit": {
    reply: { status: 429, headers: { "retry-after": "30" }, error: { type: "rate_limit_error" } },
    code: "model-rate-limited",
  },
  "an overloaded server": {
    reply: { status: 529, error: { type: "overloaded_error" } },
    code: "model-overloaded",
  },
  "a broken server": { reply: { status: 500, error: { type: "api_error" } }, code: "model-server-error" },
  "a stream that is cut inside a call": {
    reply: { blocks: ["I save this.", write], cutAfter: 900 },
    code: "model-stream-cut",
  },
  "an error in the middle of a stream": {
    reply: { blocks: ["I save this."], error: { type: "overloaded_error" } },
    code: "model-overloaded",
  },
  "an answer that is no API answer": {
    reply: { raw: { type: "text/html", body: "<html>Please log in</html>" } },
    code: "model-answer-unusable",
  },
};

describe.each(Object.entries(FAILING))("%s", (_what, { reply, code }) => {
  it("is named, leaves the folder as it was and the words unread, and loses nothing", async () => {
    const story = createStory();
    tell(story);
    stub.reply(reply);

    const failed = await story.sync();
    const status = await story.ask((service) => service.status());

    expect(failed.memories).toMatchObject({ created: 0 });
    expect(existsSync(story.memoryDir(SHOP))).toBe(false);
    expect(status.projects[0]?.lastError?.code ?? failed.skipped[0]?.reason).toContain(code);
    expect(status.sources[0]?.pendingBytes).toBeGreaterThan(0);
    expect(stub.requests).toHaveLength(1);

    stub.reply({ blocks: [write] });
    const mended = await story.sync();
    expect(mended.memories).toMatchObject({ created: 1 });
    expect(story.topics(SHOP)).toEqual([SQUASH_FILE]);
  });
});

it("gives up on a server that never answers, and the folder stays as it was", async () => {
  const clock = createManualClock();
  const story = createStory({}, clock);
  tell(story);
  stub.reply({ blocks: [write], hangAfter: 200 });

  await story.inside(async ({ parts, events, service }) => {
    parts.recordConsent();
    const done = service.sync({});
    await stub.request(0);
    for (let step = 0; step < 60; step++) await clock.advance(10_000);
    await done;
    const [end] = events.seen("job:finished");
    expect(end?.outcome).toMatchObject({ result: "failed", code: "model-timeout" });
  });

  expect(existsSync(story.memoryDir(SHOP))).toBe(false);
});

describe("an answer that says no or says it badly", () => {
  it("is taken as a no when the model refuses, and is not asked again", async () => {
    const story = createStory();
    tell(story);
    stub.reply({ blocks: ["I cannot help with that."], stop: "refusal" });

    await story.sync();
    await story.sync();

    expect(story.topics(SHOP)).toEqual([]);
    expect(stub.requests).toHaveLength(1);
  });

  it("is not carried out when it was cut inside a call; the model gets to say it again", async () => {
    const story = createStory();
    tell(story);
    stub.reply(
      { blocks: [{ tool: "write", json: json.slice(0, -40) }], stop: "max_tokens" },
      { blocks: [write] },
    );

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1 });
    expect(stub.requests).toHaveLength(2);
  });

  it("is a mistake the model can mend when its arguments are no JSON", async () => {
    const story = createStory();
    tell(story);
    stub.reply({ blocks: [{ tool: "write", json: `${json.slice(0, 60)} oops` }] }, { blocks: [write] });

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1 });
    expect(JSON.stringify(stub.requests[1]?.body["messages"])).toContain('"is_error":true');
  });

  it("costs nothing but its tokens when it is 200 KB of talk", async () => {
    const story = createStory();
    tell(story);
    stub.reply({ blocks: ["All is well. ".repeat(16_000)] });

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, refused: [] });
    expect(stub.requests).toHaveLength(1);
    expect((await story.sync()).runs).toEqual([]);
  });
});

it("keeps nothing of a run that ends in a refusal, and names what a model was denied", async () => {
  const story = createStory();
  tell(story);
  const read: StubCall = { tool: "read", input: { file: "../../../.ssh/id_rsa" } };
  stub.reply({ blocks: [write, read] }, { blocks: ["I cannot go on."], stop: "refusal" });

  await story.inside(async ({ parts, events, service }) => {
    parts.recordConsent();
    await service.sync({});
    expect(events.seen("tool:denied")).toMatchObject([{ tool: "read", why: "bad-path" }]);
    expect(events.seen("run:ended")).toMatchObject([{ outcome: "refused", requests: 2 }]);
  });

  expect(existsSync(story.memoryDir(SHOP))).toBe(false);
});
