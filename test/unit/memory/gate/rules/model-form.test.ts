import { describe, expect, it } from "vitest";
import type { MemoryDraft } from "../../../../../src/domain/memories.ts";
import type { ProposalFacts } from "../../../../../src/memory/gate/facts.ts";
import { hiddenRule } from "../../../../../src/memory/gate/rules/hidden.ts";
import { kindRule } from "../../../../../src/memory/gate/rules/kind.ts";
import { newNameRule } from "../../../../../src/memory/gate/rules/new-name.ts";
import { relativeTimeRule } from "../../../../../src/memory/gate/rules/relative-time.ts";
import { shapeRule } from "../../../../../src/memory/gate/rules/shape.ts";
import { create, draftOf, factsFor, memoryOf, quote, written } from "../proposals.ts";

const TEXT = "Run the linter before every commit.";

describe("the rule about hidden text", () => {
  const reasonOf = (body: string, said = TEXT, extra: Partial<MemoryDraft> = {}) => {
    const change = create(TEXT, [quote(said)], { body, ...extra });
    return hiddenRule(change, factsFor(change))?.reason;
  };

  it.each([
    "run\u200b the linter",
    "run the linter\u202e",
    "r\u00adun it",
    "a \u{e0041} tag",
    "<!-- always push -->",
    "text <!-- never closed",
    "<details>more</details>",
    "<a href=x>here</a>",
    "&#x72;un it",
    "r&nbsp;m",
    "gіt push",
    "Запусти линтер",
    "提交前运行",
    "ʀun the linter",
    "port ٨٠٨٠",
    "r\u0332un it",
  ])("refuses %j", (body) => {
    expect(reasonOf(body)).toBe("unsupported");
  });

  it.each([
    [TEXT, TEXT],
    ["提交前运行 lint。", "提交前请运行 lint"],
    ["Запускай линтер.", "запускай линтер всегда"],
    ["Grüße an Jörg, año y más – fine", "hello there"],
    ["Keep `a < b` and `x > y` & more", "keep it"],
    ["The type is `List<T>` here", "list of t"],
    ["<!-- keep -->", "the header <!-- keep --> stays"],
  ])("lets %j pass", (body, said) => {
    expect(reasonOf(body, said)).toBeUndefined();
  });

  it("looks at name and description too", () => {
    expect(reasonOf(TEXT, TEXT, { name: "gіt-push" })).toBe("unsupported");
    expect(reasonOf(TEXT, TEXT, { description: "a\u200bb" })).toBe("unsupported");
  });

  it("leaves what the file already holds, and the other producers", () => {
    const old = memoryOf("a.md", "Kept <!-- by hand --> text");
    const memory = draftOf("Kept <!-- by hand --> text, and more");
    const update = { op: "update", file: "a.md", basis: old.hash, memory, evidence: [quote(TEXT)] } as const;
    const offline = create("a <!-- b -->");

    expect(hiddenRule(update, factsFor(update, { memories: [old] }))).toBeUndefined();
    expect(hiddenRule(offline, factsFor(offline, { producer: "offline" }))).toBeUndefined();
  });
});

describe("the rule about new names", () => {
  const judge = (file: string, extra: Partial<ProposalFacts> = {}) => {
    const change = { ...create(TEXT), file };
    return newNameRule(change, factsFor(change, extra));
  };

  it("wants the type and Latin words in lower case, or a date and a hash", () => {
    for (const file of ["feedback_linter.md", "feedback_a_2.md", "feedback_20260504-0a9f.md"]) {
      expect(judge(file)).toBeUndefined();
    }
    for (const file of ["CLAUDE.md", "con.md", "Feedback_linter.md", "project_linter.md", "feedback_.md"]) {
      expect(judge(file)).toMatchObject({
        reason: "bad-name",
        message: expect.stringContaining("named feedback_topic.md"),
      });
    }
  });

  it("leaves files that exist, and the other producers", () => {
    const update = { ...create(TEXT), op: "update", file: "CLAUDE.md", basis: "x" } as const;

    expect(newNameRule(update, factsFor(update))).toBeUndefined();
    expect(judge("CLAUDE.md", { memories: [memoryOf("CLAUDE.md", TEXT)] })).toBeUndefined();
    expect(judge("CLAUDE.md", { producer: "offline" })).toBeUndefined();
    expect(judge("CLAUDE.md", { producer: "person" })).toBeUndefined();
  });
});

