// Every path trick of a steered model, through every tool that takes a name or a pattern (faults 76 to 92).
import { describe, expect, it } from "vitest";
import type { Stage } from "../../../../src/learn/runs/stage.ts";
import { MEMORY_TOOLS } from "../../../../src/learn/runs/tools/registry.ts";
import type { ToolAnswer } from "../../../../src/learn/runs/tools/tool.ts";
import { memoryOf, stageOf, TABS } from "./folder.ts";

const KNOWN = memoryOf("project_known.md");
/** Names an owner may have given a file that exists. */
const OWNED = ["größe der schrift.md", "notes (old).md", "ＡＢＣ.md", "メモ.md"].map((file) =>
  memoryOf(file),
);

async function use(stage: Stage, name: string, input: Record<string, unknown>): Promise<ToolAnswer> {
  const tool = MEMORY_TOOLS.find(({ spec }) => spec.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(input, { stage, signal: new AbortController().signal });
}

const TRICKS: readonly (readonly [string, string])[] = [
  ["an absolute path (76)", "/etc/cron.d/x.md"],
  ["the home folder (76)", "~/notes.md"],
  ["a parent folder (77)", "../x.md"],
  ["a way out and back in (77)", "a/../project_known.md"],
  ["the folder itself (77)", "./project_known.md"],
  ["dots alone (77)", ".."],
  ["an encoded path (78)", "%2e%2e%2fx.md"],
  ["a doubly encoded path (78)", "%252e%252e%252fx.md"],
  ["a triply encoded slash (78)", "a%25252fx.md"],
  ["an encoded NUL (78)", "x%00.md"],
  ["full-width dots and slash (79)", "．．／x.md"],
  ["a full-width file name (79)", "ｆｅｅｄｂａｃｋ.md"],
  ["a division slash (79)", "a∕x.md"],
  ["a two-dot leader (79)", "‥/x.md"],
  ["backslashes (80)", "..\\..\\x.md"],
  ["a drive (80)", "C:x.md"],
  ["a network share (80)", "\\\\host\\share\\x.md"],
  ["a stream (80)", "x.md:hidden.md"],
  ["a NUL (81)", "x\u0000.md"],
  ["a line end (81)", "x\n.md"],
  ["a carriage return (81)", "x\r.md"],
  ["an escape (81)", "x\u001b[2J.md"],
  ["a direction mark (81)", "x\u202edm.md"],
  ["an invisible blank (81)", "x\u200b.md"],
  ["half a character (81)", "x\ud800.md"],
  ["the index (82)", "MEMORY.md"],
  ["the index in small letters (82)", "memory.md"],
  ["the index in mixed letters (82)", "Memory.MD"],
  ["the index in full-width letters (82)", "ＭＥＭＯＲＹ.md"],
  ["a blank at the end (82)", "x.md "],
  ["a dot at the end (82)", "x.md."],
  ["a blank at the start (82)", " x.md"],
  ["a git hook (83)", ".git/hooks/pre-commit"],
  ["a dot-file (83)", ".hidden.md"],
  ["a lock (83)", ".consolidate-lock"],
  ["another file type (83)", "x.sh"],
  ["no file type (83)", "Makefile"],
  ["a type in capitals (83)", "x.MD"],
  ["nothing but the type (83)", ".md"],
  ["a subfolder (83)", "team/x.md"],
  ["an option", "-rf.md"],
  ["a sync tool's copy", "x.sync-conflict-20260504-120000-ABCDEFG.md"],
  ["an editor's leftover", "x.md.tmp.md"],
  ["a private key (91)", "~/.ssh/id_rsa"],
  ["another project (91)", "../../-home-ada-other/memory/user_role.md"],
  ["a name that is too long (92)", `${"x".repeat(300)}.md`],
  ["a decomposed letter", "gro\u0308sse.md"],
];

describe("a name a model gives", () => {
  it.each(TRICKS)("is denied to every tool for %s, and leaves nothing", async (_what, file) => {
    const stage = stageOf([KNOWN, ...OWNED], { shown: [KNOWN.file] });
    const edit = { file, old: "cellar", new: "attic", evidence: TABS.evidence };

    for (const answer of [
      await use(stage, "read", { file }),
      await use(stage, "write", { ...TABS, file }),
      await use(stage, "edit", edit),
    ]) {
      expect(answer.isError).toBe(true);
      expect(answer.denied).toBeDefined();
      // The answer tells what to do and does not repeat what was sent.
      expect(answer.text).not.toContain(file.length > 3 && file !== "MEMORY.md" ? file : "\u0000");
    }
    const listed = await use(stage, "glob", { pattern: file });
    expect(listed.denied === undefined ? listed.text : "denied").toMatch(
      /^(?:no file matches this|denied|pattern must be .*)$/u,
    );
    expect(stage.changes()).toEqual([]);
    expect(stage.refused()).toEqual([]);
  });

  it.each([undefined, null, 7, {}, ["x.md"], "", "   "])("is answered when it is %j", async (file) => {
    const stage = stageOf([KNOWN]);

    for (const [name, input] of [
      ["read", { file }],
      ["write", { ...TABS, file }],
      ["edit", { file, old: "a", new: "b", evidence: [] }],
      ["glob", { pattern: file }],
      ["grep", { pattern: file }],
    ] as const) {
      expect(await use(stage, name, input)).toMatchObject({ isError: true });
    }
    expect(stage.changes()).toEqual([]);
  });

  it("may be whatever the owner called a file that exists", async () => {
    const stage = stageOf(OWNED);

    for (const { file } of OWNED) {
      expect(await use(stage, "read", { file })).toMatchObject({ isError: false });
    }
  });

  it.each([
    "user_role.md",
    "user_2.md",
    "user_tabs_2026.md",
    "user_20260504-0a9f.md",
    `user_${"x".repeat(112)}.md`,
  ])("may be new when it is made of the type and Latin words: %s", async (file) => {
    const stage = stageOf();

    expect(await use(stage, "write", { ...TABS, file })).toMatchObject({ isError: false });
    expect(stage.changes()[0]?.file).toBe(file);
  });

  it.each([
    "CLAUDE.md",
    "AGENTS.md",
    "con.md",
    "NUL.md",
    "a.md",
    "_x.md",
    "2026-05-04_x.md",
    "User_role.md",
    "user_Role.md",
    "user_role.MD",
    "user.md",
    "user_.md",
    "user_role_.md",
    "userrole.md",
    "user-role.md",
    "user_role-2.md",
    "user_role-DESKTOP-1.md",
    "user_a.b.md",
    "user_20260504-0A9F.md",
    "user_20260504-0a9.md",
    "user_größe.md",
    "user_角色.md",
    "user_role 2.md",
    "user_role (1).md",
    "user_role.sync-conflict-20260504-120000-ABCDEFG.md",
    "feedback_role.md",
    "reference_tabs.md",
  ])("is not taken for a new file when it is %s, and the answer says the form", async (file) => {
    const stage = stageOf();

    const answer = await use(stage, "write", { ...TABS, file });

    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toMatch(/a new file .*is named .*Latin letters, digits and _, all in lower case/u);
    expect(answer.text).not.toContain(file);
    expect(stage.changes()).toEqual([]);
  });

  it("stays what it is where a file exists, whatever its form", async () => {
    const files = ["CLAUDE.md", "höhe der schrift.md", "feedback_role.md", "user_a.b.md"];
    for (const file of files) {
      const stage = stageOf([memoryOf(file, { type: "user" })], { shown: [file] });
      const spelled = file.toUpperCase().replace(/MD$/u, "md");

      expect(await use(stage, "write", { ...TABS, file })).toMatchObject({ isError: false });
      expect(await use(stage, "write", { ...TABS, file: spelled })).toMatchObject({ isError: false });
      expect(stage.changes()).toMatchObject([{ op: "update", file }]);
    }
  });

  it("is not looked at when it is longer than any name", async () => {
    expect(await use(stageOf(), "read", { file: `${"x".repeat(300)}.md` })).toMatchObject({
      denied: "bad-name",
    });
  });

  it("of a file that is no memory cannot be taken", async () => {
    const stage = stageOf([], { facts: { otherNames: ["User_Tabs.md", "MEMORY.md"] } });

    expect(await use(stage, "write", TABS)).toMatchObject({
      isError: true,
      text: expect.stringContaining("another name"),
    });
  });

  it("is no memory only because the caller handed in an index or a dot-file", async () => {
    const stage = stageOf([memoryOf("MEMORY.md"), memoryOf(".hidden.md")], { shown: ["MEMORY.md"] });

    for (const file of ["MEMORY.md", ".hidden.md"]) {
      expect(await use(stage, "read", { file })).toMatchObject({ denied: "not-a-memory-file" });
      expect(await use(stage, "write", { ...TABS, file })).toMatchObject({ denied: "not-a-memory-file" });
    }
  });
});
