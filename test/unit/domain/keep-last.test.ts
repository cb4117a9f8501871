import { expect, it } from "vitest";
import { keepLast } from "../../../src/domain/keep-last.ts";

it("asks again only for another key than the last", () => {
  const asked: string[] = [];
  const answer = keepLast((key: string) => {
    asked.push(key);
    return { key };
  });

  const answers = ["a", "a", "b", "b", "a"].map(answer);

  expect(answers.map(({ key }) => key)).toEqual(["a", "a", "b", "b", "a"]);
  expect(asked).toEqual(["a", "b", "a"]);
});

it("asks again after an error", () => {
  let isBroken = true;
  const answer = keepLast(() => {
    if (isBroken) throw new Error("not now");
    return 1;
  });

  expect(() => answer("a")).toThrow("not now");
  isBroken = false;

  expect(answer("a")).toBe(1);
});
