// What a person removed never comes back from the same words: through a model, a lost cursor, or a removal nobody saw.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createManualClock, type ManualClock } from "../helpers/manual-clock.ts";
import { SQUASH_FILE, SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { wordsLeft } from "../helpers/words-left.ts";
import { createStory, S1, SHOP, type Story } from "./story.ts";

const LATER = Date.UTC(2026, 4, 5, 9);
const MINUTE_MS = 60_000;
const WORDS = ["squash", "unreadable"];

let stub: ModelStub;
let story: Story;
let clock: ManualClock;

beforeEach(async () => {
  stub = await startModelStub();
  clock = createManualClock({ startAt: LATER });
  story = createStory({}, clock);
  story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
  stub.reply({ blocks: [squashWrite(recordIdOf(1))] });
  await story.sync();
  await clock.advance(MINUTE_MS);
  expect(story.topics(SHOP)).toEqual([SQUASH_FILE]);
});
afterEach(() => stub.close());

/** Every cursor is lost and everything read anew; the model proposes it again, in the same words and in others. */
async function proposeAgain(): Promise<void> {
  rmSync(join(story.home.stateDir, "cursors"), { recursive: true });
  await clock.advance(MINUTE_MS);
  const asked = stub.requests.length;
  stub.otherwise({
    blocks: [
      squashWrite(recordIdOf(1)),
      squashWrite(recordIdOf(1), {
        file: "feedback_history.md",
        name: "readable-history",
        description: "squash, the history is unreadable otherwise",
        body: "Please squash commits.\n\n**Why:** the history is unreadable otherwise.\n**How to apply:** before merging.",
      }),
      squashWrite(recordIdOf(1), {
        file: "feedback_rebase.md",
        body: "Always use `git rebase -i` to squash.",
      }),
    ],
  });
  await story.sync({ backfillDays: "all" });
  expect(stub.requests.length).toBeGreaterThan(asked);
}

async function typeAgain(): Promise<void> {
  await clock.advance(2 * 3_600_000);
  const options = { cwd: SHOP, sessionId: sessionIdOf(3), firstNumber: 70, startAt: clock.now() - MINUTE_MS };
  const transcript = createTranscript(options).user(SQUASH_WORDS).assistant("ok");
  story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, transcript.text());
  stub.otherwise({ blocks: [squashWrite(recordIdOf(70))] });
  await story.sync();
}

describe("a model that proposes again what a person", () => {
  it("purged, is refused and leaves nothing of it; words typed anew bring it back", async () => {
    await story.ask((service) => service.forget({ name: SQUASH_FILE, project: SHOP, purge: true }));
    await proposeAgain();

    expect(story.topics(SHOP)).toEqual([]);
    expect(wordsLeft([story.home.stateDir, story.memoryDir(SHOP)], WORDS)).toEqual([]);
    await typeAgain();
    expect(story.topics(SHOP)).toEqual([SQUASH_FILE]);
  });

  it("forgot, is refused", async () => {
    await story.ask((service) => service.forget({ name: SQUASH_FILE, project: SHOP }));
    await proposeAgain();

    expect(story.topics(SHOP)).toEqual([]);
    await typeAgain();
    expect(story.topics(SHOP)).toEqual([SQUASH_FILE]);
  });

  it("removed by hand while nobody looked, is refused", async () => {
    rmSync(join(story.memoryDir(SHOP), SQUASH_FILE));
    await proposeAgain();

    expect(story.topics(SHOP)).toEqual([]);
    await typeAgain();
    expect(story.topics(SHOP)).toEqual([SQUASH_FILE]);
  });
});

it("a run whose history is too old says so when it is shown or undone", async () => {
  const [run] = (await story.ask((service) => service.history({}))).runs;
  await story.ask((service) => service.forget({ name: SQUASH_FILE, project: SHOP }));
  await clock.advance(366 * 86_400_000);
  await story.sync();

  const diff = await story.ask((service) => service.diff({ run: run?.id ?? "" }));
  expect(diff.files).toMatchObject([
    { file: SQUASH_FILE, patch: null, why: expect.stringContaining("historyDays") },
  ]);
  const undone = await story.ask((service) => service.undo({ run: run?.id ?? "" }));
  expect(undone).toMatchObject({ outcome: "nothing", message: expect.stringContaining("historyDays") });
  expect(wordsLeft([join(story.home.stateDir, "journal")], WORDS)).toEqual([]);
});
