import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MEMORY_TYPES, type MemoryDraft } from "../../../../src/domain/memories.ts";
import { parseTopicFile } from "../../../../src/memory/files/topic-file.ts";
import { editTopicFile, evidenceIds, renderTopicFile } from "../../../../src/memory/files/topic-writer.ts";

const DRAFT: MemoryDraft = {
  name: "prefers-tabs",
  description: "tabs, not spaces: in every file # really",
  type: "feedback",
  body: "Use tabs.\n\n**Why:** asked for.\n",
};
const STAMP = {
  confirmed: "2026-05-04",
  modified: "2026-05-04T10:00:00.000Z",
  originSessionId: "11111111-1111-4111-8111-111111111111",
  evidence: ["a1", "a2", "a3", "a4"],
};

const anyText = fc
  .string({ unit: "binary", minLength: 1, maxLength: 60 })
  .filter((text) => text.trim() !== "");
const anyDraft: fc.Arbitrary<MemoryDraft> = fc.record({
  name: anyText,
  description: anyText,
  type: fc.constantFrom(...MEMORY_TYPES),
  body: fc.string({ unit: "binary", maxLength: 200 }),
});

describe("a new topic file", () => {
  it("has today's format, one line a field", () => {
    expect(renderTopicFile(DRAFT, STAMP)).toBe(
      [
        "---",
        "name: prefers-tabs",
        'description: "tabs, not spaces: in every file # really"',
        "metadata:",
        "  node_type: memory",
        "  type: feedback",
        "  originSessionId: 11111111-1111-4111-8111-111111111111",
        "  modified: 2026-05-04T10:00:00.000Z",
        "  confirmed: 2026-05-04",
        "  evidence: [a1, a3, a4]",
        "---",
        "Use tabs.",
        "",
        "**Why:** asked for.",
        "",
      ].join("\n"),
    );
  });

  it("reads back as it was given, whatever the draft holds", () => {
    fc.assert(
      fc.property(anyDraft, fc.array(anyText, { maxLength: 3 }), (draft, evidence) => {
        const topic = parseTopicFile(renderTopicFile(draft, { ...STAMP, evidence, origin: draft.name }));
        const ids = [...new Set(evidence)];
        expect(topic).toMatchObject({ name: draft.name, description: draft.description, type: draft.type });
        expect(topic).toMatchObject({ frontmatter: "ok", confirmed: STAMP.confirmed, origin: draft.name });
        expect(topic.evidence).toEqual(ids.map((id) => id.trim()));
        expect(topic.body).toBe(
          draft.body
            .replace(/\r\n?/gu, "\n")
            .replace(/^(?:[ \t]*\n)+/u, "")
            .trimEnd(),
        );
      }),
      { numRuns: 400 },
    );
  });

  it("never passes 20 lines and 2 KiB of frontmatter", () => {
    const text = renderTopicFile({ ...DRAFT, description: "界".repeat(300) }, STAMP);

    const closingFence = text.split("\n").indexOf("---", 1);
    expect(closingFence).toBeGreaterThan(1);
    expect(closingFence + 1).toBeLessThanOrEqual(20);
    expect(() => renderTopicFile({ ...DRAFT, description: "界".repeat(2_000) }, STAMP)).toThrow(
      /2048 bytes/u,
    );
  });

  it.each(["yes", "1e3", "017", "2026-01-01", "- x", "a: b", "x #y", "'q'", "@x", "null", "日本語", "a\nb"])(
    "writes %j so that no reader takes it for anything else",
    (value) => {
      const text = renderTopicFile({ ...DRAFT, name: value }, {});

      expect(parseTopicFile(text).name).toBe(value);
      expect(text.split("\n")[1]).toMatch(value === "日本語" ? /^name: 日本語$/u : /^name: "/u);
    },
  );
});

describe("evidence ids", () => {
  it("keep the first and the newest two", () => {
    expect(evidenceIds(["a", "b"], ["c", "d"])).toEqual(["a", "c", "d"]);
    expect(evidenceIds(["a"], ["a", "b"])).toEqual(["a", "b"]);
  });
});

describe("an edit", () => {
  const old = [
    "---",
    "# kept comment",
    "name: old",
    "description: 'it''s old'   # note",
    "tags: [x, y]",
    "metadata: ",
    "    type: project",
    "    pinned: true",
    "---",
    "",
    "Body.",
    "",
  ].join("\n");

  it("changes the named lines and keeps every other byte", () => {
    const edited = editTopicFile(old, {
      memory: { description: "new: one" },
      stamp: { confirmed: "2026-05-04" },
    });

    expect(edited).toBe(
      old
        .replace("'it''s old'   # note", '"new: one"   # note')
        .replace("    pinned: true\n", "    pinned: true\n    confirmed: 2026-05-04\n"),
    );
  });

  it("keeps CRLF (B29 e)", () => {
    const text = "---\r\nname: x\r\ntype: user\r\n---\r\nbody\r\n";

    expect(editTopicFile(text, { stamp: { confirmed: "2026-05-04" }, memory: { body: "one\ntwo" } })).toBe(
      "---\r\nname: x\r\ntype: user\r\nmetadata:\r\n  confirmed: 2026-05-04\r\n---\r\none\r\ntwo\r\n",
    );
  });

  it("edits the second block where the first is another tool's, and adds none (B29 b)", () => {
    const text = "---\npermalink: p/x\n---\n\n---\nname: real\ndescription: a\ntype: project\n---\nb";

    expect(editTopicFile(text, { memory: { description: "c" } })).toBe(
      text.replace("description: a", "description: c"),
    );
  });

  it("adds no block to a file without frontmatter", () => {
    expect(
      editTopicFile("just text\n", { memory: { body: "other" }, stamp: { confirmed: "2026-05-04" } }),
    ).toBe("other\n");
  });

  it("leaves a malformed file alone, the second time too (F4)", () => {
    const text = "---\nname: a\n  b: [\n---\nbody";

    for (const _ of [1, 2]) expect(() => editTopicFile(text, { stamp: STAMP })).toThrow(/left alone/u);
  });

  it("replaces values of several lines and of one-line mappings", () => {
    const block =
      "---\nname: x\ndescription: >\n  folded\n  text\ntype: user\nmetadata: {pinned: true, confirmed: 2026-01-01} # m\n---\nb\n";

    expect(
      editTopicFile(block, { memory: { description: "short" }, stamp: { confirmed: "2026-05-04" } }),
    ).toBe(
      "---\nname: x\ndescription: short\ntype: user\nmetadata: { pinned: true, confirmed: 2026-05-04 } # m\n---\nb\n",
    );
  });

  it("adds no key that would push the block over 20 lines", () => {
    const many = `---\nname: x\n${Array.from({ length: 16 }, (_, n) => `k${n}: v`).join("\n")}\n---\nb\n`;

    expect(editTopicFile(many, { stamp: { confirmed: "2026-05-04" } })).toBe(many);
  });

  it("keeps all other lines, whatever stands in them", () => {
    const line = fc.constantFrom(
      "# c",
      "k: v",
      "k2: [a, b]",
      "k3:\n  deep: 1",
      "k4: |\n  text\n\n  more",
      "'k5': \"q\"",
      "",
    );
    const edit = fc.record({ confirmed: fc.constantFrom("2026-05-04", "2025-01-01"), description: anyText });
    fc.assert(
      fc.property(fc.uniqueArray(line), edit, fc.constantFrom("\n", "\r\n"), (extra, wanted, eol) => {
        const head = ["name: x", "description: old", "metadata:\n  type: user\n  other: 1", ...extra].join(
          "\n",
        );
        const text = `---\n${head}\n---\n\nbody [[x]]\n`.replaceAll("\n", eol);
        const edited = editTopicFile(text, {
          memory: { description: wanted.description },
          stamp: { confirmed: wanted.confirmed },
        });
        const rest = (all: string) =>
          all.split(eol).filter((row) => !/^description:|^ {2}confirmed:/u.test(row));
        expect(rest(edited)).toEqual(rest(text));
        expect(parseTopicFile(edited)).toMatchObject(wanted);
      }),
      { numRuns: 300 },
    );
  });

  it("of nothing changes nothing", () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const text = renderTopicFile(draft, STAMP);
        expect(editTopicFile(text, { memory: draft, stamp: STAMP })).toBe(text);
      }),
    );
  });
});
