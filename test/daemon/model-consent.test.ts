// Whose words go to a model, and which of them: nobody's unasked, and never what is private or secret.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
});
afterEach(() => stub.close());

const backfill = { firstStart: { backfillDays: { model: 36_500 } } };

function say(story: Story, text: string, name = S1): void {
  story.transcript(SHOP, name, createTranscript({ cwd: SHOP }).user(text).assistant("Noted.").text());
}

function consentOf(story: Story): string {
  const path = join(story.home.stateDir, "consent.json");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

it("sends nothing while nobody has chosen a model, whatever the environment offers", async () => {
  const story = createStory({
    ANTHROPIC_API_KEY: ["sk", "ant", "api03", "x".repeat(20)].join("-"),
    ANTHROPIC_BASE_URL: stub.url,
    ENGRAMD_BASE_URL: stub.url,
    ENGRAMD_PROVIDER: "local",
  });
  story.config(backfill);
  say(story, RELEASE);

  const report = await story.sync();

  expect(stub.requests).toEqual([]);
  expect(report.memories.created).toBe(1);
  expect(consentOf(story)).toBe("");
  const { provider } = await story.ask((service) => service.status());
  expect(provider.name).toBe("offline");
  expect(provider.why).toContain("nobody allowed");
});

it("takes a provider in the settings file as consent for the agents found, and writes that down", async () => {
  const story = createStory();
  story.config({ ...backfill, provider: "local", baseUrl: stub.url });
  say(story, RELEASE);

  await story.sync();

  expect(stub.requests).toHaveLength(1);
  expect(JSON.parse(consentOf(story))).toMatchObject({
    v: 1,
    grants: [{ agent: "claude-code", provider: "local", host: stub.url, by: "config" }],
  });
  const { provider } = await story.ask((service) => service.status());
  expect(provider).toMatchObject({ name: "local" });
});

it("goes on with rules alone for an agent whose words must not go to a model", async () => {
  const story = createStory();
  const agents = { "claude-code": { mayUseModel: false } };
  story.config({ ...backfill, provider: "local", baseUrl: stub.url, agents });
  say(story, RELEASE);

  const report = await story.sync();

  expect(stub.requests).toEqual([]);
  expect(report.memories.created).toBe(1);
});

it("asks anew, and sends nothing, when the address becomes another one by environment", async () => {
  const other = await startModelStub();
  const first = createStory();
  first.config({ ...backfill, provider: "local", baseUrl: stub.url });
  say(first, TABS);
  await first.sync();
  const later = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 60 });
  first.transcript(SHOP, S2, later.user(RELEASE).assistant("Noted.").text());

  const moved = createStory({ ENGRAMD_BASE_URL: other.url }, undefined, first.home);
  const report = await moved.sync();

  expect(report.memories.created).toBe(1);
  expect(other.requests).toEqual([]);
  await other.close();
});

it("leaves sessions from before the first start to the rules unless asked to backfill", async () => {
  const story = createStory();
  story.config({ provider: "local", baseUrl: stub.url });
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(RELEASE).assistant("Noted.").text());

  const first = await story.sync();
  expect(first.memories.created).toBe(1);
  expect(stub.requests).toEqual([]);

  const fresh = createTranscript({
    cwd: SHOP,
    sessionId: sessionIdOf(2),
    firstNumber: 60,
  });
  story.transcript(SHOP, S2, fresh.user(TABS).assistant("Noted.").text());
  await story.sync();
  expect(stub.requests).toHaveLength(1);
});

it("shows a model neither private words, nor opted-out ones, nor secrets", async () => {
  const secret = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_");
  const story = createStory();
  story.config({ ...backfill, provider: "local", baseUrl: stub.url });
  const session = createTranscript({ cwd: SHOP })
    .user("We deploy on Fridays. <private>My salary is low.</private>")
    .assistant("I see.")
    .user(`The token is ${secret} for the staging server.`)
    .toolCall("Bash", { command: `curl -H 'Authorization: ${secret}' localhost` })
    .toolResult(`token ${secret} accepted`)
    .assistant("Done.")
    .user("My wife is ill.")
    .assistant("I am sorry.")
    .user("Don't remember that.")
    .assistant("I will not.")
    .user("Off the record from here on: I leave in May.")
    .assistant("Understood.")
    .user("I will move to Lisbon.")
    .assistant("Nice.");
  story.transcript(SHOP, S1, session.text());

  await story.sync();

  const sent = JSON.stringify(stub.requests.map(({ body }) => body));
  expect(sent).toContain("We deploy on Fridays");
  for (const word of ["salary", secret, "wife", "leave in May", "Lisbon"]) expect(sent).not.toContain(word);
});

