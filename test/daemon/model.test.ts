// A session read by a model, from transcript to file: the real SDK against a scripted server, real files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, S1, SHOP } from "./story.ts";

const RULE = "Please squash commits before merging, the history is unreadable otherwise.";
let stub: ModelStub;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  story = createStory();
  story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
});
afterEach(() => stub.close());

/** What a model would write about `RULE`. */
function writes(recordId: string, quote = RULE): StubReply {
  return {
    blocks: [
      {
        tool: "write",
        input: {
          file: "feedback_squash.md",
          name: "squash-commits",
          description: "Squash commits before merging",
          type: "feedback",
          body: "Squash commits before merging.\n\n**Why:** the history is unreadable otherwise.\n**How to apply:** before each merge.",
          evidence: [{ recordId, quote }],
        },
      },
    ],
  };
}

it("turns what the person typed into a memory, its header, its index line and its evidence", async () => {
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(RULE).assistant("Will do.").text());
  stub.reply(writes(recordIdOf(1)));

  const report = await story.sync();

  expect(report.memories).toMatchObject({ created: 1, refused: [] });
  expect(report.runs).toMatchObject([{ kind: "extract", outcome: "succeeded", requests: 1 }]);
  expect(report.runs[0]?.inputTokens).toBeGreaterThan(1_000);
  const text = readFileSync(join(story.memoryDir(SHOP), "feedback_squash.md"), "utf8");
  expect(text).toContain("name: squash-commits");
  expect(text).toContain(`originSessionId: ${sessionIdOf(1)}`);
  expect(text).toContain(recordIdOf(1));
  expect(story.index(SHOP)).toContain("(feedback_squash.md)");
});

it("asks nothing when nothing new was typed", async () => {
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(RULE).assistant("Will do.").text());
  stub.otherwise({ blocks: ["Nothing to keep."] });
  await story.sync();
  const before = stub.requests.length;

  const report = await story.sync();

  expect(before).toBe(1);
  expect(stub.requests).toHaveLength(before);
  expect(report.runs).toEqual([]);
});
