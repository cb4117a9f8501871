// Stories about projects and memory folders: whose memory it is, what is written, and what is left alone.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createStory, SHOP, S1, TABS } from "./story.ts";

const said = (cwd: string, text: string, number = 1) =>
  createTranscript({ cwd, sessionId: sessionIdOf(number), firstNumber: number * 10 })
    .user(text)
    .assistant("ok")
    .text();

describe("a memory", () => {
  it("names the record it rests on, has a line in the index and today's format", async () => {
    const story = createStory();
    const session = createTranscript({ cwd: SHOP })
      .user("Remember that we deploy from the release branch, never from main.")
      .assistant("ok");
    story.transcript(SHOP, S1, session.text());

    const report = await story.sync();

    const [file = ""] = story.topics(SHOP);
    expect(report.memories.created).toBe(1);
    expect(story.index(SHOP)).toContain(`](${file})`);
    expect(story.learnt(SHOP)).toMatch(
      /^---\nname: [a-z0-9-]+\ndescription: .*\nmetadata:\n {2}node_type: memory\n {2}type: (?:feedback|project)\n/,
    );
    expect(story.learnt(SHOP)).toContain(session.recordIds()[0]);
    expect(story.learnt(SHOP)).toContain(`originSessionId: ${sessionIdOf(1)}`);
  });

  it("said again in another session is confirmed, not copied", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, said(SHOP, TABS));
    await story.sync();
    story.transcript(
      SHOP,
      `${sessionIdOf(2)}.jsonl`,
      createTranscript({
        cwd: SHOP,
        sessionId: sessionIdOf(2),
        firstNumber: 30,
        startAt: Date.UTC(2026, 5, 1),
      })
        .user(TABS)
        .text(),
    );

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, confirmed: 1 });
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(story.learnt(SHOP)).toContain("confirmed: 2026-06-01");
  });

  it("that a person forgot never comes back from the same words, even by a backfill", async () => {
    const story = createStory();
    story.transcript(SHOP, S1, said(SHOP, TABS));
    await story.sync();
    const [file = ""] = story.topics(SHOP);

    const reply = await story.ask((service) => service.forget({ name: file, project: SHOP }));
    await story.sync({ backfillDays: "all" });

    expect(reply.outcome).toBe("forgotten");
    expect(story.topics(SHOP)).toEqual([]);
    expect(story.index(SHOP)).not.toContain(file);
  });
});