it("keeps everything for the person where a project only proposes", async () => {
  const story = createStory();
  story.config({
    ...backfill,
    provider: "local",
    baseUrl: stub.url,
    projects: { [SHOP]: { mode: "propose" } },
  });
  say(story, SQUASH_WORDS);
  stub.reply({ blocks: [squashWrite(recordIdOf(1))] });

  const report = await story.sync();

  expect(report.memories).toMatchObject({ created: 0, candidates: 1 });
  expect(existsSync(story.memoryDir(SHOP))).toBe(false);
});

it("asks nothing once a ceiling of the day is reached; the words wait and are read the next day", async () => {
  const story = createStory();
  story.config({ ...backfill, provider: "local", baseUrl: stub.url, budget: { tokensPerDay: 13_000 } });
  say(story, TABS);
  await story.sync();
  expect(stub.requests).toHaveLength(1);

  const later = createTranscript({
    cwd: SHOP,
    sessionId: sessionIdOf(2),
    firstNumber: 60,
  });
  story.transcript(SHOP, S2, later.user(RELEASE).assistant("Noted.").text());
  const { report, status } = await story.ask(async (service) => ({
    report: await service.sync({}),
    status: await service.status(),
  }));

  expect(stub.requests).toHaveLength(1);
  expect(report.skipped.map(({ reason }) => reason)).toContain("over-budget");
  expect(status.budget.exhausted).toBe(true);
  expect(status.sources[0]?.pendingBytes).toBeGreaterThan(0);
});

it("asks nothing about a message of which nothing is left", async () => {
  const story = createStory();
  story.config({ ...backfill, provider: "local", baseUrl: stub.url });
  const session = createTranscript({ cwd: SHOP })
    .user("<private>My salary is low.</private>")
    .assistant("I see.");
  story.transcript(
    SHOP,
    S1,
    session.user("My wife is ill, don't remember that.").assistant("I will not.").text(),
  );

  const report = await story.sync();

  expect(stub.requests).toEqual([]);
  expect(report.agents["claude-code"]?.typedMessages).toBe(2);
});

it("shows a model no candidate out of words that were typed to an agent nobody allowed", async () => {
  const story = createStory();
  say(story, "We decided to use pnpm instead of npm for this repo. We decided to ship the beta on Mondays.");
  await story.sync();
  const folder = join(story.home.stateDir, "inbox");
  const [name = ""] = readdirSync(folder);
  const path = join(folder, name);
  const lines = readFileSync(path, "utf8").split("\n");
  const foreign = lines.map((line) => (line.includes("pnpm") ? line.replace("claude-code", "codex") : line));
  expect(foreign).not.toEqual(lines);
  writeFileSync(path, foreign.join("\n"));
  story.config({ ...backfill, provider: "local", baseUrl: stub.url });
  const later = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 30 });
  story.transcript(SHOP, S2, later.user(TABS).assistant("Noted.").text());

  await story.sync();

  const sent = JSON.stringify(stub.requests.map(({ body }) => body));
  expect(sent).toContain("beta on Mondays");
  expect(sent).not.toContain("pnpm");
});

it("shows a model nothing of what a person put into <private> in a memory of their own", async () => {
  const story = createStory();
  const own = "---\nname: own\ndescription: Mine <private>Gerald</private>\ntype: user\n---\n\n";
  mkdirSync(story.memoryDir(SHOP), { recursive: true });
  const path = join(story.memoryDir(SHOP), "user_own.md");
  writeFileSync(path, `${own}I like tea.\n<private>My salary is low.</private>\n`);
  const before = readFileSync(path, "utf8");
  story.config({ ...backfill, provider: "local", baseUrl: stub.url });
  say(story, SQUASH_WORDS);
  stub.reply({ blocks: [{ tool: "read", input: { file: "user_own.md" } }] });
  stub.reply({ blocks: [{ tool: "edit", input: { file: "user_own.md", old: "tea", new: "coffee" } }] });

  await story.sync();

  const sent = JSON.stringify(stub.requests.map(({ body }) => body));
  expect(sent).toContain("I like tea.");
  expect(sent).not.toMatch(/Gerald|salary/u);
  expect(readFileSync(path, "utf8")).toBe(before);
});
