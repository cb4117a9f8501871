import { expect, it } from "vitest";
import { keepRecent } from "../../../src/domain/keep-recent.ts";

function scene(charsMax: number) {
  const asked: string[] = [];
  const answer = keepRecent((text: string) => {
    asked.push(text);
    return { text };
  }, charsMax);
  return { asked, answer };
}

it("asks once for each text, and gives the same answer again", () => {
  const { asked, answer } = scene(10);

  const answers = ["one", "two", "one"].map(answer);

  expect(asked).toEqual(["one", "two"]);
  expect(answers[2]).toBe(answers[0]);
});

it("forgets what was not asked for longest, at its bound", () => {
  const { asked, answer } = scene(6);
  for (const text of ["one", "two", "one"]) answer(text);

  answer("six");
  for (const text of ["one", "six", "two"]) answer(text);

  expect(asked).toEqual(["one", "two", "six", "two"]);
});

it("keeps nothing of a text beyond its bound, and counts on", () => {
  const { asked, answer } = scene(6);

  for (const text of ["far too long", "far too long", "one", "two", "one", "two"]) answer(text);

  expect(asked).toEqual(["far too long", "far too long", "one", "two"]);
});

it("counts nothing for an answer that failed", () => {
  let isBroken = true;
  const answer = keepRecent((text: string) => {
    if (isBroken) throw new Error("not now");
    return { text };
  }, 6);

  expect(() => answer("sixteen characters")).toThrow("not now");
  isBroken = false;

  expect(answer("one")).toBe(answer("one"));
});
