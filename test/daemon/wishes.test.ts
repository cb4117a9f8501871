// What a person asks not to be kept stays unkept, also when it was said in an earlier reading.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelStub } from "../helpers/model-stub.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createStory, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

it("learns nothing of a session after off the record, whenever it is read", async () => {
  const story = createStory();
  const session = createTranscript({ cwd: SHOP }).user(RELEASE).assistant("Noted.");
  const path = story.transcript(SHOP, S1, session.text());
  await story.sync();
  const before = story.topics(SHOP);

  appendFileSync(
    path,
    session
      .user("From here on, off the record please.")
      .assistant("Fine.")
      .text()
      .slice(readFileSync(path, "utf8").length),
  );
  await story.sync();
  appendFileSync(
    path,
    session.user(TABS).assistant("Noted.").text().slice(readFileSync(path, "utf8").length),
  );
  const report = await story.sync();

  expect(report.records).toBeGreaterThan(0);
  expect(story.topics(SHOP)).toEqual(before);
});

it("learns from the next session again", async () => {
  const story = createStory();
  story.transcript(
    SHOP,
    S1,
    createTranscript({ cwd: SHOP }).user("/private").user(RELEASE).assistant("Noted.").text(),
  );
  await story.sync();

  story.transcript(
    SHOP,
    S2,
    createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 50 })
      .user(TABS)
      .assistant("Noted.")
      .text(),
  );
  await story.sync();

  expect(story.learnt(SHOP)).toContain("tabs for indentation");
  expect(story.learnt(SHOP)).not.toContain("release branch");
  expect(
    readFileSync(join(story.memoryDir(SHOP), "MEMORY.md"), "utf8")
      .trim()
      .split("\n"),
  ).toHaveLength(1);
});

it.each([
  ["Remember that the support contract ends on 12 December 2031.", "2031-12-12"],
  ["Remember that the support contract ends on December 12, 2031.", "2031-12-12"],
  ["Merk dir: Der Wartungsvertrag endet am 12. Dezember 2031.", "2031-12-12"],
  ["Recuerda que el contrato de soporte termina el 12 de diciembre de 2031.", "2031-12-12"],
  ["记住：支持合同在2031年12月12日到期。", "2031"],
  ["サポート契約は2031年12月12日に終わると覚えておいて。", "2031"],
])("keeps a day years away that was named with its year: %s", async (wish, date) => {
  const story = createStory();
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(wish).assistant("Noted.").text());

  const report = await story.sync();

  expect(report.memories.refused).toEqual([]);
  expect(story.learnt(SHOP)).toContain(date);
});

it("stores nothing of remember that holds a secret, masked or not, nor what stands in <private>", async () => {
  const story = createStory();
  const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
  const replies = await story.ask(async (service) => {
    const remember = (text: string) => service.remember({ text, project: SHOP, keep: true });
    return [
      await remember(`the deploy token is ${token} for CI`),
      await remember("<private>the boss leaves in spring</private>"),
      await remember("We deploy on Mondays only. <private>The boss leaves in spring.</private>"),
    ];
  });

  expect(replies.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["refused", "secret"],
    ["refused", "empty"],
    ["created", null],
  ]);
  expect(story.topics(SHOP)).toHaveLength(1);
  const state = readdirSync(story.home.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const kept = [story.learnt(SHOP), story.index(SHOP), JSON.stringify(replies), ...state].join("\n");
  expect(kept).toContain("Mondays");
  for (const hidden of [token, "[secret:", "spring"]) expect(kept).not.toContain(hidden);
});

it("shows a model nothing of a private part that runs over messages, readings and restarts", async () => {
  const stub = await startModelStub();
  try {
    stub.otherwise({ blocks: ["Nothing to keep."] });
    const story = createStory();
    story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
    const session = createTranscript({ cwd: SHOP }).user("We use pnpm here. <private>The zebra leaves");
    story.transcript(SHOP, S1, session.assistant("A zebra?").text());
    await story.sync();
    story.transcript(
      SHOP,
      S1,
      session.user("remember: the zebra, yes.").assistant("The zebra, noted.").text(),
    );
    await story.sync();
    for (let n = 0; n < 12; n += 1) session.user(`the zebra again, ${n}`).assistant("zebra");
    story.transcript(SHOP, S1, session.text());
    await story.sync();
    story.transcript(
      SHOP,
      S1,
      session.user("end of zebra</private> We deploy on Mondays.").assistant("Fine.").text(),
    );
    await story.sync();

    const sent = JSON.stringify(stub.requests.map(({ body }) => body["messages"]));
    expect(sent).toContain("We use pnpm here.");
    expect(sent).toContain("We deploy on Mondays.");
    expect(sent).not.toMatch(/zebra/iu);
    expect(story.learnt(SHOP)).not.toMatch(/zebra/iu);
  } finally {
    await stub.close();
  }
});

it.each(["From here on, off the record please.", "/private", "Das bleibt unter uns."])(
  "shows a model nothing after %j, in the same reading and in every later one, backfills included",
  async (wish) => {
    const stub = await startModelStub();
    try {
      stub.otherwise({ blocks: ["Nothing to keep."] });
      const story = createStory();
      story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
      const session = createTranscript({ cwd: SHOP }).user("We use pnpm here.").assistant("Fine.");
      session.user(wish).assistant("Fine.").user("The zebra leaves in May.").assistant("Oh.");
      story.transcript(SHOP, S1, session.text());
      await story.sync();
      for (let n = 0; n < 20; n += 1)
        session.user(`Remember that the zebra eats ${n} apples.`).assistant("ok");
      story.transcript(SHOP, S1, session.text());
      await story.sync();
      await story.sync({ backfillDays: "all" });

      const sent = JSON.stringify(stub.requests.map(({ body }) => body["messages"]));
      expect(sent).toContain("We use pnpm here.");
      expect(sent).not.toMatch(/zebra/iu);
      expect(story.topics(SHOP)).toEqual([]);
    } finally {
      await stub.close();
    }
  },
);
