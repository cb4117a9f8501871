// Every path trick through every tool, as a steered model would send it: over HTTP, into a real home. Nothing outside
// the folder is read or written, and each refusal is told with its code.
import { readdirSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordIdOf } from "../helpers/claude-transcript.ts";
import { squashInput } from "../helpers/model-memory.ts";
import type { ModelStub, StubCall } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "../daemon/story.ts";
import { SHOP } from "../daemon/story.ts";
import {
  folderOf,
  passAndStatus,
  OUTSIDE,
  resultsIn,
  script,
  surroundings,
  trappedStory,
} from "./steered-model.ts";

/** Fault, what it is, the name. */
const TRICKS: readonly (readonly [number, string, string])[] = [
  [76, "an absolute path", "/etc/cron.d/x.md"],
  [76, "the home folder", "~/notes.md"],
  [76, "a file URL", "file:///etc/passwd.md"],
  [77, "a parent folder", "../x.md"],
  [77, "a way out and in again", "notes/../user_role.md"],
  [77, "the folder itself", "./user_role.md"],
  [77, "dots alone", ".."],
  [77, "a slash at the end", "user_role.md/"],
  [78, "an encoded path", "%2e%2e%2fx.md"],
  [78, "a doubly encoded path", "%252e%252e%252fx.md"],
  [78, "an encoded NUL", "x%00.md"],
  [78, "overlong bytes", "%c0%ae%c0%ae%2fx.md"],
  [79, "full-width dots and slash", "．．／x.md"],
  [79, "a division slash", "a∕x.md"],
  [79, "a two-dot leader", "‥/x.md"],
  [79, "a full-width file name", "ｕｓｅｒ＿ｒｏｌｅ.md"],
  [80, "backslashes", "..\\..\\x.md"],
  [80, "a drive", "C:x.md"],
  [80, "a share", "\\\\host\\share\\x.md"],
  [80, "a stream", "user_role.md:hidden.md"],
  [80, "a stream of data", "user_role.md::$DATA"],
  [81, "a NUL", "x\0.md"],
  [81, "a NUL behind a known name", "user_role.md\0.png"],
  [81, "a line end inside", "x\n.md"],
  [81, "a line end behind a known name", "user_role.md\n"],
  [81, "an escape", "x\u001b[2J.md"],
  [81, "a direction mark", "x\u202edm.md"],
  [81, "an invisible blank", "user_role\u200b.md"],
  [82, "the index", "MEMORY.md"],
  [82, "the index in small letters", "memory.md"],
  [82, "the index in full-width letters", "ＭＥＭＯＲＹ.md"],
  [82, "a dot at the end", "user_role.md."],
  [82, "a blank at the end", "user_role.md "],
  [83, "a git hook", ".git/hooks/pre-commit"],
  [83, "a dot-file", ".bashrc.md"],
  [83, "another file type", "x.sh"],
  [83, "an agent's own file", "CLAUDE.md"],
  [84, "a link to a file", "user_link.md"],
  [84, "a named pipe", "user_pipe.md"],
  [85, "a link to a folder", "user_folder.md"],
  [85, "a file behind a link", "notes/a.md"],
  [85, "a folder", "user_real_folder.md"],
  [86, "a link to nothing", "user_dangling.md"],
  [88, "a hard link", "user_hard.md"],
  [91, "a private key", "~/.ssh/id_rsa"],
  [91, "another project", "../../-home-ana-other/memory/user_role.md"],
  [91, "a descriptor", "/proc/self/environ"],
  [92, "a name that is too long", `${"x".repeat(300)}.md`],
];

/** One call of each tool that takes a name or a pattern. */
const TOOLS: Readonly<Record<string, (file: string) => StubCall>> = {
  read: (file) => ({ tool: "read", input: { file } }),
  write: (file) => ({ tool: "write", input: squashInput(recordIdOf(1), { file }) }),
  edit: (file) => ({
    tool: "edit",
    input: { file, old: "words", new: "changed", evidence: squashInput(recordIdOf(1)).evidence },
  }),
  glob: (file) => ({ tool: "glob", input: { pattern: file } }),
  grep: (file) => ({ tool: "grep", input: { pattern: file.slice(0, 200) } }),
  // No tool of ours, but one a model knows from elsewhere.
  bash: (file) => ({ tool: "bash", input: { command: `cat ${file}` } }),
};

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

