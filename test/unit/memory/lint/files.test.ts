// The index, headers, and what is said twice: what must be found, and what is fine.
import { describe, expect, it } from "vitest";
import { exactDuplicates } from "../../../../src/memory/lint/duplicates.ts";
import { NEAR_COMPARISONS_MAX, nearDuplicatesIn } from "../../../../src/memory/lint/near.ts";
import { safeFixes } from "../../../../src/memory/lint/safe-fixes.ts";
import { memoryOf } from "../files/memory-builder.ts";
import { brief, factsOf, findings, topic } from "./lint-folder.ts";

const REED = "The staging host is called reed.";

describe("the index", () => {
  it("has dead lines, long ones and missing ones; the person's long line is only reported", () => {
    const found = findings({
      "a.md": topic(REED, { name: "a" }),
      "b.md": topic("Dashboards hang in the corridor.", { name: "b" }),
      "MEMORY.md": [
        `My own words ${"go on ".repeat(30)}`,
        "- [Gone](gone.md) — was here",
        `- [A](a.md) — ${"a hook ".repeat(40)}`,
        "",
      ].join("\n"),
    });

    expect(brief(found)).toEqual([
      "dead-index-line MEMORY.md:2",
      "long-index-line MEMORY.md:1",
      "long-index-line MEMORY.md:3",
      "orphan-file b.md",
    ]);
    expect(found.filter(({ fixable }) => !fixable)).toMatchObject([{ line: 1 }]);
  });

  it("need not name what the person links in words of their own, or took out", () => {
    const texts = {
      "a.md": topic(REED, { name: "a" }),
      "b.md": topic("Dashboards hang in the corridor.", { name: "b" }),
      "MEMORY.md": "Read [this](a.md) first.\n",
    };

    expect(brief(findings(texts))).toEqual(["orphan-file b.md"]);
    expect(findings(texts, { hidden: ["b.md"] })).toEqual([]);
  });

  it("is over its caps by lines and by bytes, which is no fault to mend where the person's text alone is", () => {
    const entries = Array.from({ length: 201 }, () => "- [A](a.md) — reed\n").join("");
    const wide = Array.from({ length: 190 }, () => `- [A](a.md) — ${"语".repeat(50)}\n`).join("");
    const lines = (index: string) =>
      findings({ "a.md": topic(REED, { name: "a" }), "MEMORY.md": index }).map(
        ({ code, fixable }) => `${code} ${fixable}`,
      );

    expect(lines(entries)).toEqual(["too-many-index-lines true"]);
    expect(lines(wide)).toEqual(["index-too-large true"]);
    expect(lines("My prose.\n".repeat(201))).toEqual(["too-many-index-lines false", "orphan-file false"]);
  });

  it("offers to mend no line of an index that stays as it is", () => {
    const prose = "My prose.\n".repeat(201);
    const long = `- [F](f.md) — ${"x".repeat(200)}\n`;

    const found = findings({
      "f.md": topic("A fact.", { name: "f" }),
      "MEMORY.md": `${prose}- [No](no.md)\n${long}`,
    });

    expect(found.map(({ code }) => code)).toEqual([
      "too-many-index-lines",
      "dead-index-line",
      "long-index-line",
    ]);
    expect(found.filter(({ fixable }) => fixable)).toEqual([]);
  });

  it("that is full is one finding, however many memories have no line", () => {
    const texts = Object.fromEntries(
      Array.from({ length: 205 }, (_, at) => [`f${at}.md`, topic(`Fact number ${at}.`, { name: `f${at}` })]),
    );

    const found = findings(texts);

    expect(found.filter(({ code }) => code === "index-full")).toHaveLength(1);
    expect(found.filter(({ code }) => code === "orphan-file")).toHaveLength(200);
  });
});

