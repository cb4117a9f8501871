// Daily logs by the built program: `engramd log`, an agent that keeps a log of its own, and sessions that go into one.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../helpers/daemon-process.ts";
import { NOON, zoneNamed } from "../helpers/time-zone.ts";
import { turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, SHOP, TABS } from "./story.ts";

const { offsetMs } = zoneNamed(NOON);
const today = new Date(Date.now() + offsetMs(Date.now())).toISOString().slice(0, 10);
const LOG = `logs/${today.slice(0, 4)}/${today.slice(5, 7)}/${today}.md`;

function engramd(story: Story, ...args: readonly string[]) {
  return runCommand({ home: story.home, env: { TZ: NOON }, args: [...args, "--json"] });
}

async function sync(story: Story) {
  const done = await engramd(story, "sync");
  expect(done.stderr).toBe("");
  return JSON.parse(done.stdout);
}

async function log(story: Story, text: string) {
  const done = await engramd(story, "log", text, "--project", SHOP);
  return { ...done, reply: JSON.parse(done.stdout) };
}

function configure(story: Story, config: object): void {
  mkdirSync(dirname(story.home.configFile), { recursive: true });
  writeFileSync(story.home.configFile, JSON.stringify(config));
}

const topicsIn = (memoryDir: string) =>
  existsSync(memoryDir) ? readdirSync(memoryDir).filter((name) => name.endsWith(".md")) : [];

describe("engramd log", () => {
  it("tells the file and the line, and refuses a secret", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, turn("hello"));
    await sync(story);

    const { code, reply } = await log(story, "Ana takes over billing\nin June");
    const again = await log(story, "more");
    const secret = await log(story, `token ${["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_")}`);

    expect(code).toBe(0);
    expect(reply).toMatchObject({ v: 1, outcome: "logged", line: 1, reason: null });
    expect(reply.path.endsWith(LOG)).toBe(true);
    const said = /^- (\S{10})T\d\d:\d\d([+-]\d\d:\d\d) (.*)$/u.exec(reply.text)?.slice(1);
    expect(said).toEqual([
      today,
      expect.stringMatching(/^[+-]\d\d:00$/u),
      "Ana takes over billing / in June",
    ]);
    expect(again.reply).toMatchObject({ line: 2 });
    expect(readFileSync(reply.path, "utf8").split("\n")).toEqual([reply.text, again.reply.text, ""]);
    expect(secret).toMatchObject({ code: 1, reply: { outcome: "refused", reason: "secret", path: null } });
    expect((await engramd(story, "log")).code).toBe(2);
  });
});

describe("the date of a log", () => {
  it.each(["2026-02-30", "yesterday", "../../x", "2026-1-5"])(
    "is one of the calendar: %s is refused",
    async (date) => {
      const story = createStory();
      story.transcript(SHOP, S1, turn("hello"));
      await sync(story);

      const done = await engramd(story, "distill", "--date", date, "--project", SHOP);

      expect(done.code).toBe(2);
      expect(JSON.parse(done.stdout).error.code).toBe("bad-option-value");
      await expect(story.ask((service) => service.distill({ project: SHOP, date }))).rejects.toMatchObject({
        code: "bad-option-value",
      });
    },
  );
});

describe("a memory that was made of a log", () => {
  it("tells the line that taught it, and a purge names the log where it still stands", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, turn("hello"));
    await sync(story);
    const { reply } = await log(story, RELEASE);
    await engramd(story, "distill", "--project", SHOP);
    const [made = ""] = topicsIn(reply.path.slice(0, -LOG.length - 1)).filter((name) => name !== "MEMORY.md");
    const about = made.replace(/\.md$/u, "");

    const why = JSON.parse((await engramd(story, "why", about, "--project", SHOP)).stdout);
    const purged = JSON.parse((await engramd(story, "forget", about, "--purge", "--project", SHOP)).stdout);

    expect(why.message).toBe("learned from the daily log");
    expect(why.evidence).toMatchObject([{ by: "user", missing: null }]);
    expect(reply.text).toContain(why.evidence[0].quote);
    expect(purged.purged.remains).toContainEqual({ what: "daily-log", path: reply.path });
    expect(readFileSync(reply.path, "utf8")).toBe(`${reply.text}\n`);
  });
});

describe("an agent that keeps a daily log", () => {
  it("has its sessions left unread, with the reason, until it stops", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, turn(TABS));
    const { reply } = await log(story, "a note of mine");
    const memoryDir = reply.path.slice(0, -LOG.length - 1);
    writeFileSync(reply.path, `${readFileSync(reply.path, "utf8")}- 09:00 the user likes tabs\n`);

    const kept = await sync(story);
    expect(kept.memories.created).toBe(0);
    expect(topicsIn(memoryDir)).toEqual([]);
    const status = await engramd(story, "status");
    expect(JSON.stringify(JSON.parse(status.stdout).projects)).toContain("daily-log-mode");

    writeFileSync(reply.path, `${reply.text}\n`);
    expect((await sync(story)).memories.created).toBe(1);
  });
});

describe('extract.target "daily-log"', () => {
  it("notes what was said in today's log, once, and writes no topic file", async () => {
    const story = createStory();
    configure(story, { extract: { target: "daily-log" } });
    story.transcript(SHOP, S1, turn(TABS) + turn(RELEASE, 20));

    await sync(story);
    const memoryDir = join(dirname(dirname(dirname(dirname((await log(story, "x")).reply.path)))));
    const lines = readFileSync(join(memoryDir, LOG), "utf8").split("\n");
    await sync(story);

    expect(topicsIn(memoryDir)).toEqual([]);
    expect(lines.filter((line) => line.includes(TABS))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(RELEASE))).toHaveLength(1);
    expect(readFileSync(join(memoryDir, LOG), "utf8").split("\n")).toEqual(lines);
  });
});
