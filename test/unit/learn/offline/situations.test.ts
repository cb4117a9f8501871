// What people type in all sorts of situations, written down and labelled before anybody looked at the rules. One message
// a row; a new row is labelled first and measured then.
import { describe, expect, it } from "vitest";
import { listen } from "./listen.ts";

/** `kept`: saved at once or waiting for a second sighting. */
type Wanted = "saved" | "kept" | "nothing" | "not saved";

const SITUATIONS: readonly (readonly [wanted: Wanted, situation: string, typed: string])[] = [
  ["saved", "explicit", "Remember that the staging database lives in Frankfurt."],
  ["saved", "explicit", "Please remember: releases are cut on Wednesdays, never on Fridays."],
  ["saved", "explicit", "For future reference, the payment sandbox resets every Sunday night."],
  ["saved", "explicit", "Merk dir, dass wir die Migrationen immer vor dem Deploy laufen lassen."],
  ["saved", "explicit", "记住，预发环境的服务器叫 orme。"],
  ["saved", "explicit", "Recuerda que los tickets urgentes van al canal guardia."],
  ["saved", "explicit", "請求サービスは Java 17 でしか動かないことを覚えておいて。"],
  ["saved", "explicit", "Keep in mind that the mobile team freezes merges from the 20th of each month."],
  ["saved", "standing", "From now on, write commit messages in the imperative mood."],
  ["saved", "standing", "Never run the seed script against production."],
  ["saved", "standing", "Always squash your commits before opening a pull request here."],
  ["saved", "standing", "In this repo we use tabs, not spaces."],
  ["saved", "standing", "Ab jetzt bitte alle Kommentare auf Englisch schreiben."],
  ["saved", "standing", "Verwende nie wieder moment.js, wir nehmen date-fns."],
  ["saved", "standing", "从现在起，推送之前总是先跑测试。"],
  ["saved", "standing", "このプロジェクトでは console.log を絶対に使わないで。"],
  ["saved", "standing", "A partir de ahora usa siempre pnpm en lugar de npm."],
  ["saved", "standing", "Nunca hagas push directo a main."],
  ["saved", "standing", "これからは必ずシングルクォートを使ってください。"],
  ["saved", "standing", "绝不要手动修改生成的文件。"],
  ["saved", "standing", "Whenever you touch the API, update the changelog as well."],
  ["kept", "standing", "I prefer short answers without a summary at the end."],
  ["kept", "correction", "No, don't use axios, use the built-in fetch."],
  ["kept", "correction", "Stop adding docstrings to private helpers."],
  ["kept", "correction", "You keep forgetting the licence header. Every new file needs it."],
  ["kept", "correction", "Nein, nicht Jest, wir benutzen Vitest."],
  ["kept", "correction", "不对，别用类，我们这里写函数。"],
  ["kept", "correction", "No, no uses yarn, usa pnpm."],
  ["kept", "correction", "違う、any ではなく unknown を使って。"],
  ["kept", "correction", "I told you already, we don't mock the database in integration tests."],
  ["nothing", "chatter", "Great, thanks, that looks much better now."],
  ["nothing", "chatter", "Hmm, the build is red again, what happened?"],
  ["nothing", "chatter", "Super, das passt so."],
  ["nothing", "chatter", "谢谢，很完美。"],
  ["nothing", "chatter", "¿Puedes explicar qué hace esta función?"],
  ["nothing", "chatter", "なぜテストがまだ落ちるの？"],
  ["nothing", "sarcasm", "Oh sure, always delete the production table first, brilliant idea."],
  ["nothing", "sarcasm", "Yeah right, let's never write tests again, what could go wrong."],
  ["nothing", "sarcasm", "Na klar, lösch doch immer gleich alles, super Idee."],
  ["nothing", "quote", 'The reviewer wrote: "always use const here". Is that reasonable?'],
  ["nothing", "quote", "Tom says we should never use enums, but I'm not convinced."],
  ["nothing", "quote", "The linter docs say: Never use var. Why do they say that?"],
  ["nothing", "quote", "README 里写着“请始终使用 yarn 安装依赖”，现在还是这样吗？"],
  ["nothing", "quote", "Im Ticket steht, man solle immer UTC verwenden. Stimmt das?"],
  ["nothing", "hypothetical", "What if we always cached the response, would that be faster?"],
  ["nothing", "hypothetical", "Suppose we never validated the input; where would it break?"],
  ["nothing", "hypothetical", "If you were to always use a mutex, would the deadlock go away?"],
  ["nothing", "hypothetical", "¿Y si usáramos siempre Redis para las sesiones?"],
  ["nothing", "one-off", "Don't commit yet, I want to look at the diff first."],
  ["nothing", "one-off", "For this one test, use a fixed port."],
  ["nothing", "one-off", "Just this once, skip the linter."],
  ["nothing", "one-off", "Lass für diesen Lauf die Tests bitte weg."],
  ["nothing", "one-off", "今回だけテストは実行しないで。"],
  ["nothing", "one-off", "暂时不要动数据库。"],
  ["not saved", "negation", "You don't always have to run the whole suite for a typo."],
  ["nothing", "negation", "I never said you should rewrite the parser."],
  ["nothing", "negation", "Don't remember this, it is only a test."],
  ["nothing", "ops", "The pods in the east cluster never came back after the upgrade."],
  ["nothing", "ops", "The certificate always expires at midnight, that is odd."],
  ["nothing", "review", "Nit: rename this variable to userCount."],
  ["nothing", "review", "This loop always runs one time too many, fix it."],
  ["kept", "docs", "Our docs are written in British English, keep it that way in every page."],
  ["nothing", "docs", "Add a section on retries to the guide, and link it from the index."],
];

