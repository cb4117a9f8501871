// What holds for every text: no throw, the same answer twice, quotes that stand in the record, no slow patterns.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasUrgentCue } from "../../../../src/learn/offline/extract.ts";
import { humanText } from "../../../../src/learn/offline/human-text.ts";
import { listen } from "./listen.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 40;

/** Pieces that cues, gates and filters look for, so that random texts meet their patterns. */
const PIECE = fc.constantFrom(
  ..."Remember:|remember that|from now on|always|never|use|tabs|I want you to|make sure|all your functions|start names with 'x_'|whenever you commit,|.|. |\n|?|```|<a>|</a>|> |记住|以后|提交|都用|。|覚えておいて|必ず|てください|merk dir|immer|recuerda|siempre|tomorrow|next Friday|下周五|don't save this|off the record|password is hunter2!x|https://a.example/b|yes|that|them|\u0000|\ud800|é|🎉".split(
    "|",
  ),
);
const TEXT = fc.oneof(
  fc.array(PIECE, { maxLength: 25 }).map((pieces) => pieces.join(" ")),
  fc.string({ unit: "binary", maxLength: 200 }),
);

describe("every text", () => {
  it("is answered without a throw, twice the same, with quotes from the record and names the gate takes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TEXT, { minLength: 1, maxLength: 4 }), async (texts) => {
        const first = await listen(texts);
        const second = await listen(texts);
        expect(second).toEqual(first);
        for (const { evidence, memory } of first.saves) {
          expect(memory.name).not.toBe("");
          expect(memory.description.length).toBeLessThanOrEqual(140);
          for (const { recordId, quote } of evidence) {
            const record = first.records.find((each) => each.recordId === recordId);
            expect(record !== undefined && "text" in record && record.text.includes(quote)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keeps its positions when what is not prose is blanked", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const prose = humanText(text);
        expect(prose).toHaveLength(text.length);
        for (let at = 0; at < text.length; at++) {
          if (prose[at] !== "\n") expect(prose[at]).toBe(text[at]);
        }
      }),
    );
  });
});

describe("hostile texts", () => {
  const SIZE = 200_000;
  it.each(
    [
      "<a>",
      "<a ",
      "<private>",
      "```",
      "[Request interrupted",
      "at (",
      "at x (",
      "((((",
      "always use ",
      "remember that ",
      "from now on, ",
      "please, ",
      "Marta, ",
      "yes, ",
      "每周",
      "必ず",
      "a.b:1",
      "1. ",
      "\t",
      " ",
      "\n",
      "http://a.b/",
      '"x ',
      "?",
    ].map((piece) => [piece]),
  )("%j over and over takes no time", async (piece) => {
    for (const chars of [1_400, 99_000, SIZE]) {
      const text = piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
      const cost = await costOf(
        () => {
          hasUrgentCue(text);
          return listen([text, `${text}\nRemember: tickets start with KX-.`]);
        },
        { enough: READINGS_MAX },
      );
      expect(cost).toBeLessThan(READINGS_MAX);
    }
  });
});
