import { describe, expect, it } from "vitest";
import { quoteProblem } from "../../../../src/memory/gate/quoted.ts";

const strict = (quote: string, source: string) => quoteProblem({ quote, source, strict: true });

describe("a quote", () => {
  it.each([
    ["use pnpm here", "Please use pnpm here."],
    ["“Use   PNPM”", 'he said "use pnpm" again'],
    ["use pnpm", "no, don't use npm here, use pnpm"],
    ["We already use Zustand", "We already use Zustand, don't touch it."],
    ["不要用 npm", "请不要用 npm 安装"],
    ["don't use npm", "please don't use npm"],
    ["好", "好"],
    ["the key is [secret:npm-token], ask Mira", "the key is [secret:npm-token], ask Mira"],
  ])("is honest: %j of %j", (quote, source) => {
    expect(strict(quote, source)).toBeUndefined();
  });

  it.each([
    ["", "anything"],
    [".", "use pnpm."],
    ["— ,", "a — , b"],
    ["u", "use pnpm"],
    ["[secret:npm-token]", "the key is [secret:npm-token]"],
    ["[secret:npm-token].", "the key is [secret:npm-token]."],
    ["*`*", "a *`* b"],
  ])("is trivial: %j of %j", (quote, source) => {
    expect(strict(quote, source)).toContain("say something");
  });

  it.each([
    ["use yarn", "use pnpm here"],
    ["npm-token", "the key is [secret:npm-token]"],
    ["secret:npm", "the key is [secret:npm-token]"],
  ])("does not stand there: %j of %j", (quote, source) => {
    expect(strict(quote, source)).toContain("does not stand");
  });

  it.each([
    ["safe to push", "it is unsafe to push"],
    ["use pn", "use pnpm here"],
  ])("cuts a word: %j of %j", (quote, source) => {
    expect(strict(quote, source)).toContain("inside a word");
    expect(quoteProblem({ quote, source, strict: false })).toBeUndefined();
  });

  it.each([
    ["use npm here", "please don't use npm here"],
    ["push on Fridays", "Never push on Fridays."],
    ["Wir verwenden Tabs", "Wir verwenden Tabs nicht mehr"],
    ["usar npm", "no quiero usar npm"],
    ["自动提交代码", "不要自动提交代码"],
    ["ラップトップで実行", "ラップトップで実行しないでください"],
  ])("leaves out the negation: %j of %j", (quote, source) => {
    expect(strict(quote, source)).toContain("negation");
    expect(quoteProblem({ quote, source, strict: false })).toBeUndefined();
  });

  it("is honest when one of its places is", () => {
    expect(strict("use npm", "don't use npm there. Here use npm.")).toBeUndefined();
  });
});
