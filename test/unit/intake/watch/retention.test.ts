import { expect, it } from "vitest";
import type { Kept } from "../../../../src/intake/watch/retention.ts";
import { createRetention } from "../../../../src/intake/watch/retention.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 4, 4, 9);

function kept(ageDays: number, usual: number | undefined = 30): Kept {
  const root = { agent: "claude-code", path: "/r", agentHome: "/h", depth: 1 } as const;
  return {
    source: { agent: "claude-code", path: "/r/p/s.jsonl", sessionId: "s", role: "session", root },
    format: usual === undefined ? {} : { retentionDays: usual },
    state: { mtimeMs: NOW - ageDays * DAY_MS },
    project: undefined,
  };
}

function retention(days?: number) {
  return createRetention({ now: () => NOW, daysOf: () => days });
}

it("counts from the last change, by the agent's usual time", () => {
  expect(retention().leftMs(kept(10))).toBe(20 * DAY_MS);
  expect(retention().leftMs(kept(31))).toBe(-DAY_MS);
});

it("goes by the agent's settings where they say something", () => {
  expect(retention(60).leftMs(kept(31))).toBe(29 * DAY_MS);
  expect(retention(5).expiresSoon(kept(0))).toBe(true);
});

it.each([
  [22.9, false],
  [23, true],
  [29.5, true],
  [400, true],
])("of an age of %d days expires within a week: %s", (age, soon) => {
  expect(retention().expiresSoon(kept(age))).toBe(soon);
});

it("never ends for an agent that keeps everything, whatever a setting says", () => {
  const keeps = { ...kept(400), format: {} };

  expect(retention(1).leftMs(keeps)).toBe(Infinity);
  expect(retention(1).rankOf(keeps)).toBe(keeps.state.mtimeMs);
});

it("ranks what goes soonest first, and then the newest", () => {
  const ages = [1, 24, 10, 29, 0];

  const ranked = ages.toSorted((a, b) => retention().rankOf(kept(b)) - retention().rankOf(kept(a)));

  expect(ranked).toEqual([29, 24, 0, 1, 10]);
});
