// Stories about memory folders that others write too: caps, odd files, conflict copies, settling, removal, idleness.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../src/system/clock.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Story } from "./story.ts";
import { createStory, SHOP, TABS, MOCKS } from "./story.ts";

function tell(story: Story, text: string, number = 1): string {
  const session = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(number), firstNumber: 100 * number });
  return story.transcript(SHOP, `${sessionIdOf(number)}.jsonl`, session.user(text).assistant("ok").text());
}

/** A memory folder of these files, last changed an hour ago. */
function folderOf(story: Story, files: Readonly<Record<string, string>>): string {
  const dir = story.memoryDir(SHOP);
  mkdirSync(dir, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return dir;
}

const topic = (name: string, description: string, body = `${description}.`) =>
  `---\nname: ${name}\ndescription: ${description}\nmetadata:\n  type: project\n---\n${body}\n`;

/** Everything about every file that a write would change. */
const stateOf = (dir: string) =>
  readdirSync(dir)
    .toSorted()
    .map((name) => {
      const { ino, size, mtimeMs, ctimeMs } = statSync(join(dir, name));
      return { name, ino, size, mtimeMs, ctimeMs };
    });

describe("an index over its caps", () => {
  const lines = <T>(count: number, line: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => line(n));
  const cases = [
    [
      "203 lines of 60 bytes",
      203,
      (n: number) => `- [Note ${n}](note_${n}.md) — hook of about sixty bytes, number ${n}`,
    ],
    [
      "146 lines of 360 bytes",
      146,
      (n: number) => `- [Note ${n}](note_${n}.md) — ${`long hook ${n} `.repeat(30).slice(0, 320)}`,
    ],
    [
      "190 lines of CJK text",
      190,
      (n: number) => `- [注记 ${n}](note_${n}.md) — ${"提交信息都用中文写的很长的说明".repeat(6)}${n}`,
    ],
  ] as const;

  it.each(cases)(
    "of %s is within them after one write: whole lines, newest in, no topic file lost",
    async (_, count, line) => {
      // B25a, b, c
      const story = createStory();
      const topics = Object.fromEntries(
        lines(count, (n) => n).map((n) => [`note_${n}.md`, topic(`note-${n}`, `note ${n}`)]),
      );
      const before = lines(count, line);
      folderOf(story, { ...topics, "MEMORY.md": `${before.join("\n")}\n` });
      tell(story, TABS);

      const { events } = await story.inside(async ({ service, events }) => {
        await service.sync({});
        return { events };
      });

      const index = story.index(SHOP);
      const after = index.trimEnd().split("\n");
      expect(after.length).toBeLessThanOrEqual(200);
      expect(Buffer.byteLength(index)).toBeLessThanOrEqual(25_000);
      expect(index).toMatch(/tabs/);
      expect(story.topics(SHOP)).toHaveLength(count + 1);
      // Nothing is cut in the middle: each line links one whole file name.
      for (const each of after) expect(each).toMatch(/^- \[[^\]]+\]\([a-z0-9_]+\.md\)/u);
      // Every entry that left is named.
      const kept = new Set(after.map((each) => /\(([^)]+)\)/.exec(each)?.[1]));
      const left = Object.keys(topics).filter((file) => !kept.has(file));
      expect(
        events
          .seen("index:written")
          .flatMap((event) => event.left)
          .toSorted(),
      ).toEqual(left.toSorted());
      expect(left.length).toBeGreaterThan(0);
    },
  );

  it("made of the person's own text alone stays byte-identical, and the status says so", async () => {
    const story = createStory();
    const own = lines(230, (n) => `My own sentence number ${n} without any link.`).join("\n");
    const dir = folderOf(story, { "MEMORY.md": own });
    tell(story, TABS);

    await story.inside(async ({ service, events }) => {
      await service.sync({});
      expect(events.seen("warning:raised").map(({ code }) => code)).toContain("index-over-cap");
    });

    expect(readFileSync(join(dir, "MEMORY.md"), "utf8")).toBe(own);
    expect(story.topics(SHOP)).toHaveLength(1);
  });
});