describe("projects", () => {
  it("that share one key share a folder but never each other's facts", async () => {
    // B19
    const story = createStory();
    const roots = ["/home/ana/my_app", "/home/ana/my-app", "/home/ana/my.app"];
    for (const [index, root] of roots.entries()) {
      story.transcript(
        root,
        `${sessionIdOf(index + 1)}.jsonl`,
        said(
          root,
          `Remember that the ${["first", "second", "third"][index]} database is the one to use.`,
          index + 1,
        ),
      );
    }

    await story.sync();

    const status = await story.ask((service) => service.status());
    expect(status.projects.map((project) => project.root).toSorted()).toEqual(roots.toSorted());
    expect(status.warnings.filter((warning) => warning.code === "key_collision")).toHaveLength(1);
    expect(story.topics("/home/ana/my-app")).toHaveLength(3);
    for (const root of roots) expect(story.learnt("/home/ana/my-app")).toContain(root);
  });

  it("with CJK names of one length are told apart; two spellings of one name are one", async () => {
    // B20
    const story = createStory();
    const [news, stash, hangul] = ["/home/ana/work/新聞", "/home/ana/work/暫存", "/home/ana/한글"] as const;
    story.transcript(news, S1, said(news, "Remember that the client of this one is Kaito."));
    story.transcript(
      stash,
      `${sessionIdOf(2)}.jsonl`,
      said(stash, "Remember that the client of that one is Mirae.", 2),
    );
    story.transcript(hangul, `${sessionIdOf(3)}.jsonl`, said(hangul, "hello there", 3));
    story.transcript(hangul, `${sessionIdOf(4)}.jsonl`, said(hangul.normalize("NFD"), "hello again", 4));

    await story.sync();

    const { projects } = await story.ask((service) => service.status());
    expect(projects.map((project) => project.root).toSorted()).toEqual([news, stash, hangul].toSorted());
  });

  it("below a repository that is the home folder itself stay apart", async () => {
    // B23
    const story = createStory();
    const home = story.home.home;
    mkdirSync(join(home, ".git"));
    for (const [index, name] of ["notes", "tax"].entries()) {
      mkdirSync(join(home, name));
      story.transcript(
        join(home, name),
        `${sessionIdOf(index + 1)}.jsonl`,
        said(join(home, name), "hello", index + 1),
      );
    }
    story.transcript(home, `${sessionIdOf(3)}.jsonl`, said(home, "hello", 3));
    story.transcript("/", `${sessionIdOf(4)}.jsonl`, said("/", "hello", 4));

    await story.sync();

    const { projects } = await story.ask((service) => service.status());
    expect(projects.map((project) => project.root).toSorted()).toEqual(
      ["/", home, join(home, "notes"), join(home, "tax")].toSorted(),
    );
  });

  it("spelt with another drive letter are one, with another case on Linux two", async () => {
    // B24
    const story = createStory();
    const spellings = [
      "C:\\git\\ai-p",
      "c:\\git\\ai-p",
      "/Users/ana/Code/App",
      "/Users/ana/code/app",
      "\\\\wsl$\\Ubuntu\\home\\ana\\x",
    ];
    for (const [index, cwd] of spellings.entries()) {
      story.transcript(cwd, `${sessionIdOf(index + 1)}.jsonl`, said(cwd, "hello", index + 1));
    }

    await story.sync();

    const { projects } = await story.ask((service) => service.status());
    expect(projects).toHaveLength(4);
  });
});

describe("a memory folder", () => {
  it("gets what was wrong in its index at first sight mended together with our next write, not before", async () => {
    const story = createStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      join(dir, "note_orphan.md"),
      "---\nname: orphan\ndescription: nobody lists me\ntype: project\n---\nOrphan.\n",
    );
    const wrong = "# Mine\n- [Gone](gone.md) — not there any more\n- see https://example.org/a.md\n";
    writeFileSync(join(dir, "MEMORY.md"), wrong);
    story.transcript(SHOP, S1, said(SHOP, "hello there"));
    await story.sync();
    expect(story.index(SHOP)).toBe(wrong);
    story.transcript(SHOP, `${sessionIdOf(2)}.jsonl`, said(SHOP, TABS, 2));

    await story.sync();

    expect(story.index(SHOP)).toContain("](note_orphan.md)");
    expect(story.index(SHOP)).not.toContain("gone.md");
    expect(story.index(SHOP)).toContain("# Mine\n");
    expect(story.index(SHOP)).toContain("- see https://example.org/a.md\n");
  });

  it("over its caps is brought within them, newest kept, and no topic file is deleted for it", async () => {
    // B25
    const story = createStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    const lines = Array.from({ length: 203 }, (_, n) => {
      writeFileSync(
        join(dir, `note_${n}.md`),
        `---\nname: note-${n}\ndescription: note ${n}\ntype: project\n---\nNote ${n}.\n`,
      );
      return `- [Note ${n}](note_${n}.md) — a line of about sixty bytes for note ${n}`;
    });
    writeFileSync(join(dir, "MEMORY.md"), `${lines.join("\n")}\n`);
    story.transcript(SHOP, S1, said(SHOP, TABS));

    await story.sync();

    const index = story.index(SHOP);
    expect(index.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(index)).toBeLessThanOrEqual(25_000);
    expect(index).toContain("tabs");
    expect(story.topics(SHOP)).toHaveLength(204);
  });

  it("keeps odd files byte-identical and lists what is no memory", async () => {
    // B29, B32
    const story = createStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    const odd = new Map([
      ["broken.md", "---\nname: z\nno closing fence\n"],
      ["typed.md", "---\nname: 2026-04-03\ndescription: yes\ntype: 12\n---\nb"],
      ["MEMORY.sync-conflict-20260504-101500-ABCDEFG.md", "copy"],
      ["user_role.md~", "backup"],
      ["crlf.md", "---\r\nname: x\r\ntype: user\r\n---\r\nbody\r\n"],
    ]);
    for (const [name, content] of odd) writeFileSync(join(dir, name), content);
    story.transcript(SHOP, S1, said(SHOP, TABS));

    await story.sync();

    for (const [name, content] of odd) expect(readFileSync(join(dir, name), "utf8")).toBe(content);
    const list = await story.ask((service) => service.memories({ project: SHOP }));
    expect(list.notMemories.map(({ file }) => file)).toContain(
      "MEMORY.sync-conflict-20260504-101500-ABCDEFG.md",
    );
    expect(list.memories.map(({ name }) => name)).toContain("2026-04-03");
  });

  it("that is a link stays one, and links planted inside it are never read", async () => {
    // B31
    const story = createStory();
    const real = story.home.folder.folder("home/dotfiles/mem");
    mkdirSync(join(story.memoryDir(SHOP), ".."), { recursive: true });
    symlinkSync(real, story.memoryDir(SHOP));
    const key = story.home.folder.write("home/.ssh/id_demo", "---\nname: leak\n---\nPRIVATE\n");
    symlinkSync(key, join(real, "leak.md"));
    story.transcript(SHOP, S1, said(SHOP, TABS));

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.index(SHOP)).not.toContain("leak");
    const list = await story.ask((service) => service.memories({ project: SHOP }));
    expect(JSON.stringify(list.memories)).not.toContain("PRIVATE");
  });
});

