// A session read by a model, from transcript to file: the real SDK against a scripted server, real files.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, S2, SHOP } from "./story.ts";

let stub: ModelStub;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  story = createStory();
  story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
});
afterEach(() => stub.close());

function writes(recordId: string): StubReply {
  return { blocks: [squashWrite(recordId)] };
}

it("turns what the person typed into a memory, its header, its index line and its evidence", async () => {
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
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
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
  stub.otherwise({ blocks: ["Nothing to keep."] });
  await story.sync();
  const before = stub.requests.length;

  const report = await story.sync();

  expect(before).toBe(1);
  expect(stub.requests).toHaveLength(before);
  expect(report.runs).toEqual([]);
});

it("asks nothing where the agent wrote the memory itself, and moves on", async () => {
  const file = join(story.memoryDir(SHOP), "feedback_squash.md");
  const session = createTranscript({ cwd: SHOP }).user(SQUASH_WORDS);
  session.toolCall("Write", { file_path: file, content: "Squash." }).toolResult("File created");
  story.transcript(SHOP, S1, session.assistant("Saved.").text());

  const report = await story.sync();
  const again = await story.sync();

  expect(stub.requests).toEqual([]);
  expect(report.skipped.map(({ reason }) => reason)).toEqual(["agent-already-wrote"]);
  expect(again.records).toBe(0);
});

it("answers three triggers during a run with exactly one more run, which sees what came meanwhile", async () => {
  const path = story.transcript(
    SHOP,
    S1,
    createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Yes.").text(),
  );
  const later = createTranscript({ cwd: SHOP, firstNumber: 50 })
    .user("The release is on Friday.")
    .assistant("Yes.");
  stub.otherwise({ blocks: ["Nothing to keep."] });

  await story.inside(async ({ parts, events }) => {
    parts.recordConsent();
    parts.growth.look(path);
    const due = () => parts.due(story.memoryDir(SHOP), { trigger: "now", now: true });
    stub.reply((_request) => {
      appendFileSync(path, later.text());
      parts.growth.look(path);
      for (let trigger = 0; trigger < 3; trigger++) due();
      return { blocks: ["Nothing to keep."] };
    });
    due();
    await parts.queue.whenIdle();
    expect(events.seen("job:finished")).toHaveLength(2);
  });

  expect(stub.requests).toHaveLength(2);
  expect(JSON.stringify(stub.requests[0]?.body)).not.toContain("The release is on Friday");
  expect(JSON.stringify(stub.requests[1]?.body)).toContain("The release is on Friday");
});

const mine = (round: number) =>
  `---\nname: squash-commits\ndescription: my own words ${round}\nmetadata:\n  type: feedback\n---\nMine ${round}.\n`;

function edit(round: number): void {
  mkdirSync(story.memoryDir(SHOP), { recursive: true });
  writeFileSync(join(story.memoryDir(SHOP), "feedback_squash.md"), mine(round));
}

it("lets the person's edit win that was made while the model was thinking, and shows it to the model", async () => {
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
  stub.reply(
    () => {
      edit(1);
      return writes(recordIdOf(1));
    },
    { blocks: ["It is there already."] },
  );

  const report = await story.sync();

  expect(story.learnt(SHOP)).toBe(mine(1));
  expect(report.memories).toMatchObject({ created: 0, updated: 0 });
  expect(stub.requests).toHaveLength(2);
  expect(JSON.stringify(stub.requests[1]?.body)).toContain("my own words 1");
});

it("keeps what could not be written twice for the person", async () => {
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
  const file = "feedback_squash.md";
  stub.reply(
    () => {
      edit(1);
      return writes(recordIdOf(1));
    },
    { blocks: [{ tool: "read", input: { file } }] },
    () => {
      edit(2);
      return writes(recordIdOf(1));
    },
  );

  const report = await story.sync();

  expect(story.learnt(SHOP)).toBe(mine(2));
  expect(report.memories).toMatchObject({ created: 0, updated: 0, candidates: 1 });
});

it.each<[string, StubReply, string | undefined]>([
  ["has nothing to say", { blocks: ["Nothing to keep."] }, undefined],
  ["refuses", { blocks: ["I cannot help with that."], stop: "refusal" }, "model-refused"],
  ["is cut again and again", { blocks: ["I think that"], stop: "max_tokens" }, "answer-cut"],
])("saves what the person asked to remember when the model %s", async (_what, reply, why) => {
  const session = createTranscript({ cwd: SHOP }).user(RELEASE).assistant("Noted.");
  story.transcript(SHOP, S1, session.text());
  stub.otherwise(reply);

  const report = await story.sync();

  expect(report.memories).toMatchObject({ created: 1, refused: [] });
  expect(story.learnt(SHOP)).toContain("release branch");
  const other = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 70 });
  story.transcript(SHOP, S2, other.user("Look at this page.").assistant("Fine.").text());
  const silent = await story.sync();
  expect(silent.skipped.map(({ reason }) => reason)).toEqual(why === undefined ? [] : [why]);
});

it("saves nothing twice that the model has saved in its own words", async () => {
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(RELEASE).assistant("Noted.").text());
  const written = squashWrite(recordIdOf(1), {
    file: "project_release.md",
    name: "release-branch",
    type: "project",
    description: "Deploy from the release branch, never from main",
    body: "Deploy from the release branch, never from main.\n\n**Why:** no reason was given.\n**How to apply:** when deploying.",
    evidence: [{ recordId: recordIdOf(1), quote: "we deploy from the release branch, never from main" }],
  });
  stub.reply({ blocks: [written] });

  await story.sync();

  expect(story.topics(SHOP)).toEqual(["project_release.md"]);
});

it("updates a memory it has read, and says what it replaced", async () => {
  const first = createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.");
  story.transcript(SHOP, S1, first.text());
  stub.reply(writes(recordIdOf(1)));
  await story.sync();
  const change = "Please squash commits before merging only on the main branch, elsewhere history is wanted.";
  const second = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 70 })
    .user(change)
    .assistant("Fine.");
  story.transcript(SHOP, S2, second.text());
  const updated = squashWrite(recordIdOf(70), {
    description: "Squash commits before merging only on the main branch",
    body: "Squash commits before merging only on the main branch.\n\n**Why:** elsewhere history is wanted.\n**How to apply:** before each merge.",
    evidence: [{ recordId: recordIdOf(70), quote: change }],
  });
  stub.reply(
    { blocks: [updated] },
    { blocks: [{ tool: "read", input: { file: "feedback_squash.md" } }] },
    { blocks: [updated] },
  );

  const report = await story.sync();

  expect(report.memories).toMatchObject({ created: 0, updated: 1, refused: [] });
  expect(stub.requests).toHaveLength(4);
  expect(story.learnt(SHOP)).toContain("only on the main branch");
  expect(story.topics(SHOP)).toEqual(["feedback_squash.md"]);
});
