// The tools: searching and listing, arguments of every wrong kind, sizes, and how little a hostile call costs.
import { describe, expect, it } from "vitest";
import { MEMORY_LIMITS, RUN_LIMITS } from "../../../../src/domain/limits.ts";
import type { Stage } from "../../../../src/learn/runs/stage.ts";
import { MEMORY_TOOLS } from "../../../../src/learn/runs/tools/registry.ts";
import type { ToolAnswer } from "../../../../src/learn/runs/tools/tool.ts";
import { tokens } from "../../memory/secrets/made-up-tokens.ts";
import { memoryOf, stageOf, TABS } from "./folder.ts";
import { costOf } from "../../../helpers/cost.ts";

const context = (stage: Stage) => ({ stage, signal: new AbortController().signal });

async function use(stage: Stage, name: string, input: Record<string, unknown>): Promise<ToolAnswer> {
  const tool = MEMORY_TOOLS.find(({ spec }) => spec.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(input, context(stage));
}

const FOLDER = [
  memoryOf("feedback_tabs.md", {
    name: "tabs",
    description: "Tabs for indentation",
    body: "Use TABS.\n\nÜber alles.",
  }),
  memoryOf("project_deploy.md", { name: "deploy", description: "deploy day", body: "Friday (a+)+$ and [x]" }),
];

describe("grep", () => {
  it("finds a literal text in names, descriptions and bodies, whatever the case", async () => {
    expect((await use(stageOf(FOLDER), "grep", { pattern: "tABs" })).text.split("\n")).toEqual([
      "feedback_tabs.md, name: tabs",
      "feedback_tabs.md, description: Tabs for indentation",
      "feedback_tabs.md, line 1: Use TABS.",
    ]);
    expect((await use(stageOf(FOLDER), "grep", { pattern: "U\u0308BER" })).text).toContain("line 3");
  });

  it("takes regular expressions as text", async () => {
    const stage = stageOf(FOLDER);

    expect((await use(stage, "grep", { pattern: "(a+)+$" })).text).toContain("project_deploy.md, line 1");
    expect((await use(stage, "grep", { pattern: ".*" })).text).toBe("no line contains this");
  });

  it("cannot be used to guess a masked secret", async () => {
    const secret = tokens.github();
    const stage = stageOf([memoryOf("user_key.md", { body: `The key is ${secret}.` })]);

    for (const length of [8, 20, secret.length]) {
      expect((await use(stage, "grep", { pattern: secret.slice(0, length) })).text).toBe(
        "no line contains this",
      );
    }
  });

  it("answers a bounded number of bounded lines, around what was found", async () => {
    const body = `${"x".repeat(1_000_000)}needle${"y".repeat(1_000)}\n${"needle\n".repeat(5_000)}`;
    const { text } = await use(stageOf([memoryOf("project_big.md", { body })]), "grep", {
      pattern: "needle",
    });
    const lines = text.split("\n");

    expect(lines).toHaveLength(RUN_LIMITS.grepLinesMax + 1);
    expect(lines[0]).toMatch(/^project_big\.md, line 1: …x{60}needley+…$/u);
    expect(lines.at(-1)).toContain("more lines");
    expect(text.length).toBeLessThanOrEqual(RUN_LIMITS.toolResultCharsMax);
  });

  it("sees what the run has written", async () => {
    const stage = stageOf(FOLDER);
    await use(stage, "grep", { pattern: "x" });
    await use(stage, "write", { ...TABS, file: "user_new.md", name: "new" });

    expect((await use(stage, "grep", { pattern: "in this project" })).text).toContain("user_new.md");
  });
});

describe("glob", () => {
  it.each([
    ["*", ["feedback_tabs.md", "project_deploy.md"]],
    ["**", ["feedback_tabs.md", "project_deploy.md"]],
    ["**DEP**", ["project_deploy.md"]],
    ["FEEDBACK_*", ["feedback_tabs.md"]],
    ["*dep*", ["project_deploy.md"]],
    ["project_deplo?.md", ["project_deploy.md"]],
    ["feedback_tabs.md", ["feedback_tabs.md"]],
    ["feedback", ["no file matches this"]],
  ])("lists for %j", async (pattern, files) => {
    expect((await use(stageOf(FOLDER), "glob", { pattern })).text.split("\n")).toEqual(files);
  });

  it.each([
    "{a,b}",
    "[a-z]*",
    "!(x)",
    "+(a|b)",
    "@(a)",
    "a/*",
    "../*",
    "\\*",
    "~/*",
    "*a*b*",
    "x%2f*",
    "a\n*",
  ])("denies the pattern %j", async (pattern) => {
    expect(await use(stageOf(FOLDER), "glob", { pattern })).toMatchObject({ denied: "bad-pattern" });
  });
});

describe("hostile calls", () => {
  /** Far above what is needed, far below what a backtracking pattern would take. */
  const READINGS_MAX = 45;
  const NAMES = Array.from({ length: 300 }, (_, n) =>
    memoryOf(`${"a".repeat(240)}${n}.md`, { body: "a".repeat(5_000) }),
  );

  it.each([
    ["glob", "*a*b"],
    ["glob", `a${"?".repeat(150)}*b`],
    ["glob", "*".repeat(200)],
    ["glob", `${"*a".repeat(90)}b`],
    ["glob", `${"(".repeat(100)}a${"+)".repeat(49)}`],
    ["glob", "{1..999999999}"],
    ["grep", "(a+)+$"],
    ["grep", `${"a".repeat(199)}b`],
    ["grep", `${"(a*)*".repeat(39)}b`],
  ])("of %s with %j cost next to nothing", async (name, pattern) => {
    const stage = stageOf(NAMES);
    stage.memories();

    const cost = await costOf(() => use(stage, name, { pattern }), { enough: READINGS_MAX });

    expect(cost).toBeLessThan(READINGS_MAX);
  });

  it("with a body of 60 MB, a line of 1 MB or a quote of 1 MB are refused before anything looks at them", async () => {
    const stage = stageOf();
    const huge = "the long word ".repeat(4_400_000);
    const refuseAll = async () => {
      for (const extra of [
        { body: huge },
        { body: "x".repeat(1_000_000) },
        { description: huge },
        { name: huge },
        { file: huge },
        { file: "x".repeat(1_000) },
        { evidence: [{ recordId: "r1", quote: "x".repeat(1_000_000) }] },
        { evidence: [{ recordId: huge, quote: "use tabs" }] },
        { evidence: Array.from({ length: RUN_LIMITS.quotesMax + 1 }, () => TABS.evidence[0]) },
      ]) {
        const answer = await use(stage, "write", { ...TABS, ...extra });
        expect(answer.isError).toBe(true);
        expect(answer.text.length).toBeLessThan(300);
      }
      expect(await use(stage, "edit", { file: TABS.file, old: huge, new: huge })).toMatchObject({
        isError: true,
      });
      expect(await use(stage, "grep", { pattern: huge })).toMatchObject({ isError: true });
    };

    expect(await costOf(refuseAll, { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
    expect(stage.changes()).toEqual([]);
  });

  it("in great number end at the bound of one run", async () => {
    const stage = stageOf();
    for (let n = 0; n < 200; n += 1) await use(stage, "write", { ...TABS, file: `user_${n}.md` });

    expect(stage.changes()).toHaveLength(1);
    // A fact has one file; all others were told so.
    expect(stage.refused()).toHaveLength(199);
  });
});

describe("arguments", () => {
  it.each([
    [{ type: "secret" }, "type must be one of user, feedback, project, reference"],
    [{ body: 7 }, "body must be a text"],
    [{ body: "x".repeat(MEMORY_LIMITS.bodyCharsMax + 1) }, "body must be a text of at most 20000 characters"],
    [{ description: " " }, "description must be a text that is not empty"],
    [{ evidence: "r1" }, "evidence must be a list"],
    [{ evidence: [null] }, "each entry of evidence must be"],
    [{ evidence: [{ recordId: "r1" }] }, "each entry of evidence must be"],
    [{ evidence: [{ recordId: 1, quote: "use tabs" }] }, "each entry of evidence must be"],
    [{ evidence: [] }, "quote the words"],
    [{ evidence: undefined }, "quote the words"],
  ])("%j are answered with what to mend", async (extra, words) => {
    const answer = await use(stageOf(), "write", { ...TABS, ...extra });

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) });
  });

  it("that are inherited, or too many, do not count", async () => {
    const inherited: Record<string, unknown> = Object.create({ pattern: "*" });

    expect(await use(stageOf(), "glob", inherited)).toMatchObject({ isError: true });
    expect(await use(stageOf(), "glob", { pattern: "*", path: "/etc" })).toMatchObject({ isError: false });
  });

  it("lose control and hidden characters before they are kept, and keep lines and tabs", async () => {
    const stage = stageOf();
    await use(stage, "write", {
      ...TABS,
      body: "Always use tabs\u001b\u202e.\r\n\tLike this.\u2028And so\u200b on.",
    });

    expect(stage.changes()).toMatchObject([
      { memory: { body: "Always use tabs.\n\tLike this.\nAnd so on." } },
    ]);
  });

  it("cannot smuggle a secret past the gate with an invisible character inside", async () => {
    const secret = tokens.github();
    const body = `${TABS.body} ${secret.slice(0, 10)}\u200b${secret.slice(10)}`;

    expect(await use(stageOf(), "write", { ...TABS, body })).toMatchObject({
      isError: true,
      text: expect.stringContaining("secret"),
    });
  });
});

describe("the registry", () => {
  it("offers each tool once, with a schema that names its arguments", () => {
    expect(MEMORY_TOOLS.map(({ spec }) => spec.name)).toEqual(["read", "grep", "glob", "write", "edit"]);
    for (const { spec } of MEMORY_TOOLS) {
      expect(spec.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(spec.description.length).toBeGreaterThan(40);
    }
    expect(MEMORY_TOOLS.find(({ spec }) => spec.name === "write")?.spec.inputSchema["required"]).toEqual([
      "file",
      "name",
      "description",
      "type",
      "body",
      "evidence",
    ]);
  });
});