describe("a header", () => {
  it.each([
    ["---\nname: [x\ndescription: d\ntype: user\n---\nbody\n", "broken-frontmatter"],
    ["Only a body.\n", "missing-frontmatter"],
    ["---\ndescription: d\ntype: user\n---\nbody\n", "missing-name"],
    ["---\nname: n\ntype: user\n---\nbody\n", "missing-description"],
    ["---\nname: n\ndescription: d\n---\nbody\n", "missing-type"],
    ["---\nname: n\ndescription: d\ntype: nonsense\n---\nbody\n", "missing-type"],
  ])("%j is %s", (text, code) => {
    expect(brief(findings({ "x.md": text, "MEMORY.md": "- [X](x.md)\n" }))).toEqual([`${code} x.md:1`]);
  });

  it("of either generation is fine", () => {
    const nested = "---\nname: n\ndescription: d\nmetadata: \n  type: user\n---\nbody\n";

    expect(
      findings({ "x.md": nested, "y.md": topic("Other."), "MEMORY.md": "- [X](x.md)\n- [Y](y.md)\n" }),
    ).toEqual([]);
  });
});

describe("files that only look like memories", () => {
  it("are named: conflict copies, and what is no text", () => {
    const found = findings({
      "a.md": topic(REED, { name: "a" }),
      "a.sync-conflict-20260504-101010-ABC.md": topic(REED, { name: "a" }),
      "b.md": "\0\0",
      "MEMORY.md": "- [A](a.md)\n- [B](b.md)\n",
    });

    expect(brief(found)).toEqual([
      "conflict-copy a.sync-conflict-20260504-101010-ABC.md",
      "unreadable-file b.md",
    ]);
  });
});

describe("exact duplicates", () => {
  const same = (name: string) => topic(REED, { name, description: "the staging host" });
  const indexOf = (...files: string[]) => files.map((file) => `- [${file}](${file})\n`).join("");
  const goes = (texts: Record<string, string>, recordsOf = new Map<string, string[]>()) =>
    exactDuplicates(factsOf(texts, { recordsOf })).map((group) => [
      group.stays.file,
      group.goes.map(({ file }) => file),
      group.linked.map(({ file }) => file),
    ]);

  it("are the same type, description and body after trimming, whatever the name, the ends of lines, the rest", () => {
    const texts = {
      "a.md": same("a"),
      "b.md": `${same("b").replaceAll("\n", "\r\n")}\r\n\r\n`,
      "c.md": same("c").replace("reference", "user"),
      "d.md": same("d").replace("the staging host", "another host"),
      "e.md": same("e").replace("reed", "Reed"),
      "f.md":
        "---\nname: f\ndescription: the staging host\nmetadata:\n  type: reference\n  extra: x\n---\n".concat(
          REED,
        ),
    };

    expect(goes(texts)).toEqual([["a.md", ["b.md", "f.md"], []]]);
  });

  it("keep the one with more links, then with more evidence, then the one stated last, then the older", () => {
    const index = { "MEMORY.md": indexOf("a.md", "b.md") };
    const linking = { "z.md": topic("See [[b]].", { name: "z" }) };

    expect(goes({ "a.md": same("a"), "b.md": same("b"), ...linking, ...index })).toEqual([
      ["b.md", ["a.md"], []],
    ]);
    expect(goes({ "a.md": same("a"), "b.md": same("b"), ...index }, new Map([["b.md", ["r1"]]]))).toEqual([
      ["b.md", ["a.md"], []],
    ]);
    const dated = (name: string, day: string) => same(name).replace("type:", `confirmed: ${day}\ntype:`);
    expect(goes({ "a.md": dated("a", "2026-02-01"), "b.md": dated("b", "2026-03-01") })).toEqual([
      ["b.md", ["a.md"], []],
    ]);
    const written = (name: string, at: string) => same(name).replace("type:", `modified: ${at}\ntype:`);
    const [older, newer] = ["2026-02-01T09:00:00Z", "2026-03-01T09:00:00Z"] as const;
    expect(goes({ "a.md": written("a", newer), "b.md": written("b", older) })).toEqual([
      ["b.md", ["a.md"], []],
    ]);
  });

  it("that are both linked both stay, and so does one the person's own index text links", () => {
    const linking = { "z.md": topic("See [[a]] and [that](b.md).", { name: "z" }) };

    expect(goes({ "a.md": same("a"), "b.md": same("b"), "c.md": same("c"), ...linking })).toEqual([
      ["a.md", ["c.md"], ["b.md"]],
    ]);
    expect(
      goes({ "a.md": same("a"), "b.md": same("b"), "MEMORY.md": "Read [b](b.md) first, always.\n" }),
    ).toEqual([["b.md", ["a.md"], []]]);
    const found = findings({
      "a.md": same("a"),
      "b.md": same("b"),
      ...linking,
      "MEMORY.md": indexOf("a.md", "b.md", "z.md"),
    });
    expect(found).toMatchObject([{ code: "exact-duplicate", file: "b.md", fixable: false }]);
  });

  it("of no words, or under a broken header, are none", () => {
    const broken = "---\nname: [x\n---\nbody\n";

    expect(goes({ "a.md": "", "b.md": "", "c.md": broken, "d.md": broken })).toEqual([]);
  });

  it("are proposed as removals against what was read", () => {
    const facts = factsOf({ "a.md": same("a"), "b.md": same("b") });

    const { changes, index } = safeFixes(facts);

    const basis = facts.view.memories.find(({ file }) => file === "b.md")?.hash;
    const evidence = [expect.objectContaining({ by: "memory", recordId: "a.md" })];
    expect(changes).toEqual([{ op: "delete", file: "b.md", basis, reason: "duplicate", evidence }]);
    expect(index.text).toBe("- [A](a.md) — the staging host\n");
    expect(safeFixes(facts, ({ file }) => file !== "b.md").changes).toEqual([]);
  });
});

