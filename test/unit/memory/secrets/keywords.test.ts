import fc from "fast-check";
import { expect, it } from "vitest";
import { createKeywordAutomaton } from "../../../../src/memory/secrets/keywords.ts";

it("finds exactly the keywords a plain search finds, in any case", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "密", "-"), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom("a", "B", "c", "A", "密", "-", "x") });
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 8 }), text, (words, searched) => {
      const found: string[] = [];
      createKeywordAutomaton(words).scan(searched, (keyword, at) => found.push(`${words[keyword]} ${at}`));
      const expected = words.flatMap((each) =>
        Array.from({ length: searched.length }, (_, at) => at)
          .filter((at) => searched.toLowerCase().startsWith(each, at))
          .map((at) => `${each} ${at}`),
      );
      expect(found.toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 500 },
  );
});
