// Stories about projects whose keys collide: one folder, several projects, and no fact that crosses between them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Story } from "./story.ts";
import { createStory } from "./story.ts";

const UNDERSCORE = "/home/ana/my_app";
const DASH = "/home/ana/my-app";
const DOT = "/home/ana/my.app";
const RULE = "Remember that releases go out on Tuesdays after the weekly review.";

/** One session of a project with one sentence, each in a month of its own. */
function tell(story: Story, cwd: string, text: string, number: number): void {
  const session = createTranscript({
    cwd,
    sessionId: sessionIdOf(number),
    firstNumber: 100 * number,
    startAt: Date.UTC(2026, number, 4),
  });
  story.transcript(cwd, `${sessionIdOf(number)}.jsonl`, session.user(text).assistant("ok").text());
}

const files = (story: Story) =>
  new Map(story.topics(DASH).map((file) => [file, readFileSync(join(story.memoryDir(DASH), file), "utf8")]));

describe("projects that share a memory folder", () => {
  it("are told apart by what the records say, with one warning that names them all", async () => {
    // B19
    const story = createStory();
    tell(story, UNDERSCORE, "Remember that the database of this service is Postgres.", 1);
    tell(story, DASH, "Remember that the database of this service is SQLite.", 2);
    tell(story, DOT, "Remember that the database of this service is MongoDB.", 3);

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 3, updated: 0, confirmed: 0, deleted: 0 });
    const status = await story.ask((service) => service.status());
    const warnings = status.warnings.filter(({ code }) => code === "key_collision");
    expect(warnings).toHaveLength(1);
    for (const root of [UNDERSCORE, DASH, DOT]) expect(warnings[0]?.message).toContain(root);
    expect(status.projects.map(({ root }) => root).toSorted()).toEqual([UNDERSCORE, DASH, DOT].toSorted());
    expect(new Set(status.projects.map(({ memoryDir }) => memoryDir)).size).toBe(1);
    const texts = [...files(story).values()];
    for (const [root, value] of [
      [UNDERSCORE, "Postgres"],
      [DASH, "SQLite"],
      [DOT, "MongoDB"],
    ] as const) {
      expect(texts.find((text) => text.includes(value))).toContain(root);
    }
  });

  it("never confirm each other's words: the same sentence makes a memory of each", async () => {
    // B19
    const story = createStory();
    tell(story, UNDERSCORE, RULE, 1);
    tell(story, DASH, RULE, 2);
    await story.sync();
    const before = files(story);

    tell(story, DASH, RULE, 5);
    const again = await story.sync();

    expect(before.size).toBe(2);
    expect(again.memories).toMatchObject({ created: 0, confirmed: 1 });
    const touched = [...files(story)].filter(([file, text]) => before.get(file) !== text);
    expect(touched).toHaveLength(1);
    expect(touched[0]?.[1]).toContain(DASH);
    expect(touched[0]?.[1]).not.toContain(UNDERSCORE);
  });

  it("that come to share it later leave the first one's memories alone", async () => {
    // B19: the first project was alone when its memory was written, so its file names no origin.
    const story = createStory();
    tell(story, UNDERSCORE, RULE, 1);
    await story.sync();
    const before = files(story);

    tell(story, DASH, RULE, 2);
    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1, confirmed: 0, updated: 0 });
    for (const [file, text] of before) expect(files(story).get(file)).toBe(text);
  });

  it("have the memory a person asks for named after the project it was asked for", async () => {
    const story = createStory();
    tell(story, UNDERSCORE, "hello", 1);
    tell(story, DASH, "hello", 2);
    await story.sync();

    const reply = await story.ask((service) => service.remember({ text: RULE, project: DASH }));

    expect(reply.outcome).toBe("created");
    expect(story.learnt(DASH)).toContain(DASH);
    expect(story.learnt(DASH)).not.toContain(UNDERSCORE);
    // The undo of a memory names its own project, whichever of the two the folder is listed under.
    const { projects } = await story.ask((service) => service.news({}));
    const undos = projects.flatMap(({ items }) => items.map(({ undo }) => undo));
    expect(undos).toEqual([expect.stringContaining(` --project ${DASH}`)]);
  });
});

describe("paths that only look alike", () => {
  it("below another folder and with a dash are two projects", async () => {
    // B19
    const story = createStory();
    tell(story, "/home/ana/spec-rl", "Remember that the database of this service is Postgres.", 1);
    tell(story, "/home/ana/spec/rl", "Remember that the database of this service is SQLite.", 2);

    await story.sync();

    expect(story.topics("/home/ana/spec-rl")).toHaveLength(2);
    const { projects } = await story.ask((service) => service.status());
    expect(projects).toHaveLength(2);
  });

  it("with CJK names of one length keep their facts apart, with names that read", async () => {
    // B20
    const story = createStory();
    const [news, stash] = ["/home/ana/work/新聞", "/home/ana/work/暫存"] as const;
    tell(story, news, "Remember that the database of this service is Postgres.", 1);
    tell(story, stash, "Remember that the database of this service is SQLite.", 2);

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 2, confirmed: 0, updated: 0 });
    const status = await story.ask((service) => service.status());
    expect(status.warnings.find(({ code }) => code === "key_collision")?.message).toContain("新聞");
    const texts = story.topics(news).map((file) => readFileSync(join(story.memoryDir(news), file), "utf8"));
    expect(texts.find((text) => text.includes("Postgres"))).toContain(news);
    expect(texts.find((text) => text.includes("SQLite"))).toContain(stash);
  });
});
