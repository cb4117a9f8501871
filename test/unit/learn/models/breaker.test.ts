// A project whose paid runs teach nothing rests; `daemon/model-breaker` tells what that means to a person.
import { expect, it } from "vitest";
import { MODEL_LIMITS } from "../../../../src/domain/limits.ts";
import { createBreaker } from "../../../../src/learn/models/breaker.ts";
import type { RunEntry } from "../../../../src/learn/models/ledger.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const clock = createManualClock();

function barren(marks: Pick<RunEntry, "scripts"> = {}): RunEntry[] {
  const run = {
    v: 1,
    id: "r",
    kind: "extract",
    trigger: "quiet",
    at: new Date(clock.now()).toISOString(),
    project: "/p",
    memoryDir: "/m",
    outcome: "succeeded",
    files: [],
    requests: 1,
    inputTokens: 1,
    outputTokens: 1,
    usd: 0,
    ...marks,
  } as const;
  return Array.from({ length: MODEL_LIMITS.barrenRunsMax }, () => run);
}

it("programs that teach nothing make only programs rest, also after a restart", () => {
  const runs = barren({ scripts: true });
  const breaker = createBreaker({ clock, ledger: { since: () => [] } });
  for (const run of runs) breaker.ran(run);

  for (const each of [breaker, createBreaker({ clock, ledger: { since: () => runs } })]) {
    expect(each.restsUntil("/m", "scripts")).toBe(clock.now() + MODEL_LIMITS.restMs);
    expect(each.restsUntil("/m")).toBeUndefined();
    expect(each.resting()).toEqual([]);
  }
});

it("runs under a clock far ahead make nobody rest until that time", () => {
  const at = (days: number) => new Date(clock.now() + days * MODEL_LIMITS.restMs).toISOString();
  const restingAfter = (days: number) =>
    createBreaker({ clock, ledger: { since: () => barren().map((run) => ({ ...run, at: at(days) })) } });

  expect(restingAfter(200).restsUntil("/m")).toBeUndefined();
  expect(restingAfter(200).resting()).toEqual([]);
  expect(restingAfter(1).resting()).toHaveLength(1);
});

it("people that teach nothing do not make programs rest", () => {
  const breaker = createBreaker({ clock, ledger: { since: () => barren() } });

  expect(breaker.restsUntil("/m", "scripts")).toBeUndefined();
  expect(breaker.resting()).toMatchObject([{ memoryDir: "/m", project: "/p" }]);
});
