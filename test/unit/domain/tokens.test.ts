// The estimate every budget is counted with before the provider tells the real figure.
import { expect, test } from "vitest";
import { estimateTokens } from "../../../src/domain/tokens.ts";

test("four characters of a Latin text count as one token, rounded up", () => {
  expect(estimateTokens("abcd".repeat(10))).toBe(10);
  expect(estimateTokens("abcde")).toBe(2);
  expect(estimateTokens("")).toBe(0);
});

test("every Chinese, Japanese or Korean character counts as a token of its own", () => {
  expect(estimateTokens("発布ブランチから")).toBe(8);
  expect(estimateTokens("배포")).toBe(2);
  expect(estimateTokens("用 pnpm")).toBe(1 + 2);
});
