// A dream that a person asks for while no service runs: it knows the sessions and the model all the same.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, SHOP } from "./story.ts";

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to mend."] });
});
afterEach(() => stub.close());

/** Five sessions of a project with one memory, and settings that name a model. */
function planted(): Story {
  const story = createStory();
  story.config({ provider: "local", baseUrl: stub.url });
  for (const at of [1, 2, 3, 4, 5]) {
    const sessionId = sessionIdOf(at);
    const talk = createTranscript({ sessionId, cwd: SHOP, firstNumber: 10 * at })
      .user(`Look at the cart, part ${at}.`)
      .assistant("Done.");
    story.transcript(SHOP, `${sessionId}.jsonl`, talk.text());
  }
  const memoryDir = story.memoryDir(SHOP);
  mkdirSync(memoryDir, { recursive: true });
  writeFileSync(
    join(memoryDir, "user_role.md"),
    "---\nname: role\ndescription: a role\ntype: user\n---\n\nI am a midwife.\n",
  );
  return story;
}

const dream = (story: Story, wish: { readonly force?: true } = {}) =>
  story.ask((service) => service.dream({ project: SHOP, ...wish }));
const dreams = () => stub.requests.filter(({ body }) => JSON.stringify(body).includes("midwife")).length;

describe("a dream without a service", () => {
  it("counts the sessions that an earlier engramd has read", async () => {
    const story = planted();
    await story.sync();
    expect(await dream(story)).toMatchObject({ outcome: "succeeded", reason: null });
    expect(dreams()).toBe(1);
  });

  it("asks the model that was chosen, although nothing was ever read here", async () => {
    expect(await dream(planted(), { force: true })).toMatchObject({ outcome: "succeeded" });
    expect(dreams()).toBe(1);
  });
});
