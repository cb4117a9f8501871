// A model that empties, shortens or floods a memory folder, over HTTP: what was there stays, and it is told why.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordIdOf } from "../helpers/claude-transcript.ts";
import { SQUASH_WORDS, squashInput, type WriteInput } from "../helpers/model-memory.ts";
import type { ModelStub, StubCall, StubEvent } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { SHOP } from "../daemon/story.ts";
import { folderOf, passAndStatus, resultsIn, script, topic, trappedStory } from "./steered-model.ts";

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

const read = (file: string): StubCall => ({ tool: "read", input: { file } });
const write = (file: string, changes: Partial<WriteInput> = {}): StubCall => ({
  tool: "write",
  input: squashInput(recordIdOf(1), { file, ...changes }),
});
const evidence = [{ recordId: recordIdOf(1), quote: SQUASH_WORDS }];
const about = (type: string, name: string, body: string) => ({
  type,
  name,
  body,
  description: `what ${name} is about`,
});

describe("placeholders instead of text (B33)", () => {
  it.each([
    ["unchanged", "(same as before)"],
    ["[rest of file]", "..."],
    ["unverändert", "sin cambios"],
    ["（同上）", "変更なし"],
    ["short.", "Project X."],
  ])("%j and %j leave all three files byte-identical, and the status counts why", async (role, project) => {
    const story = trappedStory(stub);
    const before = folderOf(story);
    stub.reply(
      { blocks: [read("user_role.md"), read("project_x.md")] },
      {
        blocks: [
          write("user_role.md", about("user", "role", role)),
          { tool: "write", input: squashInput(recordIdOf(1), { file: "MEMORY.md", body: "" }) },
          write("project_x.md", about("project", "project-x", project)),
        ],
      },
      { blocks: ["Done."] },
    );

    const { report, status } = await passAndStatus(story);

    expect(resultsIn(stub.requests[2]).map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(folderOf(story)).toEqual(before);
    expect(report.memories).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    const files = report.memories.refused.map(({ file }) => file);
    expect(files.toSorted()).toEqual(["project_x.md", "user_role.md"]);
    const counted = Object.entries(status.counters.proposalsRefused);
    expect(counted.reduce((sum, [, count]) => sum + count, 0)).toBe(2);
    for (const [code] of counted) expect(code).toMatch(/^(?:empty|loss)$/u);
  });
});

describe("many small edits of one run", () => {
  it("do not add up to an emptied file", async () => {
    const story = trappedStory(stub);
    const lines = Array.from(
      { length: 12 },
      (_, at) => `Step ${at} of the release is done by team number ${at}.`,
    );
    const path = join(story.memoryDir(SHOP), "project_release.md");
    writeFileSync(path, topic("release", "project", lines.join("\n")));
    const cut = (at: number): StubCall => ({
      tool: "edit",
      input: { file: "project_release.md", old: `\n${lines[at]}`, new: "", evidence },
    });
    stub.reply({ blocks: [read("project_release.md")] });
    script(
      stub,
      lines.slice(1).map((_, at) => cut(at + 1)),
      3,
    );

    await story.sync();

    const kept = folderOf(story)["project_release.md"] ?? "";
    expect(lines.filter((line) => kept.includes(line)).length).toBeGreaterThanOrEqual(6);
  });
});

describe("floods (fault 92)", () => {
  it("of one enormous answer change nothing and are told", async () => {
    const story = trappedStory(stub);
    const before = folderOf(story);
    const text = "x".repeat(60 << 20);
    const event = (value: StubEvent) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
    const delta = { type: "input_json_delta", partial_json: `{"body":"${text}"}` };
    stub.otherwise({
      raw: {
        type: "text/event-stream",
        body: [
          event({ type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } }),
          event({
            type: "content_block_start",
            index: 0,
            content_block: { type: "tool_use", id: "t", name: "write", input: {} },
          }),
          event({ type: "content_block_delta", index: 0, delta }),
        ].join(""),
      },
    });

    const { report, status } = await passAndStatus(story);

    expect(report.memories).toMatchObject({ created: 0, updated: 0 });
    expect(status.projects[0]?.lastError?.code).toBeDefined();
    expect(folderOf(story)).toEqual(before);
  });

  it("of long lines, long bodies and thousands of files are cut off at their bounds", async () => {
    const story = trappedStory(stub);
    const before = Object.keys(folderOf(story));
    const line = "l".repeat(900_000);
    stub.reply({ blocks: [write("feedback_squash.md", { body: line })] });
    stub.reply({
      blocks: Array.from({ length: 9_000 }, (_, at) => {
        const file = `feedback_squash_${at}.md`;
        return { tool: "write", input: { file, name: `s-${at}`, description: "Squash", type: "feedback" } };
      }),
    });
    script(
      stub,
      Array.from({ length: 60 }, (_, at) =>
        write(`feedback_squash_${at}.md`, {
          name: `squash-commits-${at}`,
          description: `Squash commits before merging ${at}`,
          body: `Squash commits before merging ${at}.\n\n**Why:** the history is unreadable otherwise.\n**How to apply:** before each merge.`,
        }),
      ),
    );

    const report = await story.sync();

    const [long] = resultsIn(stub.requests[1]);
    expect(long).toMatchObject({ isError: true });
    expect(long?.text).toMatch(/at most 20000 characters/u);
    expect(report.memories.created).toBeLessThanOrEqual(50);
    expect(Object.keys(folderOf(story)).length).toBeLessThanOrEqual(before.length + 50);
  });
});
