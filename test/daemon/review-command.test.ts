// `engramd review` as it is typed: what it prints, what it asks, how it ends; hostile text is never printed raw.
import { expect, it } from "vitest";
import type { DecideReply, InboxReply } from "../../src/domain/inbox.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { CommandResult } from "../helpers/daemon-process.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import { CONTROL, HOSTILE } from "./command-lines.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, S1, SHOP, TABS } from "./story.ts";

/** A home with three proposals; one of them would like to be obeyed by the terminal. */
async function home(): Promise<Story> {
  const story = createStory();
  story.config({ projects: { [SHOP]: { mode: "propose" } } });
  const hostile = `Remember that the ${HOSTILE} banner greets everybody in the lobby.`;
  const session = createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").user(MOCKS).assistant("ok");
  story.transcript(SHOP, S1, session.user(hostile).assistant("ok").text());
  await story.sync();
  return story;
}

async function review(story: Story, ...args: readonly string[]): Promise<CommandResult> {
  const result = await runCommand({ home: story.home, args: ["review", "--project", SHOP, ...args] });
  expect(result.stdout + result.stderr).not.toMatch(CONTROL);
  return result;
}

it("lists what waits, shows one with its words, and takes a yes and a no by the id", async () => {
  const story = await home();
  const list = await review(story);
  expect(list.code).toBe(0);
  expect(list.stdout).toMatch(/^id +kind +age +what/u);
  const ids = list.stdout.match(/^[0-9a-f]{8}(?= )/gmu) ?? [];
  expect(ids).toHaveLength(3);

  const { items } = JSON.parse((await review(story, "--json")).stdout) as InboxReply;
  const hostile = items.find(({ evidence }) => evidence[0]?.quote.includes("evil"))?.id ?? "";
  const shown = await review(story, "show", hostile);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('you: "');
  expect(shown.stdout).toMatch(/^\+type: /mu);
  expect(shown.stdout).toContain(`engramd review accept ${hostile}`);
  const accepted = await review(story, "accept", ids[0] ?? "", ids[1] ?? "");
  expect(accepted.stdout).toMatch(/to take this back: engramd undo \S+/u);
  const rejected = await review(story, "reject", ids[2] ?? "", "--json");
  const document = JSON.parse(rejected.stdout) as DecideReply;
  expect(DOCUMENTS["review reject"]?.safeParse(document).error).toBeUndefined();

  expect(story.topics(SHOP)).toHaveLength(2);
  expect((await review(story)).stdout).toBe("nothing waits for you\n");
});

it("does everything at once only after a yes", async () => {
  const story = await home();

  const asked = await review(story, "accept", "--all");
  const document = await review(story, "reject", "--all", "--json");
  expect([asked.code, document.code]).toEqual([1, 1]);
  expect(asked.stderr).toContain("nothing was accepted: nobody said yes to this");
  expect(JSON.parse(document.stdout)).toMatchObject({ error: { code: "needs-yes" } });
  expect(story.topics(SHOP)).toEqual([]);

  const done = await review(story, "accept", "--all", "--yes");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(/accepted 3\n$/u);
  expect(story.topics(SHOP)).toHaveLength(3);
});

it.each([
  [["maybe"], "unknown-action"],
  [["accept"], "bad-usage"],
  [["accept", "x", "--all"], "bad-usage"],
  [["list", "x"], "bad-usage"],
  [["show"], "bad-usage"],
  [["--all"], "bad-usage"],
])("%s is wrong usage", async (args, code) => {
  const result = await review(createStory(), ...args);

  expect(result.code).toBe(2);
  expect(result.stderr).toMatch(/^engramd: [^\n]+\n$/u);
  expect(result.stderr).toContain(`(${code})`);
});