const GOOD: Readonly<Record<Wanted, readonly string[]>> = {
  saved: ["saved"],
  kept: ["saved", "candidate"],
  nothing: ["nothing"],
  "not saved": ["candidate", "nothing"],
};

async function heard(typed: string): Promise<string> {
  const { saves, candidates } = await listen([typed]);
  if (saves.length > 0) return "saved";
  return candidates.length > 0 ? "candidate" : "nothing";
}

describe("a message in its situation", () => {
  it.each(SITUATIONS)("%s, %s: %s", async (wanted, _, typed) => {
    expect(GOOD[wanted]).toContain(await heard(typed));
  });

  it.fails("a fact and the rule that follows from it in one sentence is saved", async () => {
    expect(await heard("Production deploys need two approvals; never deploy without them.")).toBe("saved");
  });
});

describe("a second round, labelled the same way", () => {
  it.each<readonly [Wanted, string]>([
    ["nothing", "Oh great, let's just commit secrets from now on, brilliant plan."],
    ["nothing", "Sí, claro, borra siempre la base de datos, qué gran idea."],
    ["nothing", "是啊，以后都不写测试了，真是好主意。"],
    ["kept", "Ich habe dir doch schon gesagt, wir mocken die Datenbank nicht."],
    ["kept", "前にも言ったけど、コメントは英語で書いて。"],
    ["kept", "你又忘了加许可证头。"],
    ["kept", "Ya te dije que no usamos clases aquí."],
    ["saved", "In our code base, we write dates as ISO strings, never as epoch numbers."],
    ["kept", "eslint instead of tslint please"],
    ["nothing", "The ticket literally says: always retry three times. Weird, no?"],
    ["nothing", "Por ahora no toques la base de datos."],
    ["saved", "覚えておいて、リリースは毎週水曜日です。"],
    ["nothing", "如果总是缓存响应，会更快吗？"],
    ["nothing", "Whenever the queue is full the worker always restarts."],
  ])("%s: %s", async (wanted, typed) => {
    expect(GOOD[wanted]).toContain(await heard(typed));
  });
});

describe("what sounds alike and is meant", () => {
  it.each([
    "Sure, from now on always run the tests before you push.",
    "Yes, claro. Always run the formatter before you commit.",
    "Brilliant. From now on always use tabs for indentation.",
  ])("is no sarcasm: %s", async (typed) => {
    expect(await heard(typed)).toBe("saved");
  });

  it.each([
    "You keep forgetting me.",
    "I told you it would work!",
    "How often do I have to restart this?",
    "Keep it that way.",
    "If the cache is warm, keep it that way.",
    "The tests are green, keep going.",
  ])("is no correction and no confirmation: %s", async (typed) => {
    expect(await heard(typed)).toBe("nothing");
  });
});