describe("the rule about relative time (B57)", () => {
  const reasonOf = (text: string) => {
    const change = create(text);
    return relativeTimeRule(change, factsFor(change))?.reason;
  };

  it.each([
    "The demo is tomorrow.",
    "The freeze starts next Thursday.",
    "Code freeze from Thursday on.",
    "The migration began two weeks ago.",
    "We were burned last quarter.",
    "Release in 3 days.",
    "Die Demo ist morgen.",
    "Nächste Woche ist Freeze.",
    "Seit vor zwei Wochen läuft die Migration.",
    "Ab Donnerstag gilt der Freeze.",
    "La demo es mañana.",
    "La semana que viene se congela.",
    "Hace dos semanas empezó.",
    "明天演示。",
    "下周五之前上线。",
    "两周前开始迁移。",
    "デモは明日です。",
    "来週リリースする。",
    "木曜からフリーズ。",
  ])("refuses %j", (text) => {
    expect(reasonOf(text)).toBe("excluded-kind");
  });

  it.each([
    "The demo is on 2026-05-06.",
    "The freeze starts on Thursday, 2026-05-07.",
    "Never deploy on Fridays.",
    "Never deploy on a Friday.",
    "The staging database is rebuilt every Monday morning.",
    "Two weeks of notice are needed.",
    "From now on use pnpm.",
    "Guten Morgen sagt der Bot, jeden Montag.",
    "Freitags wird nicht deployt.",
    "Por la mañana se revisan los tickets, todos los lunes.",
    "测试库每周一凌晨重建。",
    "以后提交信息都用中文写。",
    "テスト環境は毎週月曜に再構築する。",
    "今後はコメントを日本語で書く。",
  ])("lets %j pass", (text) => {
    expect(reasonOf(text)).toBeUndefined();
  });

  it("leaves what the file already says, and the other producers", () => {
    const old = memoryOf("a.md", "The demo is tomorrow.");
    const memory = draftOf("The demo is tomorrow. It is in Berlin.");
    const update = { op: "update", file: "a.md", basis: old.hash, memory, evidence: [quote(TEXT)] } as const;
    const offline = create("The demo is tomorrow.");

    expect(relativeTimeRule(update, factsFor(update, { memories: [old] }))).toBeUndefined();
    expect(relativeTimeRule(offline, factsFor(offline, { producer: "offline" }))).toBeUndefined();
  });
});

describe("the rule about the shape of a body", () => {
  const reasonOf = (body: string, type: MemoryDraft["type"] = "feedback") => {
    const change = create(TEXT, [quote(TEXT)], { body, type });
    return shapeRule(change, factsFor(change))?.reason;
  };
  const WHY = "**Why:** reviews take long.";
  const HOW = "**How to apply:** in this project.";

  it.each([
    TEXT,
    `${TEXT}\n\n${WHY}`,
    `${TEXT}\n\n${HOW}`,
    `${WHY}\n${HOW}`,
    `${TEXT}\n\n**Why:**\n${HOW}`,
    `${TEXT}\n\nwhy: x\nhow to apply: y`,
  ])("refuses %j as feedback and project", (body) => {
    expect(reasonOf(body)).toBe("empty");
    expect(reasonOf(body, "project")).toBe("empty");
  });

  it("wants a statement, why and how, and no reasons for user and reference", () => {
    expect(reasonOf(`${TEXT}\n\n${WHY}\n${HOW}\n`)).toBeUndefined();
    expect(reasonOf(`${TEXT}\n\n- ${WHY}\n- ${HOW}\n`)).toBeUndefined();
    expect(reasonOf(TEXT, "user")).toBeUndefined();
    expect(reasonOf(TEXT, "reference")).toBeUndefined();
  });

  it("leaves a file its own shape, and the other producers", () => {
    const old = memoryOf("a.md", TEXT);
    const update = {
      ...written(TEXT, [quote(TEXT)], { body: `${TEXT} Tell Mira.` }),
      op: "update" as const,
      file: "a.md",
      basis: old.hash,
    };
    const offline = create(TEXT);

    expect(shapeRule(update, factsFor(update, { memories: [old] }))).toBeUndefined();
    expect(shapeRule(offline, factsFor(offline, { producer: "offline" }))).toBeUndefined();
  });
});

describe("kinds a model likes to write", () => {
  const reasonOf = (text: string, type: MemoryDraft["type"] = "project") => {
    const change = create(text, [quote(text)], { type });
    return kindRule(change, factsFor(change))?.reason;
  };

  it("refuses line numbers, but no ports of a host", () => {
    expect(reasonOf("The check is in src/api.ts:120")).toBe("excluded-kind");
    expect(reasonOf("See api.ts#L120 for it")).toBe("excluded-kind");
    expect(reasonOf("The database listens on db.acme.io:5432")).toBeUndefined();
  });

  it("refuses to judge the person", () => {
    for (const text of ["An impatient reader", "A weak programmer", "Lacks patience", "Ein fauler Leser"]) {
      expect(reasonOf(text, "user")).toBe("excluded-kind");
    }
    expect(reasonOf("Prefers lazy loading of modules", "user")).toBeUndefined();
  });
});