describe("near duplicates", () => {
  const near = (a: string, b: string) =>
    nearDuplicatesIn([
      memoryOf("a.md", { description: a, body: a }),
      memoryOf("b.md", { description: b, body: b }),
    ]).pairs.map(([one, other]) => `${one.file} ${other.file}`);

  it.each([
    ["Use tabs for indentation in commits.", "Please use tabs for the indentation in commits"],
    ["Use pnpm, not npm.", "Don't use npm, use pnpm."],
    [
      "The staging host is called reed and lives in Oslo.",
      "The staging host is called reed; it lives in Oslo.",
    ],
  ])("%j and %j are", (a, b) => {
    expect(near(a, b)).toEqual(["a.md b.md"]);
  });

  it.each([
    ["Use tabs for indentation in commits.", "Never use tabs for indentation in commits."],
    ["The API listens on port 8080 in staging.", "The API listens on port 9090 in staging."],
    ["Use pnpm, not npm.", "Use npm, not pnpm."],
    ["Use tabs for indentation.", "The staging host is called reed."],
  ])("%j and %j are not", (a, b) => {
    expect(near(a, b)).toEqual([]);
  });

  it("are reported, and never mended", () => {
    const texts = {
      "a.md": topic("Use tabs for indentation in commits.", { name: "a", description: "tabs" }),
      "b.md": topic("Please use tabs for the indentation in commits", { name: "b", description: "tabs" }),
      "MEMORY.md": "- [A](a.md)\n- [B](b.md)\n",
    };

    expect(findings(texts)).toMatchObject([{ code: "near-duplicate", file: "b.md", fixable: false }]);
    expect(safeFixes(factsOf(texts)).changes).toEqual([]);
  });

  it("are looked for within a bound, and reaching it is told", () => {
    // Each has six of its seven words in common with each other one, which is not enough.
    const own = (at: number) =>
      `own${Array.from(String(at))
        .map((digit) => "abcdefghij".charAt(Number(digit)))
        .join("")}`;
    const memories = Array.from({ length: 1_000 }, (_, at) =>
      memoryOf(`f${at}.md`, { description: `${own(at)} amber birch cedar daisy elder fern`, body: "" }),
    );

    expect(nearDuplicatesIn(memories)).toEqual({ pairs: [], isCut: true });
    expect(nearDuplicatesIn(memories.slice(0, 700))).toEqual({ pairs: [], isCut: false });
    expect(NEAR_COMPARISONS_MAX).toBeLessThanOrEqual(300_000);
  });
});
