import { describe, expect, it } from "vitest";
import type { Candidate } from "../../../../../src/domain/changes.ts";
import { MEMORY_TYPES, type Memory } from "../../../../../src/domain/memories.ts";
import { estimateTokens } from "../../../../../src/domain/tokens.ts";
import { systemPrompt, taskPrompt, type TaskFacts } from "../../../../../src/learn/jobs/extract/prompt.ts";
import { renderWindow } from "../../../../../src/learn/jobs/extract/window.ts";
import { tokens } from "../../../memory/secrets/made-up-tokens.ts";
import { createSession, NIGHT, NOW } from "./said.ts";
import { BERLIN } from "../../../../helpers/time-zone.ts";
import { zoneNamed } from "../../../../helpers/time-zone.ts";

function memory(fields: Partial<Memory> = {}): Memory {
  return {
    file: "feedback_tabs.md",
    name: "tabs",
    description: "Tabs everywhere",
    type: "feedback",
    body: "Tabs everywhere.",
    frontmatter: "ok",
    hash: "h",
    mtimeMs: NIGHT,
    confirmed: "2026-05-01",
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin: undefined,
    links: [],
    ...fields,
  };
}

function candidate(description: string): Candidate {
  return {
    memory: { name: "n", description, type: "feedback", body: `${description}.` },
    evidence: [],
    cue: "weak",
  };
}

function task(facts: Partial<TaskFacts> = {}): string {
  return taskPrompt({ now: NIGHT, timeZone: BERLIN, memories: [], pending: [], ...facts });
}

describe("the system text", () => {
  it("names every type, the tools' evidence and what is never kept", () => {
    const text = systemPrompt();

    for (const type of MEMORY_TYPES) expect(text).toMatch(new RegExp(`^- ${type}: `, "mu"));
    for (const part of [
      "**Why:**",
      "**How to apply:**",
      "recordId",
      "secrets",
      "permission grants",
      "git history",
    ])
      expect(text).toContain(part);
    for (const idea of [
      /supersedes/u,
      /for this PR/u,
      /Don't remember this/u,
      /without any tool call/u,
      /is data/u,
    ])
      expect(text).toMatch(idea);
  });

  it("is small, and the same whatever a job is about", () => {
    const before = systemPrompt();
    task({ memories: [memory()], pending: [candidate("x y z")], timeZone: zoneNamed("Asia/Tokyo") });

    expect(systemPrompt()).toBe(before);
    expect(estimateTokens(before)).toBeLessThan(1_800);
    expect(estimateTokens(before)).toBeGreaterThan(800);
    // A date of today or a zone in it would change the prefix.
    expect(before).not.toMatch(/20[0-2]\d-|Europe|[A-Z]{3}\+\d/u);
  });
});

describe("the task text", () => {
  it("tells the person's own day", () => {
    expect(task()).toContain("Tuesday 2026-05-05, UTC+02:00");
    expect(task({ timeZone: zoneNamed("UTC") })).toContain("Monday 2026-05-04");
  });

  it("lists the memories, the latest confirmed first", () => {
    const text = task({
      memories: [
        memory({ file: "a.md", confirmed: "2026-04-01" }),
        memory({ file: "b.md", confirmed: undefined, type: undefined, description: undefined }),
        memory({ file: "c.md", confirmed: "2026-05-03", type: "project", description: "Freeze in May" }),
      ],
    });

    expect(text.split("\n").filter((line) => line.startsWith("- ["))).toEqual([
      "- [no type] b.md: (no description) (changed 2026-05-05)",
      "- [project] c.md: Freeze in May (confirmed 2026-05-03)",
      "- [feedback] a.md: Tabs everywhere (confirmed 2026-04-01)",
    ]);
    expect(task()).toContain("no memory files yet");
  });

  it("stays bounded with a full folder and long descriptions, and says what is not listed", () => {
    const description = "所有的提交信息都要用中文写".repeat(20);
    const memories = Array.from({ length: 3_000 }, (_, n) =>
      memory({ file: `project_${n}.md`, description }),
    );
    const short = memories.map((each) => ({ ...each, description: "a" }));

    expect(estimateTokens(task({ memories }))).toBeLessThan(6_300);
    expect(task({ memories: short }).match(/^- \[/gmu)).toHaveLength(200);
    expect(task({ memories: short })).toContain("(and 2800 older files, not listed; use grep)");
  });

  it("shows what waits, the newest first, and nothing where nothing waits", () => {
    const said = ["older remark", "newer remark", "newer remark"];
    const text = task({ pending: said.map((each) => candidate(each)) });

    expect(text.indexOf("newer remark")).toBeLessThan(text.indexOf("older remark"));
    expect(text.indexOf("older remark")).toBeGreaterThan(0);
    expect(text.match(/newer remark/gu)).toHaveLength(1);
    expect(task()).not.toMatch(/waiting/u);
    const many = Array.from({ length: 500 }, (_, n) => candidate(`remark ${n} ${"long ".repeat(100)}`));
    expect(estimateTokens(task({ pending: many }))).toBeLessThan(1_300);
  });

  it("keeps foreign text on its own line and without secrets", () => {
    const { text: window } = renderWindow({
      context: [],
      records: createSession().records,
      isFresh: () => true,
      now: NOW,
      timeZone: BERLIN,
    });
    const before = task({
      memories: [
        memory({ file: "x\n[[00000000 new]].md", description: `a\u2028${window}\n${tokens.github()}` }),
      ],
      pending: [candidate(`a\r\n${window}`)],
    });
    const text = before + window;

    expect(text.split(/[\n\r\u2028]/u).filter((line) => line.startsWith("[["))).toEqual(window.split("\n"));
    expect(text).not.toContain(tokens.github());
    expect(before.endsWith("\n")).toBe(true);
  });
});
