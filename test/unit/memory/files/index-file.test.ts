import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MEMORY_TYPES, type Memory } from "../../../../src/domain/memories.ts";
import { type IndexRequest, planIndex } from "../../../../src/memory/files/index-file.ts";
import { parseIndex } from "../../../../src/memory/files/index-lines.ts";
import { memoryOf } from "./memory-builder.ts";

function plan(request: Partial<IndexRequest>) {
  return planIndex({
    text: undefined,
    memories: [],
    unavailable: [],
    ensure: [],
    refresh: [],
    drop: [],
    droppedByPerson: [],
    today: "2026-05-04",
    ...request,
  });
}

const keptFiles = (text: string | undefined) =>
  parseIndex(text ?? "").flatMap((line) => line.kept?.file ?? []);
const lineCount = (text: string) => parseIndex(text).length;

describe("the next text of the index", () => {
  it("begins with the first memory", () => {
    const a = memoryOf("a.md", { name: "first-one", description: "what it says" });

    expect(plan({ memories: [a], ensure: ["a.md"] })).toEqual({
      text: "- [First one](a.md) — what it says\n",
      changed: true,
      left: [],
      overCap: false,
    });
  });

  it("is none when there is nothing to say", () => {
    expect(plan({})).toEqual({ text: undefined, changed: false, left: [], overCap: false });
  });

  it("adds after the last host-kept line and keeps line ends", () => {
    const text = "# Mine\r\n\r\n- [B](b.md)\r\n\r\nMy notes";

    expect(plan({ text, memories: [memoryOf("a.md", { description: "x" })], ensure: ["a.md"] }).text).toBe(
      "# Mine\r\n\r\n- [B](b.md)\r\n- [A](a.md) — x\r\n\r\nMy notes",
    );
  });

  it("ends the person's last line before it adds one below", () => {
    expect(
      plan({ text: "My notes", memories: [memoryOf("a.md", { description: "x" })], ensure: ["a.md"] }).text,
    ).toBe("My notes\n- [A](a.md) — x\n");
  });

  it("refreshes an existing line in place and only if there is one", () => {
    const memories = [memoryOf("a.md", { description: "new" }), memoryOf("b.md")];

    expect(plan({ text: "- [Old](a.md) — old\n# x\n", memories, refresh: ["a.md", "b.md"] }).text).toBe(
      "- [A](a.md) — new\n# x\n",
    );
  });

  it("drops every line of a dropped file and nothing of the person's", () => {
    const text = "- [A](a.md)\nsee [A](a.md)\n- [A again](a.md)\n";

    expect(plan({ text, drop: ["a.md"] }).text).toBe("see [A](a.md)\n");
  });

  it("does not add again what the person took out", () => {
    expect(
      plan({ text: "# x\n", memories: [memoryOf("a.md")], ensure: ["a.md"], droppedByPerson: ["a.md"] }),
    ).toMatchObject({
      changed: false,
    });
  });

  it("does not add what the person's own text links already", () => {
    const text = "- [A](a.md) and [B](b.md)\n";

    expect(plan({ text, memories: [memoryOf("a.md")], ensure: ["a.md"] }).changed).toBe(false);
  });

  it("leaves an index alone that the person alone has filled, and says so", () => {
    const text = "my own line\n".repeat(201);

    expect(plan({ text, memories: [memoryOf("a.md")], ensure: ["a.md"] })).toEqual({
      text,
      changed: false,
      left: [],
      overCap: true,
    });
  });
});

describe("an index over a cap (B25)", () => {
  it("a: lets the superseded line go first and keeps the correction and the newest entry", () => {
    const files = Array.from({ length: 203 }, (_, n) =>
      n === 2 ? "port.md" : n === 202 ? "port_fix.md" : `m${n}.md`,
    );
    const text = files.map((file) => `- [Some title of it](${file}) - about sixty bytes`).join("\n");
    const memories = [...files, "new.md"].map((file) => memoryOf(file));

    const planned = plan({ text, memories, ensure: ["new.md"] });

    expect(lineCount(planned.text ?? "")).toBe(200);
    expect(planned.left[0]).toBe("port.md");
    expect(planned.left).toHaveLength(4);
    expect(keptFiles(planned.text)).toEqual(expect.arrayContaining(["port_fix.md", "new.md"]));
  });

  it("b: holds the byte cap with few but long lines, whole lines only", () => {
    const files = Array.from({ length: 146 }, (_, n) => `m${n}.md`);
    const lines = files.map((file) => `- [T](${file}) - ${"words ".repeat(57)}`);

    const planned = plan({
      text: `${lines.join("\n")}\n`,
      memories: [...files, "new.md"].map((file) => memoryOf(file)),
      ensure: ["new.md"],
    });

    expect(Buffer.byteLength(planned.text ?? "")).toBeLessThanOrEqual(25_000);
    expect(planned.left.length).toBeGreaterThan(70);
    expect(keptFiles(planned.text)).toContain("new.md");
    for (const line of (planned.text ?? "").trimEnd().split("\n").slice(0, -1)) expect(lines).toContain(line);
  });

  it("c: counts UTF-8 bytes, not characters", () => {
    const files = Array.from({ length: 190 }, (_, n) => `m${n}.md`);
    const text = files.map((file) => `- [題](${file}) — ${"記憶".repeat(47)}\n`).join("");
    expect(text.length).toBeLessThan(25_000);

    const planned = plan({ text, memories: files.map((file) => memoryOf(file)), ensure: ["m0.md"] });

    expect(Buffer.byteLength(planned.text ?? "")).toBeLessThanOrEqual(25_000);
  });
});

