import { existsSync } from "node:fs";
import fc from "fast-check";
import matter from "gray-matter";
import { describe, expect, it } from "vitest";
import { parseTopicFile } from "../../../../src/memory/files/topic-file.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 9;

const file = (header: string, body = "b") => `---\n${header}\n---\n${body}`;

describe("odd frontmatter of real stores (B29)", () => {
  it("a: finds the type under metadata", () => {
    expect(parseTopicFile(file("name: fb\nmetadata:\n  type: feedback"))).toMatchObject({
      name: "fb",
      type: "feedback",
      body: "b",
      frontmatter: "ok",
    });
  });

  it("b: looks through a block another tool put in front", () => {
    const text = `${file("permalink: p/x", "")}\n${file("name: real\ndescription: the useful line\ntype: project")}`;

    expect(parseTopicFile(text)).toMatchObject({
      name: "real",
      description: "the useful line",
      type: "project",
      body: "b",
    });
  });

  it("c: keeps values as they are written and does not guess a type", () => {
    const topic = parseTopicFile(file("name: 2026-04-03\ndescription: yes\ntype: 12"));

    expect(topic).toMatchObject({ name: "2026-04-03", description: "yes", frontmatter: "ok" });
    expect(topic.type).toBeUndefined();
  });

  it("d: takes text between horizontal rules as body", () => {
    const text = "---\n\nplain text\n\n---\nmore";

    expect(parseTopicFile(text)).toMatchObject({ frontmatter: "none", body: text, name: undefined });
  });

  it("e: knows CRLF files", () => {
    expect(parseTopicFile("---\r\nname: x\r\ntype: user\r\n---\r\nbody\r\n")).toMatchObject({
      name: "x",
      type: "user",
      body: "body",
      eol: "\r\n",
    });
  });

  it("f: allows a blank line before the fence", () => {
    expect(parseTopicFile("\n---\nname: y\n---\nb")).toMatchObject({ name: "y", body: "b" });
  });

  it("g: calls a block without a closing fence malformed and keeps the text", () => {
    const topic = parseTopicFile("---\nname: z\nno closing fence\n");

    expect(topic).toMatchObject({
      frontmatter: "malformed",
      name: "z",
      body: "---\nname: z\nno closing fence",
    });
  });

  it("h: reads a second file of the same name like any other", () => {
    expect(parseTopicFile(file("name: real\ndescription: another one", "b2"))).toMatchObject({
      name: "real",
      description: "another one",
      body: "b2",
    });
  });
});

