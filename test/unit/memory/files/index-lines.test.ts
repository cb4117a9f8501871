import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexEntry } from "../../../../src/memory/files/index-entry.ts";
import { parseIndex } from "../../../../src/memory/files/index-lines.ts";
import { memoryOf } from "./memory-builder.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 60;

const keptFile = (line: string) => parseIndex(line)[0]?.kept?.file;

describe("a host-kept line", () => {
  it.each([
    ["- [Port](port.md) — API on 8080", "port.md"],
    ["* [Port](./port.md) - API on 8080", "port.md"],
    ["1. [Port](port.md)", "port.md"],
    ["- see [port](port.md) before deploying", "port.md"],
    ["- [Größe](gr%C3%B6%C3%9Fe.md)", "größe.md"],
    ["- [My notes](<my notes.md>)", "my notes.md"],
    ['- [Port](port.md "title")', "port.md"],
    ["- [Docs](docs.md) — at https://example.org/x", "docs.md"],
  ])("is %s", (line, file) => {
    expect(keptFile(line)).toBe(file);
  });

  it("tells its title and hook", () => {
    expect(parseIndex("- [The port](port.md) — API on 8080")[0]?.kept).toEqual({
      file: "port.md",
      title: "The port",
      hook: "API on 8080",
    });
  });

  it.each([
    "# Heading",
    "Some text with [a link](port.md)",
    "- [A](a.md) and [B](b.md)",
    "- [A](a.md), see [site](https://example.org)",
    "- [Up](../port.md)",
    "- [Team](team/port.md)",
    "- [Site](https://example.org/port.md)",
    "- [Index](MEMORY.md)",
    "- plain item",
    "- write `[Title](file.md)`",
    "- [[port]]",
    "- [Text](notes.txt)",
  ])("is not %s", (line) => {
    expect(parseIndex(line)[0]?.kept).toBeUndefined();
  });

  it("is not one that goes on below, nor one in frontmatter, a comment or a fence", () => {
    const entry = "- [A](a.md)";
    const text = [
      "---",
      entry,
      "---",
      "<!--",
      entry,
      "-->",
      "```",
      entry,
      "```",
      entry,
      "  goes on",
      entry,
    ].join("\n");

    expect(parseIndex(text).map((line) => line.kept !== undefined)).toEqual([...Array(11).fill(false), true]);
  });

  it("stays visible behind a fence or comment nobody closes", () => {
    expect(parseIndex("```\n- [A](a.md)").at(-1)?.kept?.file).toBe("a.md");
    expect(parseIndex("<!-- x\n- [A](a.md)").at(-1)?.kept?.file).toBe("a.md");
  });
});

it("joining the lines gives back the text, whatever it holds", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("a", "\n", "\r", "-", " ", "[", "](", "x.md", ")", "`", "<!--", "---", "界"),
      }),
      (text) => {
        expect(
          parseIndex(text)
            .map((line) => line.text + line.eol)
            .join(""),
        ).toBe(text);
      },
    ),
    { numRuns: 500 },
  );
});

it("reads an index of hostile lines in a moment", async () => {
  const read = () => {
    for (const line of [
      "](".repeat(12_000),
      "[".repeat(25_000),
      "- [a](((((".repeat(2_000),
      "`".repeat(24_999),
    ])
      parseIndex(line);
    parseIndex("<!--\n".repeat(100_000));
    parseIndex("```\n~~~\n".repeat(50_000));
  };

  expect(await costOf(read, { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
});

describe("a line we write", () => {
  it("has a title from the name and a hook from the description", () => {
    const memory = memoryOf("feedback_tabs.md", { name: "prefers-tabs", description: "tabs in every file" });

    expect(indexEntry(memory)).toBe("- [Prefers tabs](feedback_tabs.md) — tabs in every file");
  });

  it("is at most 150 characters and cut between words", () => {
    const entry = indexEntry(memoryOf("a.md", { name: "a-name", description: "some words ".repeat(60) }));

    expect(entry?.length).toBeLessThanOrEqual(150);
    expect(entry).toMatch(/(?:some|words)…$/u);
  });

  it("is one host-kept line for its file, whatever name and description hold", () => {
    const text = fc.string({
      unit: fc.constantFrom(
        "a",
        "b c",
        "[",
        "](x.md)",
        ")",
        "`",
        "<!--",
        "-->",
        "\n",
        "\u001b[2J",
        "\u202e",
        "界",
        "😀",
        "https://x.y/z.md ",
      ),
    });
    const files = fc.constantFrom("a.md", "my notes (1).md", "größe.md", "a%20b.md", `${"n".repeat(100)}.md`);
    fc.assert(
      fc.property(files, text, text, (file, name, description) => {
        const entry = indexEntry(memoryOf(file, { name, description }));
        expect(entry).toBeDefined();
        expect(parseIndex(entry ?? "")).toHaveLength(1);
        expect(keptFile(entry ?? "")).toBe(file);
        expect(entry?.length).toBeLessThanOrEqual(150);
        expect(entry).not.toMatch(/[\p{Cc}\u202e]/u);
      }),
      { numRuns: 500 },
    );
  });

  it("does not exist for a file name that fills the line", () => {
    expect(indexEntry(memoryOf(`${"n".repeat(200)}.md`))).toBeUndefined();
  });
});