describe("odd memory files", () => {
  const odd = {
    "a.md": "---\nname: fb\nmetadata:\n  type: feedback\n---\nb",
    "b.md":
      "---\npermalink: p/x\n---\n\n---\nname: real\ndescription: the useful line\ntype: project\n---\nb",
    "c.md": "---\nname: 2026-04-03\ndescription: yes\ntype: 12\n---\nb",
    "d.md": "---\n\nplain text\n\n---\nmore",
    "e.md": "---\r\nname: x\r\ntype: user\r\n---\r\nbody\r\n",
    "f.md": "\n---\nname: y\n---\nb",
    "g.md": "---\nname: z\nno closing fence\n",
    "h.md": "---\nname: real\ndescription: another one\n---\nb2",
  };

  it("are listed for what they are and stay byte-identical through passes", async () => {
    // B29
    const story = createStory();
    const dir = folderOf(story, odd);
    tell(story, TABS);
    await story.sync();
    await story.sync();

    const { memories, notMemories } = await story.ask((service) => service.memories({ project: SHOP }));

    for (const [name, content] of Object.entries(odd))
      expect(readFileSync(join(dir, name), "utf8")).toBe(content);
    const of = (file: string) => memories.find((memory) => memory.file === file);
    expect(of("a.md")).toMatchObject({ name: "fb", type: "feedback" });
    expect(of("b.md")).toMatchObject({ name: "real", description: "the useful line" });
    expect(of("c.md")).toMatchObject({ name: "2026-04-03", type: null });
    expect(of("d.md")).toMatchObject({ type: null, description: null });
    expect(of("e.md")).toMatchObject({ name: "x", type: "user" });
    expect(of("h.md")).toMatchObject({ name: "real", description: "another one" });
    expect([...memories, ...notMemories].map(({ file }) => file)).toEqual(
      expect.arrayContaining(Object.keys(odd)),
    );
  });

  it("that carry one name twice are not forgotten by that name", async () => {
    // B29 b and h
    const story = createStory();
    const dir = folderOf(story, odd);

    const reply = await story.ask((service) => service.forget({ name: "real", project: SHOP }));
    const exact = await story.ask((service) => service.forget({ name: "h.md", project: SHOP }));

    expect(reply).toMatchObject({ outcome: "ambiguous", matches: expect.arrayContaining(["b.md", "h.md"]) });
    expect(exact.outcome).toBe("forgotten");
    expect(existsSync(join(dir, "b.md"))).toBe(true);
    expect(existsSync(join(dir, "h.md"))).toBe(false);
  });

  it("left by editors and sync tools are no memories, are counted where it matters, and are never touched", async () => {
    // B32
    const story = createStory();
    const copies = {
      "MEMORY.sync-conflict-20260504-101500-ABCDEFG.md": "copy one",
      "user_role (ana's conflicted copy 2026-05-04).md": topic("role", "copy two"),
      "MEMORY 2.md": "copy three",
      ".user_role.md.icloud": "stub",
      "user_role.md~": topic("role", "backup"),
      "4913": "vim",
      "user_role.md.tmp8f": "half",
      "MEMORY.md": "- [Role](user_role.md) — the person is a nurse\n",
    };
    const dir = folderOf(story, copies);
    tell(story, TABS);

    await story.sync();

    for (const [name, content] of Object.entries(copies)) {
      if (name !== "MEMORY.md") expect(readFileSync(join(dir, name), "utf8")).toBe(content);
    }
    expect(story.index(SHOP)).toContain("](user_role.md)");
    expect(story.index(SHOP)).not.toMatch(/conflict|MEMORY 2|tmp8f|4913|~/);
    const { memories, notMemories } = await story.ask((service) => service.memories({ project: SHOP }));
    expect(memories).toHaveLength(1);
    expect(notMemories.filter(({ why }) => why === "conflict copy")).toHaveLength(3);
  });
});

describe("an idle memory folder", () => {
  it("is not written, listed again or worked for in ten rounds", async () => {
    // B32
    const clock = createClock();
    // What was made just now is noted once it is two seconds old, at whichever round that is: here it is a minute old.
    const story = createStory({}, { ...clock, now: () => clock.now() + 60_000 });
    folderOf(story, { "project_hand.md": topic("hand", "made by hand"), "MEMORY 2.md": "copy" });
    tell(story, TABS);
    await story.sync();
    const dir = story.memoryDir(SHOP);
    const before = [
      stateOf(dir),
      stateOf(story.home.stateDir),
      stateOf(join(story.home.stateDir, "cursors")),
    ];

    await story.inside(async ({ parts, events }) => {
      for (let round = 0; round < 10; round += 1) {
        parts.places.recheck();
        const { noticed } = await parts.rounds.run(new AbortController().signal);
        for (const each of noticed) parts.growth.schedule(each);
        for (const project of parts.places.known()) await parts.writer.upkeep(dir, project);
      }
      expect(events.names().filter((name) => name !== "sweep:finished")).toEqual([]);
    });

    expect([
      stateOf(dir),
      stateOf(story.home.stateDir),
      stateOf(join(story.home.stateDir, "cursors")),
    ]).toEqual(before);
  });

  it("keeps every time stamp when a pass has nothing to change in it", async () => {
    // B32
    const story = createStory();
    tell(story, TABS);
    await story.sync();
    const before = stateOf(story.memoryDir(SHOP));
    tell(story, "What does this function do?", 2);

    const report = await story.sync();

    expect(report.sessions.processed).toBe(1);
    expect(stateOf(story.memoryDir(SHOP))).toEqual(before);
  });
});

