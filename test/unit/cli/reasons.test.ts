// Why nothing was read, reworked or asked, as a person reads it: words before codes, and the clock of this machine.
import { expect, it } from "vitest";
import { consolidationLines } from "../../../src/cli/render/consolidation.ts";
import type { Line } from "../../../src/cli/render/line.ts";
import { printLines } from "../../../src/cli/render/output.ts";
import { statusLines } from "../../../src/cli/render/status.ts";
import { syncLines } from "../../../src/cli/render/sync.ts";
import { createFakeService, sampleStatus } from "../serve/fake-service.ts";

const NOW = Date.parse("2026-05-04T12:00:00Z");

function printed(lines: readonly Line[]): string {
  let text = "";
  printLines({ write: (part) => void (text += part), isTerminal: false, columns: undefined }, lines, {
    colour: false,
  });
  return text;
}

it("says in words why nothing was read, and blames no ceiling for a model that cannot be asked", async () => {
  const report = await createFakeService().sync({});
  const textOf = (reason: string) =>
    printed(
      syncLines(
        { ...report, skipped: [{ session: "s", reason }], remaining: { sessions: 2, usd: 1, days: 1 } },
        { width: 200, now: NOW },
      ),
    );

  const refused = textOf("model-key-rejected");
  expect(refused).toContain(
    "skipped 1: the model cannot be asked now: engramd status says why (model-key-rejected)",
  );
  expect(refused).toContain("2 sessions remain (about $1.00)\n");
  const spent = textOf("over-budget");
  expect(spent).toMatch(/skipped 1: a ceiling of the budget is reached.*\(over-budget\)\n/u);
  expect(spent).toContain("1 day at the present ceilings");
  // What carries its own words, and what only a later version knows.
  expect(textOf("model-server-error: it answered 500")).toContain(
    "skipped 1: model-server-error: it answered 500\n",
  );
  expect(textOf("constructor")).toContain("skipped 1: constructor\n");
});

it("shows instants of warnings as a clock of this machine does, with how far they are", () => {
  const at = new Date(NOW + 900_000).toISOString();
  const text = printed(
    statusLines(
      sampleStatus({ warnings: [{ code: "x", message: `refused; next try ${at}`, fix: "a key" }] }),
      { width: 200, now: NOW },
    ),
  );
  expect(text).toMatch(/! refused; next try (?:[\d-]+ )?\d\d:\d\d \(in 15 min\)\n {2}fix: a key\n/u);
});

it.each([
  ["dream", "too-few-sessions", /fewer than dream\.minSessions.*\(too-few-sessions\); .*dream --force/u],
  ["dream", "over-budget", /a ceiling of the budget is reached.*\(over-budget\)$/u],
  ["distill", "nothing-new", /^no distill now: there is nothing new \(nothing-new\)$/u],
] as const)("says why there is no %s: %s", (kind, reason, expected) => {
  const size = { files: 1, indexLines: 1 };
  const reply = { outcome: "skipped", reason, run: null, changes: [], noted: [] } as const;
  const lines = consolidationLines(
    kind,
    { v: 1, ...reply, before: size, after: size },
    { width: 300, now: NOW },
  );
  expect(printed(lines).trimEnd()).toMatch(expected);
});

it.each(["dream", "distill"] as const)(
  "says of a ceiling too low for any %s which one, and no time",
  (kind) => {
    const size = { files: 1, indexLines: 1 };
    const reply = { outcome: "skipped", reason: "over-budget", run: null, changes: [], noted: [] } as const;
    const lines = consolidationLines(
      kind,
      { v: 1, ...reply, before: size, after: size, tooLow: "budget.usdPerDay" },
      { width: 300, now: NOW },
    );
    const text = printed(lines);
    expect(text).toMatch(
      /^no \w+, now or later: budget\.usdPerDay is less than one run .*\(over-budget\); raise it/u,
    );
    expect(text).not.toContain("due");
  },
);
