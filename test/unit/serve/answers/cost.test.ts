// What `cost` answers and prints: every paid run is in every sum once, and nothing looks cheaper than it was.
import { expect, it } from "vitest";
import { costLines } from "../../../../src/cli/render/cost.ts";
import type { ProjectId, ProjectKey } from "../../../../src/domain/sessions.ts";
import type { RunEntry } from "../../../../src/learn/models/ledger.ts";
import { answerCost } from "../../../../src/serve/answers/cost.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const DAY_MS = 86_400_000;
const clock = createManualClock();

function run(daysAgo: number, more: Partial<RunEntry> = {}): RunEntry {
  return {
    v: 1,
    id: "r",
    kind: "extract",
    trigger: "quiet",
    at: new Date(clock.now() - daysAgo * DAY_MS).toISOString(),
    project: "/p",
    memoryDir: "/m",
    outcome: "succeeded",
    files: [],
    requests: 1,
    inputTokens: 1_000,
    outputTokens: 100,
    usd: 0.001,
    ...more,
  };
}

const NOWHERE = () => {
  throw new TypeError("no project was named");
};

function cost(runs: readonly RunEntry[], days?: number) {
  const ledger = { since: (from: number) => runs.filter(({ at }) => Date.parse(at) >= from) };
  return answerCost(days === undefined ? {} : { days }, { clock, ledger, projectAt: NOWHERE });
}

function text(runs: readonly RunEntry[]): string {
  return costLines(cost(runs), { width: 80, now: clock.now() })
    .map((spans) => spans.map((span) => span.text).join(""))
    .join("\n");
}

it("sums paid runs by day, project and kind, and leaves out what rules did", () => {
  const report = cost([
    run(40, { usd: 9 }),
    run(1, { project: "/q", memoryDir: "/n", files: ["a.md"], usd: 0.5 }),
    run(1, { outcome: "failed" }),
    run(0, { kind: "dream", files: ["a.md", "b.md"], usd: 0.25 }),
    run(0, { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0, files: ["c.md"] }),
  ]);

  expect(report).toMatchObject({ days: 30, to: "2026-05-04", from: "2026-04-05" });
  expect(report.total).toMatchObject({ runs: 3, requests: 3, inputTokens: 3_000, memories: 3 });
  expect(report.total.usd).toBeCloseTo(0.751);
  expect(report.byDay.map(({ day, runs }) => [day, runs])).toEqual([
    ["2026-05-04", 1],
    ["2026-05-03", 2],
  ]);
  expect(report.byProject.map(({ project, runs }) => [project, runs])).toEqual([
    ["/q", 1],
    ["/p", 2],
  ]);
  expect(report.byKind.map(({ kind }) => kind)).toEqual(["extract", "dream"]);
  // The failed run is paid for by those that taught something.
  expect(report.perMemory?.usd).toBeCloseTo(0.751 / 3);
  expect(report.perMemory?.tokens).toBe(1_100);
  expect(report.memories).toEqual([
    { file: "a.md", project: "/q", tokens: 1_100, usd: 0.5 },
    { file: "a.md", project: "/p", tokens: 550, usd: 0.125 },
    { file: "b.md", project: "/p", tokens: 550, usd: 0.125 },
  ]);
});

it("counts days as the person's calendar does, today included", () => {
  const late = run(0, { at: "2026-05-03T23:59:59.999Z" });
  const early = run(0, { at: "2026-05-04T00:00:00.000Z" });
  expect(cost([late, early], 1).total.runs).toBe(1);
  expect(cost([late, early], 2).total.runs).toBe(2);
});

it("divides by nothing where no memory came of it", () => {
  expect(cost([run(0)]).perMemory).toBeNull();
  expect(text([run(0)])).toContain("no memory came of it");
});

it("says plainly that nothing was spent", () => {
  expect(text([])).toBe("no model was asked in the last 30 days: nothing was spent (rules cost nothing)");
});

it("rounds money up, names the date of the prices, and a subscription has no price", () => {
  const paid = text([run(0, { files: ["a.md"] })]);
  expect(paid).toContain("the last 30 days: $0.01, 1,100 tokens in 1 run");
  expect(paid).toMatch(/list prices as of \d{4}-\d{2}-\d{2}/u);
  const plan = text([run(0, { plan: true, usd: 0, files: ["a.md"] })]);
  expect(plan).toContain("the last 30 days: plan, 1,100 tokens");
  expect(plan).not.toContain("$");
  expect(text([run(0), run(0, { plan: true, usd: 0 })])).toContain("$0.01 + plan");
});

it("speaks of no prices where a server of one's own was asked alone", () => {
  const free = text([run(0, { usd: 0, files: ["a.md"] })]);
  expect(free).toContain("a server of your own costs no money; ceilings: engramd model");
  expect(free).toContain("1 memory saved: 1,100 tokens each");
  expect(free).not.toMatch(/list price|vendor/u);
  expect(text([run(0), run(0, { usd: 0 })])).toContain("list prices");
});

it("fits eighty columns, and lets no name of a project or file out as more than text", () => {
  const evil = `/home/\u001B[31m${"x".repeat(300)}\u202E\n/p`;
  const lines = text([run(0, { project: evil, files: [`\u001B]0;${"y".repeat(200)}.md`] }), run(0)]);
  for (const line of lines.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  for (const bad of ["\u001B", "\u202E"]) expect(lines).not.toContain(bad);
});

it("is of one project where one is named, memories included", () => {
  const runs = [
    run(1, { project: "/q", memoryDir: "/n", files: ["a.md"], usd: 0.5 }),
    run(0, { files: ["b.md"], usd: 0.25 }),
  ];
  const named: string[] = [];
  const projectAt = (path: string) => {
    named.push(path);
    return { id: "q" as ProjectId, root: "/q", key: "-q" as ProjectKey, agentHome: undefined, present: true };
  };
  const ledger = { since: () => [...runs] };

  const report = answerCost({ project: "/q/src" }, { clock, ledger, projectAt });

  expect(named).toEqual(["/q/src"]);
  expect(report.total).toMatchObject({ runs: 1, usd: 0.5, memories: 1 });
  expect(report.byProject.map(({ project }) => project)).toEqual(["/q"]);
  expect(report.memories.map(({ file }) => file)).toEqual(["a.md"]);
});
