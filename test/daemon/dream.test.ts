// A dream that a person asks for while no service runs: it knows the sessions and the model all the same.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** Two files that say the same, in a project where a person decides. */
function plantedTwice(): Story {
  const story = createStory();
  story.config({ provider: "offline", projects: { "**": { mode: "propose" } } });
  const memoryDir = story.memoryDir(SHOP);
  mkdirSync(memoryDir, { recursive: true });
  for (const name of ["one", "two"]) {
    const header = `---\nname: ${name}\ndescription: a board\ntype: reference\n---\n`;
    writeFileSync(join(memoryDir, `reference_${name}.md`), `${header}\nThe board hangs in the hall.\n`);
  }
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

  it("asks it as well where the agent has removed every session by now", async () => {
    const story = planted();
    for (const at of [1, 2, 3, 4, 5])
      rmSync(join(dirname(story.memoryDir(SHOP)), `${sessionIdOf(at)}.jsonl`));
    expect(await dream(story, { force: true })).toMatchObject({ outcome: "succeeded" });
    expect(dreams()).toBe(1);
  });
});

describe("a dream that died over a request", () => {
  it("stands in the history as a dream, with what it may have cost", async () => {
    const story = planted();
    const open = join(story.home.stateDir, "runs", "open.jsonl");
    stub.otherwise(() => {
      copyFileSync(open, `${open}.saved`);
      return { blocks: ["Nothing to mend."] };
    });
    await dream(story, { force: true });
    copyFileSync(`${open}.saved`, open);

    await story.sync();

    const { runs } = await story.ask((service) => service.runs({}));
    const crashed = runs.find(({ outcome }) => outcome === "interrupted");
    expect(crashed).toMatchObject({ kind: "dream", project: SHOP, requests: 1, trigger: "crash" });
  });
});

describe("a dream whose provider is closed", () => {
  it("is skipped, and the status does not call that nothing new", async () => {
    const story = planted();
    stub.otherwise({ status: 401, error: { type: "authentication_error" } });
    await expect(dream(story, { force: true })).rejects.toMatchObject({ code: "model-key-rejected" });

    const status = await story.ask(async (service) => {
      const reply = await service.dream({ project: SHOP, force: true });
      expect(reply).toMatchObject({ outcome: "skipped", reason: "model-key-rejected" });
      return service.status();
    });

    expect(status.projects[0]?.lastSkip?.reason).toBe("model-closed");
  });
});

describe("a dream where a person decides", () => {
  it("says what waits for them, and their yes is done", async () => {
    const story = plantedTwice();

    const reply = await dream(story, { force: true });

    expect(reply).toMatchObject({ outcome: "succeeded", changes: [] });
    expect(reply.noted[0]).toMatchObject({ code: "waits-for-review", file: "reference_two.md" });
    expect(story.topics(SHOP)).toEqual(["reference_one.md", "reference_two.md"]);
    const { items } = await story.ask((service) => service.inbox({ project: SHOP }));
    expect(items.map(({ changes }) => changes.map(({ op, file }) => [op, file]))).toEqual([
      [["delete", "reference_two.md"]],
    ]);
    await story.ask((service) => service.acceptItems({ ids: items.map(({ id }) => id).join(",") }));
    expect(story.topics(SHOP)).toEqual(["reference_one.md"]);
  });

  it("asks nothing twice that they said no to", async () => {
    const story = plantedTwice();
    await dream(story, { force: true });
    const inbox = () => story.ask((service) => service.inbox({ project: SHOP }));
    const { items } = await inbox();
    await story.ask((service) => service.rejectItems({ ids: items.map(({ id }) => id).join(",") }));

    expect((await dream(story, { force: true })).changes).toEqual([]);
    expect((await inbox()).items).toEqual([]);
    expect(story.topics(SHOP)).toEqual(["reference_one.md", "reference_two.md"]);
  });
});