describe("hostile frontmatter", () => {
  it.each(["---js", "---javascript", "---JavaScript", "--- js", "---JS", "---constructor", "---__proto__"])(
    "evaluates nothing behind %s (F1, F2, fault 95)",
    (fence) => {
      const marker = createTempFolder().at("marker");
      const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "")`;

      const topic = parseTopicFile(`${fence}\n{ name: ${code} }\n---\nbody`);

      expect(topic).toMatchObject({ frontmatter: "none", name: undefined });
      expect(existsSync(marker)).toBe(false);
    },
  );

  it("leaves nothing in the library's cache (F3)", () => {
    parseTopicFile(file("name: cached\ndescription: d"));
    parseTopicFile(file("name: [broken"));

    expect(Object.keys(Reflect.get(matter, "cache"))).toEqual([]);
  });

  it("says the same of invalid YAML each time (F4, fault 97)", () => {
    const text = file("name: a\n  b: [\ndescription: still readable");

    const first = parseTopicFile(text);

    expect(first).toMatchObject({ frontmatter: "malformed", description: "still readable", body: "b" });
    expect(parseTopicFile(text)).toEqual(first);
  });

  it("refuses anchors and aliases, however they multiply (F5, fault 96)", async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `  l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}]`);
    const text = file(["name: bomb", "metadata:", "  l0: &l0 [lol]", ...levels].join("\n"));

    const topic = parseTopicFile(text);

    expect(topic).toMatchObject({ frontmatter: "malformed", name: "bomb" });
    expect(JSON.stringify(topic).length).toBeLessThan(1_000);
    expect(await costOf(() => parseTopicFile(text), { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
  });

  it.each([
    ["80,000 blank lines", file(`name: x${"\n".repeat(80_000)}description: y`)],
    ["deep brackets", file(`name: ${"[".repeat(10_000)}`)],
    [
      "deep indentation",
      file(`name: x\n${Array.from({ length: 5_000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n")}`),
    ],
    ["an open block and 80,000 lines", `---\nname: x\n${"\n".repeat(80_000)}`],
    ["blank lines only", "\n".repeat(200_000)],
    ["a merge-key bomb", file(`name: x\na: &a {k: v}\nb: {<<: [${"*a, ".repeat(500)}]}`)],
  ])("reads %s at next to no cost (F6, F7, fault 96)", async (_what, text) => {
    expect(await costOf(() => parseTopicFile(text), { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
  });

  it.each([
    "2026-04-10",
    "1.10",
    "017",
    "12:30:45",
    "1e3",
    "~",
    "0x1f",
    "yes",
    "null",
    ".inf",
    "2026-04-10T10:00:00Z",
  ])("keeps %s a string (F8, fault 98)", (value) => {
    expect(parseTopicFile(file(`name: ${value}\ndescription: ${value}`))).toMatchObject({
      name: value,
      description: value,
      frontmatter: "ok",
    });
  });

  it("recovers known keys of a head that is no valid YAML and says so (F9)", () => {
    const text = file(
      "name: fix: the thing\ndescription: rule: always: this\nmetadata:\n  type: feedback\n  confirmed: 2026-05-04",
    );

    expect(parseTopicFile(text)).toMatchObject({
      name: "fix: the thing",
      description: "rule: always: this",
      type: "feedback",
      confirmed: "2026-05-04",
      frontmatter: "malformed",
      body: "b",
    });
  });

  it("takes a paragraph with a colon between two rules as body (F10)", () => {
    const text = "---\nA paragraph: with a colon\n---\nrest";

    expect(parseTopicFile(text)).toMatchObject({ frontmatter: "none", body: text });
  });

  it("does not end a block at a line that only begins with a fence (F10)", () => {
    expect(parseTopicFile("---\nname: x\n---more\n---\nb")).toMatchObject({
      frontmatter: "malformed",
      body: "b",
    });
  });

  it("reads past a byte order mark and keeps CRLF in the body (F11)", () => {
    expect(parseTopicFile("\uFEFF---\r\nname: x\r\n---\r\na\r\nb\r\n")).toMatchObject({
      name: "x",
      body: "a\r\nb",
    });
  });

  it("copies known keys only (F12)", () => {
    const topic = parseTopicFile(file("name: x\n__proto__:\n  polluted: yes\nconstructor: y"));

    expect(topic.name).toBe("x");
    expect(Object.keys(topic)).not.toContain("__proto__");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("never throws and always says the same", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "---",
            "\n",
            "\r\n",
            "name: a",
            "metadata:",
            "  type: user",
            "\t",
            "&a",
            "*a",
            ": ",
            "'",
            '"',
            "[",
            "{",
            "- ",
            "日本",
            "\uFEFF",
          ),
        ),
        (parts) => {
          const text = parts.join("");
          expect(parseTopicFile(text)).toEqual(parseTopicFile(text));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a header", () => {
  it("accepts the type in both places and leaves an unknown one undefined", () => {
    const typeOf = (header: string) => parseTopicFile(file(`name: x\n${header}`)).type;

    expect([
      typeOf("type: user"),
      typeOf("metadata:\n  type: user"),
      typeOf("type: mood"),
      typeOf("other: 1"),
    ]).toEqual(["user", "user", undefined, undefined]);
  });

  it("tolerates a blank after metadata and metadata without a type", () => {
    expect(parseTopicFile(file("name: x\nmetadata: \n  pinned: true"))).toMatchObject({
      name: "x",
      frontmatter: "ok",
    });
  });

  it("reads our stamps, also as a host writes them back", () => {
    const text = file(
      "name: x\nmetadata:\n  confirmed: 2026-05-04T00:00:00.000Z\n  evidence:\n    - id-1\n    - id-2\n  origin: /srv/a\n  originSessionId: s1",
    );

    expect(parseTopicFile(text)).toMatchObject({
      confirmed: "2026-05-04",
      evidence: ["id-1", "id-2"],
      origin: "/srv/a",
      originSessionId: "s1",
    });
  });

  it("lists the links of the body, each once", () => {
    expect(parseTopicFile(file("name: x", "see [[a-b]], [[c|shown]] and [[a-b]]")).links).toEqual([
      "a-b",
      "c",
    ]);
  });
});
