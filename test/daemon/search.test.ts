// `engramd search` over real memory folders: in this process, through the daemon, and what it prints.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { quickStory, started, turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

const TAX = "/home/ana/tax";
const HOSTILE = "\u001b]0;pwned\u0007\u202e";
/** Anything a terminal would obey; line feeds are ours. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u;

async function learntStory(): Promise<Story> {
  const story = createStory();
  story.transcript(SHOP, S1, turn(TABS) + turn(MOCKS, 20) + turn(RELEASE, 40));
  const tax = createTranscript({ cwd: TAX }).user("Remember that the tax database is read-only.");
  story.transcript(TAX, S2, tax.assistant("ok").text());
  await story.sync();
  return story;
}

function search(story: Story, ...args: readonly string[]) {
  return runCommand({ home: story.home, args: ["search", ...args] });
}

it("finds the memories of this project, or of all, ranked, in the shape of a list", async () => {
  const story = await learntStory();

  const here = await search(story, "database", "--project", SHOP, "--json");
  const everywhere = await search(story, "database", "--all", "--json");

  expect(here).toMatchObject({ code: 0, stderr: "" });
  const [found, ...more] = JSON.parse(here.stdout).memories;
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    file: expect.stringMatching(/database/u),
    type: expect.any(String),
    project: SHOP,
    ageDays: expect.any(Number),
    evidence: [expect.any(String)],
  });
  expect(found.score).toBeGreaterThan(0);
  expect(found).not.toHaveProperty("body");
  expect(JSON.parse(everywhere.stdout)).toMatchObject({ v: 1, more: 0 });
  expect(
    JSON.parse(everywhere.stdout)
      .memories.map(({ project }: { project: string }) => project)
      .toSorted(),
  ).toEqual([SHOP, TAX]);
});

it("gives the same answer through the daemon", async () => {
  const story = await learntStory();
  const own = await search(story, "release", "branch", "--project", SHOP, "--json");
  await started(story);

  const asked = await search(story, "release", "branch", "--project", SHOP, "--json");

  expect(JSON.parse(own.stdout).memories).toHaveLength(1);
  expect(JSON.parse(asked.stdout)).toEqual(JSON.parse(own.stdout));
  expect((await search(story, "数据库?&=%", "--project", SHOP)).stdout).toContain("no memory has any");
});

it("never prints a control character of a memory, fits 40 columns and carries no colour", async () => {
  const story = quickStory();
  const dir = story.memoryDir(SHOP);
  mkdirSync(dir, { recursive: true });
  story.transcript(SHOP, S1, turn("hello"));
  const header = `---\nname: "needle ${JSON.stringify(HOSTILE).slice(1, -1)}"\ndescription: needle and a long line about it\n---\n`;
  writeFileSync(join(dir, "project_needle.md"), `${header}${HOSTILE} needle\n`);

  const text = await runCommand({
    home: story.home,
    args: ["search", "needle", "--project", SHOP],
    env: { COLUMNS: "40" },
  });
  const document = await search(story, "needle", "--project", SHOP, "--json");

  for (const { code, stdout, stderr } of [text, document]) {
    expect(code).toBe(0);
    expect(stdout).toContain("needle");
    expect(stdout + stderr).not.toMatch(CONTROL);
  }
  expect(Math.max(...text.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
});

it("wants words, and not too many", async () => {
  const story = createStory();

  for (const words of [[], ["--", "?!"], ["x".repeat(1_001)]]) {
    expect(await search(story, ...words)).toMatchObject({ code: 2, stdout: "" });
  }
});

it("says how many fit beyond the first fifty", async () => {
  const story = createStory();
  const dir = story.memoryDir(SHOP);
  mkdirSync(dir, { recursive: true });
  story.transcript(SHOP, S1, turn("hello"));
  for (let at = 0; at < 60; at++) {
    writeFileSync(join(dir, `project_m${at}.md`), `---\nname: m${at}\ndescription: a needle\n---\nx\n`);
  }

  const { stdout } = await search(story, "needle", "--project", SHOP);

  expect(stdout.split("\n").filter((line) => line.includes("a needle"))).toHaveLength(50);
  expect(stdout).toContain("and 10 others that fit less well");
});