describe("switches", () => {
  it.each([
    ["the environment says so", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }, {}, 0],
    ["the settings say so", {}, { autoMemoryEnabled: false }, 0],
    [
      "not when the environment says on",
      { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" },
      { autoMemoryEnabled: false },
      1,
    ],
  ])("turn memory off: %s", async (_, env, settings, created) => {
    const story = createStory(env);
    writeFileSync(join(story.home.home, ".claude/settings.json"), JSON.stringify(settings));
    story.transcript(SHOP, S1, said(SHOP, TABS));

    const report = await story.sync();

    expect(report.memories.created).toBe(created);
    expect(story.topics(SHOP)).toHaveLength(created);
  });

  it("of the person's own turn one project off and keep proposals of another aside", async () => {
    const story = createStory();
    story.config({ projects: { [SHOP]: { mode: "off" }, "/home/ana/tax": { mode: "propose" } } });
    story.transcript(SHOP, S1, said(SHOP, TABS));
    story.transcript("/home/ana/tax", `${sessionIdOf(2)}.jsonl`, said("/home/ana/tax", TABS, 2));

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, candidates: 1 });
    expect(story.topics(SHOP)).toEqual([]);
  });
});

describe("what a person asks for by command", () => {
  it.each([
    ["The support contract ends on 12 December 2031.", /^project_support_contract_ends_/, "2031-12-12"],
    ["always run the linter before you commit", /^feedback_/, "Always run the linter"],
    ["I am new to Rust.", /^user_/, "I am new to Rust."],
    ["The board is at https://board.internal/team", /^reference_/, "https://board.internal/team"],
  ])("becomes the memory that typed words would become: %s", async (text, name, learnt) => {
    const story = createStory();

    const reply = await story.ask((service) => service.remember({ text, project: SHOP }));

    expect(reply.outcome).toBe("created");
    expect(reply.file).toMatch(name);
    expect(story.learnt(SHOP)).toContain(learnt);
  });
});