describe("what leaves the index first", () => {
  const kinds: Record<string, Memory | undefined> = {
    "superseded.md": memoryOf("superseded.md", { type: "feedback", confirmed: "2026-05-03" }),
    "vanished.md": undefined,
    "reference.md": memoryOf("reference.md", { type: "reference", confirmed: "2026-05-03" }),
    "past.md": memoryOf("past.md", { description: "merge freeze until 2026-04-01", confirmed: "2026-05-03" }),
    "project_old.md": memoryOf("project_old.md", { confirmed: "2026-01-01" }),
    "project_young.md": memoryOf("project_young.md", { confirmed: "2026-05-01" }),
    "user.md": memoryOf("user.md", { type: "user", confirmed: "2020-01-01" }),
    "feedback_old.md": memoryOf("feedback_old.md", { type: "feedback", confirmed: "2019-01-01" }),
    "feedback.md": memoryOf("feedback.md", { type: "feedback", confirmed: "2019-01-02" }),
  };
  const order = Object.keys(kinds);
  // The list backwards, so that the place in the file decides nothing.
  const entries = order.toReversed().map((file) => `- [T](${file})\n`);

  it.each(order.map((_, n) => n + 1))("%d of nine, in the promised order", (gone) => {
    const own = "own\n".repeat(200 - order.length + gone);
    const memories = Object.values(kinds).flatMap((memory) => memory ?? []);

    const planned = plan({ text: own + entries.join(""), memories, superseded: ["superseded.md"] });

    expect(planned.left).toEqual(order.slice(0, gone));
  });

  it("is never what was just learnt, while anything else can go", () => {
    const memories = [memoryOf("new.md", { type: "reference" }), memoryOf("old.md", { type: "feedback" })];

    const planned = plan({ text: `${"own\n".repeat(199)}- [O](old.md)\n`, memories, ensure: ["new.md"] });

    expect(planned).toMatchObject({ left: ["old.md"] });
    expect(keptFiles(planned.text)).toEqual(["new.md"]);
  });

  it("is a repeated line before any file loses its only one", () => {
    const text = `${"own\n".repeat(199)}- [F](f.md)\n- [F again](f.md)\n`;

    const planned = plan({ text, memories: [memoryOf("f.md", { type: "feedback" })] });

    expect(planned.left).toEqual([]);
    expect(keptFiles(planned.text)).toEqual(["f.md"]);
  });

  it("is not a memory that is only not downloaded", () => {
    const text = `${"own\n".repeat(199)}- [C](cloud.md)\n- [P](p.md)\n`;

    expect(plan({ text, memories: [memoryOf("p.md")], unavailable: ["cloud.md"] }).left).toEqual(["p.md"]);
  });

  it("is what another memory says it supersedes", () => {
    const text = `${"own\n".repeat(199)}- [A](a.md)\n- [B](b.md)\n`;
    const memories = [
      memoryOf("a.md", { confirmed: "2020-01-01" }),
      memoryOf("b.md", { name: "bee", type: "feedback" }),
      memoryOf("c.md", { body: "It supersedes [[bee]], said on 2026-01-01." }),
    ];

    expect(plan({ text, memories }).left).toEqual(["b.md"]);
  });
});

describe("for any index and any request", () => {
  const own = fc.constantFrom(
    "# Head",
    "own words",
    "- [x](https://example.org)",
    "- [A](a.md) [B](b.md)",
    "",
    "界界界",
    "w".repeat(900),
  );
  const entry = fc.integer({ min: 0, max: 30 }).map((n) => `- [T](m${n}.md) — ${"hook ".repeat(n)}`);
  const index = fc.array(fc.oneof(own, entry), { maxLength: 260, size: "max" });
  const memory = fc.record({ n: fc.integer({ min: 0, max: 40 }), type: fc.constantFrom(...MEMORY_TYPES) });
  const files = fc.array(
    fc.integer({ min: 0, max: 40 }).map((n) => `m${n}.md`),
    { maxLength: 8 },
  );

  it("the person's lines stay, byte for byte and in order, and the caps hold", () => {
    fc.assert(
      fc.property(
        index,
        fc.array(memory),
        files,
        files,
        files,
        fc.constantFrom("\n", "\r\n"),
        (lines, made, ensure, refresh, drop, eol) => {
          const text = lines.map((line) => line + eol).join("");
          const memories = made.map(({ n, type }) => memoryOf(`m${n}.md`, { type }));
          const planned = plan({ text, memories, ensure, refresh, drop });
          const persons = (all: string) =>
            parseIndex(all).flatMap((line) => (line.kept === undefined ? [line.text + line.eol] : []));
          const next = planned.text ?? "";
          if (planned.overCap) {
            expect(next).toBe(text);
            return;
          }
          expect(persons(next)).toEqual(persons(text));
          expect(lineCount(next)).toBeLessThanOrEqual(200);
          expect(Buffer.byteLength(next)).toBeLessThanOrEqual(25_000);
          for (const file of planned.left) expect(keptFiles(next)).not.toContain(file);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("planning twice changes nothing more", () => {
    fc.assert(
      fc.property(index, fc.array(memory), files, (lines, made, ensure) => {
        const memories = made.map(({ n, type }) => memoryOf(`m${n}.md`, { type }));
        const first = plan({ text: lines.map((line) => `${line}\n`).join(""), memories, ensure });
        const second = plan({
          text: first.text,
          memories,
          ensure: ensure.filter((file) => keptFiles(first.text).includes(file)),
        });
        expect(second.text).toBe(first.text);
      }),
      { numRuns: 100 },
    );
  });
});
