// One thing in the place of another, however it is put: which sentences make the same choice, and which do not.
import { describe, expect, it } from "vitest";
import { choiceKey, choiceOf } from "../../../../src/memory/files/choice.ts";
import { sameFact } from "../../../../src/memory/files/same-fact.ts";
import { createComparer } from "../../../../src/memory/inbox/items.ts";
import { memoryOf } from "./memory-builder.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 9;

const PNPM: readonly string[] = [
  "use pnpm, not npm",
  "No, use pnpm instead of npm.",
  "don't use npm, use pnpm",
  "Don't use npm. Use pnpm instead.",
  "pnpm instead of npm please",
  "please use `pnpm` rather than `npm` here",
  "instead of npm, use pnpm",
  "we use pnpm, not npm, because the lockfile is pnpm's",
  "pnpm, not npm!",
  "from now on use pnpm instead of npm",
  "nimm pnpm statt npm",
  "Nein, nicht npm, sondern pnpm.",
  "pnpm statt npm bitte",
  "No uses npm, usa pnpm.",
  "usa pnpm en lugar de npm",
  "不要用 npm，用 pnpm。",
  "用 pnpm，不要用 npm",
  "应该用 pnpm 而不是 npm",
  "npm ではなく pnpm を使って",
  "npm の代わりに pnpm を使ってください。",
  "npmは使わないで、pnpmを使って。",
];

const OTHERS: readonly (readonly [string, string])[] = [
  ["use pnpm, not npm", "use npm, not pnpm"],
  ["use pnpm, not npm", "don't use pnpm, use npm"],
  ["use pnpm, not npm", "use pnpm, not yarn"],
  ["use pnpm, not npm", "use bun, not npm"],
  ["use pnpm, not npm", "use pnpm"],
  ["use pnpm, not npm", "don't use npm"],
  ["use pnpm, not npm", "use pnpm, not npm for the docs site"],
  ["use tabs, not spaces in Makefiles", "use tabs, not spaces in Python files"],
  ["use pnpm, not npm", "don't use pnpm instead of npm"],
  ["use pnpm, not npm", "use pnpm, not npm, only in CI"],
  ["use pnpm, not npm", "use pnpm 9, not npm"],
  ["use pnpm, not npm", "we could use pnpm instead of npm"],
  ["use pnpm, not npm", "does it use pnpm, not npm?"],
  ["use fooBar, not npm", "use foobar, not npm"],
  ["use pnpm or yarn, not npm", "use pnpm, not npm"],
  ["nimm pnpm statt npm", "nimm npm statt pnpm"],
  ["no uses npm, usa pnpm", "no uses pnpm, usa npm"],
  ["不要用 npm，用 pnpm", "不要用 pnpm，用 npm"],
  ["npm ではなく pnpm を使って", "pnpm ではなく npm を使って"],
  ["npm の代わりに pnpm を使って", "npm の代わりに yarn を使って"],
];

function same(a: string, b: string): boolean {
  const draft = { name: "x", description: a, type: "feedback", body: a } as const;
  return sameFact(draft, memoryOf("x.md", { type: "feedback", description: b, body: b }));
}

describe("one choice in other words is the same statement", () => {
  it.each(PNPM)("%s", (sentence) => {
    expect(choiceOf(sentence)).toEqual({ take: "pnpm", leave: "npm", where: "" });
    expect(same(sentence, "use pnpm, not npm")).toBe(true);
  });
});

it("what waits for a second sighting is found again in other words", () => {
  const draftOf = (text: string) => ({ name: "x", description: text, type: "feedback", body: text }) as const;
  const { sameStatement } = createComparer();

  expect(sameStatement(draftOf("pnpm instead of npm please"), draftOf("No, don't use npm, use pnpm."))).toBe(
    true,
  );
  expect(sameStatement(draftOf("pnpm instead of npm please"), draftOf("No, don't use pnpm, use npm."))).toBe(
    false,
  );
});

describe("another choice is another statement", () => {
  it.each(OTHERS)("%s / %s", (a, b) => {
    expect(same(a, b)).toBe(false);
    expect(same(b, a)).toBe(false);
  });

  it.each([
    "The dashboard shows null instead of undefined.",
    "The right thing was done, no markdown files were synced, but the output is not desired.",
    "I got a 404, not a 500.",
    "Replace npm with pnpm in this script.",
    "It was slow, not broken.",
    "Say hello instead of goodbye and then add a test for it.",
  ])("a sentence that tells of something makes none: %s", (sentence) => {
    expect(choiceOf(sentence)).toBeUndefined();
  });

  it("a text that says more than the choice makes none", () => {
    const more = "Use pnpm, not npm. Never publish from a laptop.";

    expect(choiceKey(["use pnpm, not npm", more])).toBeUndefined();
    expect(choiceKey(["use pnpm, not npm", "don't use npm, use pnpm"])).toBeDefined();
  });

  it("a hostile line is looked at once", async () => {
    const look = () => [
      choiceOf(`use ${"a ".repeat(95)}not`),
      choiceOf(`use ${"aaaa ".repeat(38)}instead of`),
    ];

    expect(await costOf(look, { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
  });
});
