// The ledger of runs on a real disk: a line that is none of ours, or torn, is left out, whatever is wrong with it; every
// other line counts.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RunEntry } from "../../../../src/learn/models/ledger.ts";
import { createLedger } from "../../../../src/learn/models/ledger.ts";
import { createOpenCosts } from "../../../../src/learn/models/open-costs.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const NOW = Date.UTC(2026, 4, 4, 9);
const GOOD: RunEntry = {
  v: 1,
  id: "r-1",
  kind: "extract",
  trigger: "quiet",
  at: new Date(NOW).toISOString(),
  project: "/p",
  memoryDir: "/m",
  outcome: "succeeded",
  files: ["a.md"],
  requests: 1,
  inputTokens: 10,
  outputTokens: 2,
  usd: 0.01,
  candidates: 1,
  quarantined: 0,
  refused: [{ record: "u1", reason: "paste" }],
};

const WRONG: readonly object[] = [
  ...["not-a-date", "9999-99-99T00:00:00Z", "2026-05-04", "2026-05-04T09:00:00+02:00", 7, null].map((at) => ({
    at,
  })),
  ...["requests", "inputTokens", "outputTokens", "usd", "candidates", "quarantined"].flatMap((name) =>
    [-1, 1e308, "1", null].map((figure) => ({ [name]: figure })),
  ),
  ...["id", "kind", "trigger", "project", "memoryDir", "outcome"].flatMap((name) =>
    [null, 7, {}].map((value) => ({ [name]: value })),
  ),
  ...[null, {}, "a.md", [7], [null]].map((files) => ({ files })),
  ...[{}, [7], [{ record: "u1" }]].map((refused) => ({ refused })),
  { v: 2 },
];

it.each(WRONG.map((wrong) => [JSON.stringify(wrong), wrong]))("leaves out a line with %s", (_, wrong) => {
  const folder = createTempFolder();
  const lines = [{ ...GOOD, ...(wrong as object) }, GOOD].map((line) => `${JSON.stringify(line)}\n`);
  folder.write("runs/2026-05.jsonl", `null\n[]\n7\n{"v":1\n${lines.join("")}`);
  const ledger = createLedger({ files: createFiles(), stateDir: folder.path });

  expect(ledger.since(0)).toEqual([GOOD]);
  expect(ledger.month(NOW)).toEqual([GOOD]);
});

it("takes nothing it cannot sum from what a process left that died", () => {
  const folder = createTempFolder();
  const { at, memoryDir, requests, inputTokens, outputTokens, usd } = GOOD;
  const left = { at, memoryDir, requests, inputTokens, outputTokens, usd };
  const wrong = [{ at: "soon" }, { usd: 1e308 }, { requests: -1 }, { memoryDir: 7 }, { kind: 7 }];
  const open = [null, 7, ...wrong.map((each) => ({ ...left, ...each })), left];
  folder.write("runs/open.jsonl", JSON.stringify({ v: 1, open }));

  expect(createOpenCosts({ files: createFiles(), stateDir: folder.path }).left()).toEqual([left]);
});

it("counts the last whole line of what jobs under way may have cost, and forgets it when none runs", () => {
  const folder = createTempFolder();
  const { at, memoryDir, requests, inputTokens, outputTokens, usd } = GOOD;
  const cost = { at, memoryDir, requests, inputTokens, outputTokens, usd };
  const costs = createOpenCosts({ files: createFiles(), stateDir: folder.path });
  const path = join(folder.path, "runs/open.jsonl");

  costs.keep([cost]);
  costs.keep([cost, { ...cost, requests: 2 }]);
  const kept = readFileSync(path, "utf8");
  const torn = kept.slice(0, -(kept.split("\n")[1]?.length ?? 0));

  expect(costs.left()).toHaveLength(2);
  // Killed while it wrote: the second job had not asked yet.
  writeFileSync(path, torn);
  expect(costs.left()).toEqual([cost]);
  costs.keep([{ ...cost, requests: 3 }]);
  expect(costs.left()).toEqual([{ ...cost, requests: 3 }]);
  costs.keep([]);
  expect(existsSync(path)).toBe(false);
});

it("keeps the file of open costs small while jobs overlap all day", () => {
  const folder = createTempFolder();
  const { at, memoryDir, requests, inputTokens, outputTokens, usd } = GOOD;
  const cost = { at, memoryDir, requests, inputTokens, outputTokens, usd };
  const costs = createOpenCosts({ files: createFiles(), stateDir: folder.path });

  for (let request = 1; request <= 1_000; request++) costs.keep([{ ...cost, requests: request }]);

  expect(costs.left()).toEqual([{ ...cost, requests: 1_000 }]);
  expect(statSync(join(folder.path, "runs/open.jsonl")).size).toBeLessThan(70_000);
});
