// Stories about what a person may switch: memory off, one project off, read-only or by proposal, what was passed over.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import type { Story } from "./story.ts";
import { createStory, SHOP, TABS } from "./story.ts";

const TAX = "/home/ana/tax";

function tell(story: Story, cwd: string, number = 1): void {
  const session = createTranscript({ cwd, sessionId: sessionIdOf(number), firstNumber: 100 * number });
  story.transcript(cwd, `${sessionIdOf(number)}.jsonl`, session.user(TABS).assistant("ok").text());
}

const settings = (story: Story, value: unknown) =>
  writeFileSync(join(story.home.home, ".claude/settings.json"), JSON.stringify(value));

/** Every word engramd keeps of its own. */
const kept = (story: Story) =>
  readdirSync(story.home.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");

describe("memory that is switched off", () => {
  it.each([
    ["by the environment", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }, {}],
    [
      "by the environment against the settings",
      { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "true" },
      { autoMemoryEnabled: true },
    ],
    ["by the person's settings", {}, { autoMemoryEnabled: false }],
  ])("%s is neither read for nor written to, and says why it waits", async (_, env, value) => {
    const story = createStory(env);
    settings(story, value);
    tell(story, SHOP);

    const report = await story.sync();
    const background = await story.inside(async ({ parts, events }) => {
      const { noticed } = await parts.rounds.run(new AbortController().signal);
      for (const each of noticed) parts.growth.schedule(each);
      return { due: parts.debounce.size(), jobs: events.seen("job:started").length };
    });

    expect(report).toMatchObject({ records: 0, runs: [], memories: { created: 0, candidates: 0 } });
    expect(background).toEqual({ due: 0, jobs: 0 });
    expect(story.topics(SHOP)).toEqual([]);
    expect(kept(story)).not.toContain("indentation");
    const [project] = (await story.ask((service) => service.status())).projects;
    expect(project?.waitingFor).toBe("memory-off");
  });

  it("and on again learns only what is new, unless a person asks for the rest", async () => {
    const story = createStory();
    settings(story, { autoMemoryEnabled: false });
    tell(story, SHOP);
    await story.sync();
    settings(story, {});

    const ordinary = await story.sync();
    const backfill = await story.sync({ backfillDays: "all" });

    expect(ordinary.memories.created).toBe(0);
    expect(backfill.memories.created).toBe(1);
  });

  it("in one repository by its own settings leaves the other projects on", async () => {
    const story = createStory();
    const off = story.home.folder.folder("home/shop");
    mkdirSync(join(off, ".git"));
    mkdirSync(join(off, ".claude"));
    writeFileSync(join(off, ".claude/settings.json"), JSON.stringify({ autoMemoryEnabled: false }));
    tell(story, off, 1);
    tell(story, TAX, 2);

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.topics(off)).toEqual([]);
    expect(story.topics(TAX)).toHaveLength(1);
  });

  it("by the settings but on by the environment is on", async () => {
    const story = createStory({ CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" });
    settings(story, { autoMemoryEnabled: false });
    tell(story, SHOP);

    expect((await story.sync()).memories.created).toBe(1);
  });
});

describe("a project's mode", () => {
  it.each(["off", "read-only"])("%s learns nothing and leaves the folder alone", async (mode) => {
    const story = createStory();
    story.config({ projects: { [SHOP]: { mode } } });
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      join(dir, "project_hand.md"),
      "---\nname: hand\ndescription: by hand\ntype: project\n---\nBy hand.\n",
    );
    tell(story, SHOP);

    const report = await story.sync();

    expect(report).toMatchObject({ records: 0, memories: { created: 0, candidates: 0 } });
    expect(readdirSync(dir)).toEqual(["project_hand.md"]);
    const [project] = (await story.ask((service) => service.status())).projects;
    expect(project).toMatchObject({ mode, waitingFor: mode === "off" ? "mode-off" : mode, memories: 1 });
    const { memories } = await story.ask((service) => service.memories({ project: SHOP }));
    expect(memories).toHaveLength(1);
  });

  it("propose keeps what it would have saved for a person, once", async () => {
    const story = createStory();
    story.config({ projects: { "/home/ana/*": { mode: "propose" } } });
    tell(story, SHOP);

    const first = await story.sync();
    const again = await story.sync({ backfillDays: "all" });

    expect(first.memories).toMatchObject({ created: 0, candidates: 1 });
    expect(again.memories).toMatchObject({ created: 0, candidates: 0 });
    expect(story.topics(SHOP)).toEqual([]);
  });

  it("given for the nearest path wins over a wider one", async () => {
    const story = createStory();
    story.config({ projects: { "/home/ana/**": { mode: "off" }, [TAX]: { mode: "auto" } } });
    tell(story, SHOP, 1);
    tell(story, TAX, 2);

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.topics(TAX)).toHaveLength(1);
  });
});

describe("extraction that is switched off", () => {
  it("counts what was typed and learns nothing from it", async () => {
    const story = createStory();
    story.config({ extract: { enabled: false } });
    tell(story, SHOP);

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, candidates: 0 });
    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 1 });
  });
});

describe("a configuration that cannot be used", () => {
  it.each([
    ["a value out of range", '{"concurrency":-1}', /concurrency/],
    ["text that is no JSON", "{nope", /config/],
    ["a mode nobody knows", '{"projects":{"/a":{"mode":"sometimes"}}}', /mode/],
  ])("(%s) ends the daemon with exit code 3 and what is wrong", async (_, text, named) => {
    const story = createStory();
    mkdirSync(join(story.home.home, ".config/engramd"), { recursive: true });
    writeFileSync(story.home.configFile, text);

    const { code, stderr } = await runCommand({ home: story.home, args: ["run"] });

    expect(code).toBe(3);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(named);
  });
});
