// Which rules set one value of one thing. What is not plainly of such a shape must set nothing.
import { describe, expect, it } from "vitest";
import { rulesIn } from "../../../../src/learn/offline/split.ts";
import { valueRulesOf } from "../../../../src/learn/offline/values.ts";

const keysOf = (text: string) => valueRulesOf(text).map(({ subject, value }) => `${subject} = ${value}`);

describe("a rule that sets one value", () => {
  it.each([
    ["Please start hook names with 'use_'.", "start hook = use_"],
    ["From now on, every table name should end with `_tbl`.", "end table = _tbl"],
    ["When naming branches, start the names with 'team_'.", "start branch = team_"],
    ["Let's follow one convention for column names. Always end them with '_col'.", "end column = _col"],
    ["Use the prefix 'k_' for constants.", "start constant = k_"],
    ["For components always use PascalCase.", "case component = pascalcase"],
    ["Use ruff as the linter from now on.", "role linter = ruff"],
    ["From now on indent with 4 spaces.", "measure indent space = 4"],
    ["Always answer in English.", "language answer = en"],
    ["Ab jetzt antworte bitte auf Deutsch.", "language answer = de"],
    ["以后都用中文回答。", "language answer = zh"],
    ["今後コミットメッセージは日本語で書いてください。", "language commit = ja"],
    ["A partir de ahora responde en español.", "language answer = es"],
    ["以后变量名一律以 v_ 开头。", "start 变量 = v_"],
  ])("%s", (text, key) => {
    expect(keysOf(text)).toEqual([key]);
  });

  it.each([
    "Always import the 'locale' module.",
    "Start the server with '--port=80'.",
    "Start function names with 'n_' followed by a digit.",
    "Never force-push to main.",
    "Use ruff as a linter.",
    "For function arguments, end the variable name with '_x'.",
    "Comments in German or English are both fine.",
    "Use docstrings in your methods.",
  ])("is none: %s", (text) => {
    expect(keysOf(text)).toEqual([]);
  });
});

describe("two rules in one sentence", () => {
  it.each([
    [
      "From now on, start hook names with 'use_' and store names with 'st_'.",
      ["From now on, start hook names with 'use_'.", "start store names with 'st_'."],
    ],
    [
      "Always start table names with 't_' and end them with '_tbl'.",
      ["Always start table names with 't_'.", "end table names with '_tbl'."],
    ],
    [
      "From now on use 'pnpm' for installs and always run 'lint' before a commit.",
      ["From now on use 'pnpm' for installs.", "always run 'lint' before a commit."],
    ],
  ])("%s", (sentence, rules) => {
    expect(rulesIn(sentence)).toEqual(rules);
  });

  it.each([
    "Always run the linter and fix what it finds.",
    "When naming hooks, start with 'use_' and end with '_hook'.",
    "From now on write tests and keep them short.",
  ])("that need each other stay one: %s", (sentence) => {
    expect(rulesIn(sentence)).toEqual([sentence]);
  });
});
