import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MEMORY_TYPES, type MemoryDraft } from "../../../../src/domain/memories.ts";
import {
  checkExistingName,
  checkFileName,
  fileNameFor,
  slugOf,
} from "../../../../src/memory/files/file-name.ts";

const draft = (name: string, fields: Partial<MemoryDraft> = {}): MemoryDraft => ({
  name,
  description: "",
  type: "feedback",
  body: "",
  ...fields,
});
const free = { today: "2026-05-04", isTaken: () => false };

describe("the name of a new file", () => {
  it("is the type and the Latin words of the memory's name", () => {
    expect(fileNameFor(draft("commit-style"), free)).toBe("feedback_commit_style.md");
    expect(fileNameFor(draft("größe-der-schrift"), free)).toBe("feedback_grosse_der_schrift.md");
    expect(fileNameFor(draft("feedback-tabs"), free)).toBe("feedback_tabs.md");
  });

  it("falls back to the description, then to date and hash", () => {
    expect(fileNameFor(draft("提交", { description: "提交 commit message 用英文" }), free)).toBe(
      "feedback_commit_message.md",
    );
    expect(fileNameFor(draft("提交", { description: "用中文" }), free)).toMatch(
      /^feedback_20260504-[0-9a-f]{4}\.md$/u,
    );
  });

  it("counts up while the name is taken", () => {
    const taken = new Set(["feedback_tabs.md", "feedback_tabs_2.md"]);

    expect(fileNameFor(draft("tabs"), { ...free, isTaken: (file) => taken.has(file) })).toBe(
      "feedback_tabs_3.md",
    );
  });

  it("passes our own check, whatever the memory is called", () => {
    const names = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        names,
        names,
        fc.constantFrom(...MEMORY_TYPES),
        fc.boolean(),
        (name, description, type, crowded) => {
          const file = fileNameFor(draft(name, { description, type }), { ...free, isTaken: () => crowded });
          expect(checkFileName(file)).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a slug", () => {
  it("is kebab-case in any script and bounded", () => {
    expect(slugOf("Prefers Tabs, not spaces!")).toBe("prefers-tabs-not-spaces");
    expect(slugOf("提交 用英文")).toBe("提交-用英文");
    expect(slugOf("word ".repeat(50)).length).toBeLessThanOrEqual(64);
    expect(slugOf("語".repeat(100))).toHaveLength(64);
    expect(slugOf("!!")).toBe("");
  });
});

describe("a name somebody proposes", () => {
  it.each([
    ["an absolute path (76)", "/etc/x.md"],
    ["a parent folder (77)", "../x.md"],
    ["two dots alone (77)", ".."],
    ["a folder", "notes/new.md"],
    ["an encoded path (78)", "%2e%2e%2fx.md"],
    ["a doubly encoded path (78)", "%252e%252e%252fx.md"],
    ["full-width dots and slash (79)", "．．／x.md"],
    ["a backslash (80)", "a\\b.md"],
    ["a drive (80)", "C:x.md"],
    ["a stream (80)", "x.md:s.md"],
  ])("is refused for %s", (_what, file) => {
    expect(checkFileName(file)).toBe("bad-path");
    expect(checkExistingName(file)).toBe("bad-path");
  });

  it.each(["a\u0000.md", "a\nb.md", "a\u001b[2J.md", "a\u202egnp.md", "a\u200b.md", ""])(
    "is refused for %j (81)",
    (file) => {
      expect(checkFileName(file)).toBe("bad-name");
      expect(checkExistingName(file)).toBe("bad-name");
    },
  );

  it.each(["MEMORY.md", "memory.md", "Memory.md", ".x.md", ".git", "x.txt", "x", "x.MD", "x.md ", "x.md."])(
    "is refused for %j (82, 83)",
    (file) => {
      expect(checkFileName(file)).toBeDefined();
      expect(checkExistingName(file)).toBeDefined();
    },
  );

  it("may hold other letters only where the file exists", () => {
    expect(checkFileName("größe.md")).toBe("bad-name");
    expect(checkExistingName("größe.md")).toBeUndefined();
    expect(checkExistingName("größe.md".normalize("NFD"))).toBe("bad-name");
    expect(checkFileName("user_role.md")).toBeUndefined();
  });
});
