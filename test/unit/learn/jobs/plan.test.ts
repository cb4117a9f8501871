import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zoneNamed } from "../../../helpers/time-zone.ts";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { MEMORY_LIMITS } from "../../../../src/domain/limits.ts";
import type { Memory } from "../../../../src/domain/memories.ts";
import type { Finding, PlanContext } from "../../../../src/learn/jobs/plan.ts";
import { partsOf, planChanges } from "../../../../src/learn/jobs/plan.ts";

const session = { agent: "claude-code", id: "s1", projectId: "p1" } as const;

function finding(text: string, recordId: string): Finding {
  return {
    memory: {
      name: text.toLowerCase().replaceAll(" ", "-"),
      description: text,
      type: "feedback",
      body: `${text}.`,
    },
    evidence: [{ session, recordId, by: "user", quote: text, at: 0 }],
  };
}

function known(text: string, fields: Partial<Memory> = {}): Memory {
  return {
    ...finding(text, "").memory,
    file: "known.md",
    frontmatter: "ok",
    hash: "hash",
    mtimeMs: 0,
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin: undefined,
    links: [],
    ...fields,
  };
}

const plan = (findings: readonly Finding[], context: Partial<PlanContext> = {}) =>
  planChanges(findings, {
    memories: [],
    taken: new Set(),
    today: "2026-05-04",
    timeZone: zoneNamed("UTC"),
    origin: undefined,
    ...context,
  });
const opsOf = (changes: readonly MemoryChange[]) => changes.map(({ op }) => op);

describe("a finding", () => {
  it("that no memory holds becomes a new file", () => {
    expect(plan([finding("Use tabs for indentation", "r1")])).toMatchObject([
      { op: "create", file: expect.stringMatching(/^feedback_.*tabs.*\.md$/) },
    ]);
  });

  it("that a memory holds confirms it, on the text that was read", () => {
    const changes = plan([finding("Use tabs for indentation", "r1")], {
      memories: [known("Use tabs for indentation")],
    });

    expect(changes).toMatchObject([{ op: "confirm", file: "known.md", basis: "hash" }]);
  });

  it("from a record that a file already names changes nothing", () => {
    expect(
      plan([finding("Quite other words by now", "r1")], {
        memories: [known("Use tabs", { evidence: ["r1"] })],
      }),
    ).toEqual([]);
  });

  it("said twice in one window is one file with both records as evidence", () => {
    const [create, ...rest] = plan([
      finding("Use tabs for indentation", "r1"),
      finding("Use tabs for indentation", "r2"),
    ]);

    expect(rest).toEqual([]);
    expect(create?.evidence.map(({ recordId }) => recordId)).toEqual(["r1", "r2"]);
  });

  it("confirms one file once, however often it was said", () => {
    const changes = plan(
      [finding("Use tabs for indentation", "r1"), finding("Use tabs for indentation", "r2")],
      { memories: [known("Use tabs for indentation")] },
    );

    expect(opsOf(changes)).toEqual(["confirm"]);
    expect(changes[0]?.evidence).toHaveLength(2);
  });

  it.each([
    ["another project", "/b"],
    ["nobody knows whom", undefined],
  ])("never confirms a memory of %s where a folder is shared", (_, origin) => {
    // B19
    const memories = [known("Use tabs for indentation", { origin })];

    expect(opsOf(plan([finding("Use tabs for indentation", "r1")], { memories, origin: "/a" }))).toEqual([
      "create",
    ]);
  });

  it("never takes a name that is in the folder, whatever has it", () => {
    const [first] = plan([finding("Use tabs for indentation", "r1")]);
    const taken = new Set([first?.file ?? ""]);

    const [second] = plan([finding("Use tabs for indentation", "r1")], { taken });

    expect(second?.file).not.toBe(first?.file);
  });
});

describe("a plan", () => {
  it("is cut into parts that a change set may hold, in order and without loss", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MEMORY_LIMITS.changesMax * 3 }), (count) => {
        const changes = Array.from({ length: count }, (_, n): MemoryChange => {
          return { op: "confirm", file: `${n}.md`, basis: "h", evidence: [] };
        });

        const parts = partsOf(changes);

        expect(parts.flat()).toEqual(changes);
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(MEMORY_LIMITS.changesMax);
      }),
      { numRuns: 30 },
    );
  });

  it("does not tear what one message teaches between two sets while it fits into one", () => {
    const max = MEMORY_LIMITS.changesMax;
    const findings = Array.from({ length: max + 10 }, (_, n) =>
      finding(`Keep rule number ${n} of ${n * 7}`, n < max - 5 ? `r${n}` : "long"),
    );

    const parts = partsOf(plan(findings));

    expect(parts.map((part) => part.length)).toEqual([max - 5, 15]);
  });
});
