// Settings that point at keys or at everything (faults 93, 94): the person's own are refused at the start, a
// repository's are never followed. Front matter that is code or a bomb (faults 95 to 98) in a whole pass.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/domain/errors.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import type { Story } from "../daemon/story.ts";
import { createStory, S1, SHOP, TABS } from "../daemon/story.ts";
import { costOf } from "../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 9;

describe("a transcript root of the person's configuration", () => {
  it.each([
    ["the keys", "~/.ssh"],
    ["a folder below the keys", "~/.ssh/sessions"],
    ["everything", "/"],
    ["the home folder", "~"],
    ["the system's settings", "/etc"],
    ["a way back to the keys", "~/projects/../.ssh"],
    ["a link to the keys", "~/link"],
  ])("that is %s is refused before anything starts (fault 94)", async (_what, root) => {
    const story = createStory();
    mkdirSync(join(story.home.home, ".ssh"));
    symlinkSync(join(story.home.home, ".ssh"), join(story.home.home, "link"));
    story.config({ agents: { "claude-code": { roots: [root] } } });

    for (const args of [["run"], ["sync"]]) {
      const { code, stdout, stderr } = await runCommand({ home: story.home, args });

      expect(code).toBe(EXIT.config);
      expect(stdout + stderr).toContain("agents.claude-code.roots");
      expect(stdout + stderr).toContain(JSON.stringify(root));
      expect(stdout + stderr).toMatch(/name the folder that holds only transcripts/u);
    }
    expect(existsSync(story.home.stateDir)).toBe(false);
  });
});

/** A real repository with settings of its own. */
function repository(story: Story): string {
  const root = join(story.home.home, "shop");
  mkdirSync(join(root, ".git/objects"), { recursive: true });
  mkdirSync(join(root, ".git/refs"));
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  mkdirSync(join(root, ".claude"));
  mkdirSync(join(story.home.home, ".ssh"));
  story.transcript(root, S1, createTranscript({ cwd: root }).user(TABS).assistant("ok").text());
  return root;
}

describe("a memory folder that settings name", () => {
  it.each(["~/.ssh", "/", "../elsewhere"])(
    "in a repository (%s) is reported and not followed (fault 93)",
    async (dir) => {
      const story = createStory();
      const root = repository(story);
      writeFileSync(join(root, ".claude/settings.json"), JSON.stringify({ autoMemoryDirectory: dir }));
      writeFileSync(
        join(root, "engramd.json"),
        JSON.stringify({ agents: { "claude-code": { roots: ["/"] } } }),
      );

      const report = await story.sync();
      const status = await story.ask((service) => service.status());

      expect(report.memories.created).toBe(1);
      expect(story.topics(root)).toHaveLength(1);
      expect(readdirSync(join(story.home.home, ".ssh"))).toEqual([]);
      expect(status.warnings.map(({ code }) => code)).toContain("repository_memory_directory");
    },
  );

  it.each(["~/.ssh", "/", "~", "~/.claude/commands", "/etc/engramd"])(
    "in the person's own agent settings (%s) is refused with a warning; memory stays where it is (fault 94)",
    async (dir) => {
      const story = createStory();
      const root = repository(story);
      writeFileSync(
        join(story.home.home, ".claude/settings.json"),
        JSON.stringify({ autoMemoryDirectory: dir }),
      );

      const report = await story.sync();
      const status = await story.ask((service) => service.status());

      expect(report.memories.created).toBe(1);
      expect(story.topics(root)).toHaveLength(1);
      expect(readdirSync(join(story.home.home, ".ssh"))).toEqual([]);
      expect(status.warnings.map(({ code }) => code)).toContain("memory_directory_refused");
    },
  );
});

describe("hostile front matter in a folder that is listed, searched and learnt into", () => {
  /** By file: its text. */
  function bombs(marker: string): Record<string, string> {
    const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "")`;
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}]`);
    const deep = Array.from({ length: 5_000 }, (_, n) => `${" ".repeat(n % 200)}a:`).join("\n");
    return {
      "user_js.md": `---js\n{ name: ${code} }\n---\nbody\n`,
      "user_javascript.md": `---JavaScript\n{ name: ${code} }\n---\nbody\n`,
      "user_blank_js.md": `--- js\n{ name: ${code} }\n---\nbody\n`,
      "user_tag.md": `---\nname: !!js/function 'function () { ${code} }'\n---\nbody\n`,
      "user_alias.md": `---\nname: bomb\nl0: &l0 [lol]\n${levels.join("\n")}\n---\nbody\n`,
      "user_blank_lines.md": `---\nname: x${"\n".repeat(60_000)}description: y\n---\nbody\n`,
      "user_deep.md": `---\nname: ${"[".repeat(10_000)}\n---\nbody\n`,
      "user_indented.md": `---\nname: x\n${deep.slice(0, 60_000)}\n---\nbody\n`,
      "user_invalid.md": "---\nname: a\n  b: [\ndescription: still readable\n---\nbody\n",
      "user_date.md":
        "---\nname: 2026-04-10\ndescription: 017\nmetadata:\n  type: user\n---\nIt is 12:30:45.\n",
    };
  }

  it("evaluates nothing, says the same twice, changes no byte and holds nobody up (faults 95-98)", async () => {
    const story = createStory();
    const marker = join(story.home.home, "marker");
    const files = bombs(marker);
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").text());

    const { lists, cost } = await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({});
      const list = () => service.memories({ project: SHOP });
      return { lists: [await list(), await list()], cost: await costOf(list, { enough: READINGS_MAX }) };
    });

    expect(existsSync(marker)).toBe(false);
    expect(lists[0]).toEqual(lists[1]);
    expect(cost).toBeLessThan(READINGS_MAX);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(dir, name), "utf8")).toBe(text);
    expect(lists[0]?.memories.find(({ file }) => file === "user_date.md")).toMatchObject({
      name: "2026-04-10",
      description: "017",
    });
    expect(story.learnt(SHOP)).toContain("tabs");
  });
});