describe("a memory folder that somebody else just changed", () => {
  it("makes a job wait without moving its cursor, and a pass a person asked for does not wait", async () => {
    const story = createStory();
    story.config({ extract: { settleMs: 600_000 } });
    const dir = folderOf(story, { "project_hand.md": topic("hand", "made by the agent a moment ago") });
    tell(story, TABS);

    await story.inside(async ({ parts, events }) => {
      await parts.rounds.run(new AbortController().signal);
      parts.due(dir, { trigger: "quiet", now: false });
      const { outcome } = await events.waitFor("job:finished");
      expect(outcome).toMatchObject({ result: "delayed", reason: "settling" });
      if (outcome.result === "delayed") expect(outcome.at).toBeGreaterThan(parts.clock.now() + 500_000);
      expect([...parts.catalog.entries()].map(({ state }) => state.read)).toEqual([undefined]);
      expect(parts.queue.describe()).toMatchObject({ delayed: 1, dead: 0 });
    });
    expect(story.topics(SHOP)).toEqual(["project_hand.md"]);

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.topics(SHOP)).toHaveLength(2);
  });

  it("is not mistaken for one that we changed ourselves", async () => {
    const story = createStory();
    story.config({ extract: { settleMs: 600_000 } });
    const path = tell(story, TABS);

    await story.inside(async ({ parts, events }) => {
      const dir = story.memoryDir(SHOP);
      await parts.rounds.run(new AbortController().signal);
      parts.due(dir, { trigger: "quiet", now: false });
      await events.waitFor("job:finished");
      const more = createTranscript({ cwd: SHOP, firstNumber: 300 }).user(MOCKS).assistant("ok").text();
      writeFileSync(path, readFileSync(path, "utf8") + more);
      await parts.rounds.run(new AbortController().signal);
      parts.due(dir, { trigger: "quiet", now: false });
      await events.waitFor("job:finished", { count: 2 });

      expect(events.seen("job:finished").map(({ outcome }) => outcome.result)).toEqual([
        "succeeded",
        "succeeded",
      ]);
    });
    expect(story.topics(SHOP)).toHaveLength(2);
  });
});

describe("a memory folder that goes away", () => {
  it("is made again, private, with the next memory, and what was removed stays removed", async () => {
    // Fault 20
    const story = createStory();
    tell(story, TABS);
    await story.sync();
    rmSync(story.memoryDir(SHOP), { recursive: true });
    tell(story, MOCKS, 2);

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(statSync(story.memoryDir(SHOP)).mode & 0o777).toBe(0o700);
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(story.index(SHOP)).not.toContain("tabs");
    await story.sync({ backfillDays: "all" });
    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("and comes back from a backup has its memories and its index again", async () => {
    const story = createStory();
    tell(story, TABS);
    await story.sync();
    const dir = story.memoryDir(SHOP);
    const before = story.learnt(SHOP);
    renameSync(dir, `${dir}.backup`);
    await story.sync();
    renameSync(`${dir}.backup`, dir);
    tell(story, MOCKS, 2);

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.learnt(SHOP)).toContain(before.trim().split("\n").at(-1));
    expect(story.index(SHOP).trimEnd().split("\n")).toHaveLength(2);
  });
});

describe("what the daemon writes", () => {
  it("is private whatever the mask", async () => {
    // Fault 120
    const story = createStory();
    tell(story, TABS);
    const mask = process.umask(0);
    try {
      await story.sync();
    } finally {
      process.umask(mask);
    }

    const dir = story.memoryDir(SHOP);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077, name).toBe(0);
    for (const name of readdirSync(story.home.stateDir, { recursive: true, encoding: "utf8" })) {
      expect(statSync(join(story.home.stateDir, name)).mode & 0o077, name).toBe(0);
    }
  });
});
