// Ids and prices: one table, exact sums, and a high price for a model that is not in it.
import { describe, expect, it } from "vitest";
import {
  costUsd,
  isPriced,
  PRICES_AS_OF,
  priceOf,
  resolveModel,
  retiredModel,
  UNKNOWN_PRICE,
} from "../../../../src/learn/models/prices.ts";

const usage = {
  inputTokens: 1_000_000,
  cacheReadTokens: 2_000_000,
  cacheWriteTokens: 400_000,
  outputTokens: 100_000,
};

const KNOWN = ["claude-haiku-4-5", "claude-sonnet-4-6", "claude-sonnet-4-5"];

describe("the price table", () => {
  it("is dated", () => {
    expect(PRICES_AS_OF).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it("has a price for each class, the middle one above the small one", () => {
    const [small, middle] = [priceOf(resolveModel("small")), priceOf(resolveModel("middle"))];

    expect(small?.input).toBeGreaterThan(0);
    expect(middle?.input).toBeGreaterThan(small?.input ?? Infinity);
  });

  it.each(["small", "middle"])("keeps the vendor's ratios for cached tokens of the %s class", (name) => {
    const price = priceOf(resolveModel(name));

    expect(price?.cacheRead).toBeCloseTo((price?.input ?? 0) * 0.1);
    expect(price?.cacheWrite).toBeCloseTo((price?.input ?? 0) * 1.25);
  });
});

describe("the cost", () => {
  it("adds up each kind of token at its own price", () => {
    expect(costUsd("claude-haiku-4-5", usage)).toBeCloseTo(1 + 0.2 + 0.5 + 0.5);
    expect(costUsd("claude-sonnet-4-6", usage)).toBeCloseTo(3 + 0.6 + 1.5 + 1.5);
  });

  it("knows the dated id that a vendor answers with", () => {
    expect(costUsd("claude-haiku-4-5-20251001", usage)).toBe(costUsd("claude-haiku-4-5", usage));
  });

  it.each(["llama-of-mine", "constructor", "", "claude-haiku-4-5-next", "claude-opus-9"])(
    "of a model that is not in the table (%j) is assumed, above every price in it",
    (model) => {
      expect(isPriced(model)).toBe(false);
      expect(costUsd(model, usage)).toBeCloseTo(15 + 3 + 7.5 + 7.5);
      for (const kind of ["input", "cacheRead", "cacheWrite", "output"] as const) {
        for (const known of KNOWN)
          expect(UNKNOWN_PRICE[kind]).toBeGreaterThan(priceOf(known)?.[kind] ?? Infinity);
      }
    },
  );

  it("of a model in the table is known", () => {
    for (const model of KNOWN) expect(isPriced(model)).toBe(true);
    expect(isPriced("claude-haiku-4-5-20251001")).toBe(true);
  });
});

describe("a configured model", () => {
  it("that is an id stays as it is", () => {
    expect(resolveModel("llama-of-mine")).toBe("llama-of-mine");
    expect(resolveModel("toString")).toBe("toString");
  });
});

describe("a model its vendor switches off", () => {
  const day = Date.parse("2026-11-30T00:00:00Z");

  it("is retired from that day on, by its dated id as well, and names one that is not", () => {
    expect(retiredModel("claude-sonnet-4-5", day - 1)).toBeUndefined();
    for (const id of ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"]) {
      const retired = retiredModel(id, day);
      expect(retired).toMatchObject({ model: id, since: "2026-11-30" });
      expect(retiredModel(retired?.use ?? id, day)).toBeUndefined();
    }
  });

  it("is none of those the words of the configuration stand for", () => {
    for (const word of ["small", "middle"]) expect(retiredModel(resolveModel(word), day)).toBeUndefined();
  });
});