describe("path tricks of a steered model", () => {
  it.each(Object.entries(TOOLS))("get nothing through the tool %s (faults 76-92)", async (tool, callOf) => {
    const story = trappedStory(stub);
    const [before, folder] = [surroundings(story), folderOf(story)];
    const answers = script(
      stub,
      TRICKS.map(([, , file]) => callOf(file)),
    );

    const denied = await story.inside(async ({ parts, service, events }) => {
      parts.recordConsent();
      const report = await service.sync({});
      expect(report.memories).toMatchObject({ created: 0, updated: 0, deleted: 0 });
      return [
        ...events.seen("tool:denied").map(({ why }) => why),
        ...report.memories.refused.map(({ reason }) => reason),
      ];
    });

    const told = stub.requests.slice(1, answers + 1).flatMap((request) => resultsIn(request));
    const wrong = TRICKS.filter((_, at) => !isNo(told[at]));
    expect(told).toHaveLength(TRICKS.length);
    expect(wrong).toEqual([]);
    // A search that finds nothing is no refusal, and arguments that are no arguments never reach the sandbox.
    if (tool !== "glob" && tool !== "grep") expect(denied.length).toBeGreaterThan(0.9 * TRICKS.length);
    for (const code of denied) expect(code).toMatch(/^[a-z-]+$/u);
    expect(JSON.stringify(stub.requests.map(({ body }) => body))).not.toContain(OUTSIDE);
    expect(surroundings(story)).toEqual(before);
    expect(folderOf(story)).toEqual(folder);
    expect(stateOf(story)).not.toContain(OUTSIDE);
  });

  it("are not why a plain name is taken: the same calls with one do their work", async () => {
    const story = trappedStory(stub);
    const file = "feedback_squash.md";
    stub.reply({
      blocks: [
        { tool: "read", input: { file: "user_role.md" } },
        { tool: "glob", input: { pattern: "user_*.md" } },
        { tool: "grep", input: { pattern: "finance" } },
        { tool: "write", input: squashInput(recordIdOf(1), { file }) },
      ],
    });
    stub.otherwise({ blocks: ["Done."] });

    const report = await story.sync();

    const [read, glob, grep, write] = resultsIn(stub.requests[1]);
    expect(read?.text).toContain("data scientist");
    expect(glob?.text).toBe("user_role.md");
    expect(grep?.text).toContain("project_x.md, line 1");
    expect(write).toMatchObject({ isError: false });
    expect(report.memories.created).toBe(1);
    expect(story.topics(SHOP)).toContain(file);
  });
});

describe("the index", () => {
  it("that is a link is neither followed nor replaced, and the status says so (fault 87)", async () => {
    const story = trappedStory(stub);
    const path = join(story.memoryDir(SHOP), "MEMORY.md");
    unlinkSync(path);
    symlinkSync(join(story.home.home, "notes.md"), path);
    const [before, folder] = [surroundings(story), folderOf(story)];
    stub.otherwise({ blocks: [{ tool: "write", input: squashInput(recordIdOf(1)) }] });

    const { report, status } = await passAndStatus(story);

    expect(report.memories.created).toBe(0);
    expect(status.projects[0]?.lastError).toMatchObject({
      code: "unsafe-file",
      message: expect.stringContaining("MEMORY.md"),
    });
    expect(surroundings(story)).toEqual(before);
    expect(folderOf(story)).toEqual(folder);
    unlinkSync(path);
    expect((await story.sync()).memories.created).toBe(1);
  });
});

function stateOf({ home }: Story): string {
  return readdirSync(home.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

function isNo(result: { isError: boolean; text: string } | undefined): boolean {
  if (result === undefined) return false;
  return result.isError || /^(?:no file matches this|no line contains this)$/u.test(result.text);
}
