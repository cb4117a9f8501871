// What a request counts, whatever its provider says.
import { describe, expect, it } from "vitest";
import type { ModelUsage } from "../../../../src/domain/models.ts";
import { inputTokensOf } from "../../../../src/domain/models.ts";
import {
  createSpending,
  plausibleUsage,
  sizeOfMessage,
  sizeOfPrefix,
} from "../../../../src/learn/runs/spending.ts";

const BOUNDS = { inputTokens: 300, answerTokens: 40, charsSent: 1_200, outputTokensMax: 500 };
/** What a server may add of its own. */
const MOST = BOUNDS.charsSent + 4_000;

const told = (inputTokens: number, rest: Partial<ModelUsage> = {}): ModelUsage => ({
  inputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 7,
  ...rest,
});

describe("the figures of one request", () => {
  it.each<[string, ModelUsage]>([
    ["plain", told(310)],
    ["mostly from the cache", told(3, { cacheReadTokens: 290 })],
    ["as many as there are characters and the server's own", told(MOST)],
    ["as many as were asked for", told(310, { outputTokens: BOUNDS.outputTokensMax })],
  ])("stay as they are told: %s", (_what, usage) => {
    expect(plausibleUsage(usage, BOUNDS)).toEqual(usage);
  });

  it.each([0, -1, -1e15, Number.NaN, Number.NEGATIVE_INFINITY])(
    "that say %s input tokens count as the estimate",
    (none) => {
      const usage = told(none, { cacheReadTokens: none, cacheWriteTokens: none });

      expect(plausibleUsage(usage, BOUNDS)).toEqual(told(300));
    },
  );

  it("do not let one negative count take others away", () => {
    expect(plausibleUsage(told(-1_000, { cacheReadTokens: 290 }), BOUNDS)).toEqual(
      told(0, { cacheReadTokens: 290 }),
    );
  });

  it.each([1e15, Number.MAX_VALUE, Infinity])("of %s are cut to what can have been read", (absurd) => {
    expect(plausibleUsage(told(absurd), BOUNDS)).toEqual(told(MOST));
    const all = plausibleUsage(told(absurd, { cacheReadTokens: absurd, cacheWriteTokens: absurd }), BOUNDS);
    expect(all).toEqual(told(0, { cacheWriteTokens: MOST }));
    expect(plausibleUsage(told(5, { cacheReadTokens: absurd }), BOUNDS)).toEqual(
      told(5, { cacheReadTokens: MOST - 5 }),
    );
  });

  it.each([
    [0, 40],
    [-5, 40],
    [Number.NaN, 40],
    [0.5, 1],
    [600, 600],
    [601, 600],
    [1e15, 600],
  ])("with %s output tokens count %i", (outputTokens, counted) => {
    expect(plausibleUsage(told(310, { outputTokens }), BOUNDS).outputTokens).toBe(counted);
  });
});

describe("the sum of a run", () => {
  const size = { tokens: 1_000, chars: 4_000 };
  const rest = { size, answerTokens: 10, outputTokensMax: 500 };
  const open = (inputTokensMax = 1_000_000) => createSpending({ inputTokensMax, spentTokens: 0 });

  it("holds what was counted, not what was told", () => {
    const spending = open();

    const first = spending.add({ ...rest, told: told(1e15) });
    const second = spending.add({ ...rest, told: told(0) });

    expect(first.inputTokens).toBe(8_000);
    expect(spending.inputTokens()).toBe(first.inputTokens + second.inputTokens);
    expect(inputTokensOf(spending.usage())).toBe(spending.inputTokens());
  });

  it("corrects the estimate of the next request, of one nobody told about and of one that broke", () => {
    const spending = open();
    spending.add({ ...rest, told: told(1_500) });

    expect(spending.unanswered(size)).toEqual(told(1_500, { outputTokens: 0 }));
    expect(spending.add({ ...rest, told: told(0) }).inputTokens).toBe(1_500);
    expect(spending.add({ ...rest, told: told(-3) }).inputTokens).toBe(1_500);
  });

  it("lets a request through that reaches the bound exactly", () => {
    expect(open(1_000).fits(size)).toBe(true);
    expect(open(999).fits(size)).toBe(false);
  });
});

describe("the size of a request", () => {
  it("counts every character that is sent: texts, tools, arguments and results", () => {
    const tools = [{ name: "save", description: "saves", inputSchema: { type: "object" } }];
    const input = { body: "ä".repeat(100) };
    const call = { kind: "tool-call", id: "1", tool: "save", input } as const;
    const result = { kind: "tool-result", callId: "1", text: "done", isError: false } as const;

    expect(sizeOfPrefix("system", tools).chars).toBe(6 + JSON.stringify(tools).length);
    expect(sizeOfMessage({ role: "assistant", blocks: [{ kind: "text", text: "so" }, call] }).chars).toBe(
      2 + 4 + JSON.stringify(input).length,
    );
    expect(sizeOfMessage({ role: "user", blocks: [result] })).toEqual({ tokens: 1, chars: 4 });
  });
});
