import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../../src/domain/tokens.ts";
import { keepEnds, keepStart } from "../../../../src/learn/jobs/shorten.ts";

const LONE = /[\ud800-\udfff]/u;

describe("a text that does not fit", () => {
  it("loses whole words where it is cut, so that no half number or address is left", () => {
    const text = `${"word ".repeat(20)}12345678 ${"middle ".repeat(20)}87654321 ${"word ".repeat(20)}`.trim();

    for (let tokens = 4; tokens < estimateTokens(text); tokens += 1) {
      for (const short of [keepStart(text, tokens), keepEnds(text, tokens)]) {
        expect(text.split(" ")).toEqual(expect.arrayContaining(short.text.split(/[\s…]+/u).filter(Boolean)));
      }
    }
  });

  it("keeps its beginning and its end, and tells how much is missing", () => {
    const { text, left } = keepEnds(`first ${"x ".repeat(1_000)}last`, 50);

    expect(text).toMatch(/^first x[\s\S]*\n…\n[\s\S]*x last$/u);
    expect(left).toBe(2_010 - text.length + "\n…\n".length);
    expect(keepStart("short", 50)).toEqual({ text: "short", left: 0 });
  });

  it("fits afterwards and holds no half of a character", () => {
    const part = fc.constantFrom("🙂", "𠮷", "記憶", "word ", "https://example.org/x", "\n", "é");
    const texts = fc.array(part, { maxLength: 200, size: "max" }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 120 }), (text, tokens) => {
        for (const short of [
          keepStart(text, tokens),
          keepEnds(text, tokens),
          keepEnds(text, tokens, 1 / 3),
        ]) {
          expect(estimateTokens(short.text)).toBeLessThanOrEqual(tokens);
          expect(short.text).not.toMatch(LONE);
          expect(short.left === 0).toBe(short.text === text);
        }
      }),
    );
  });
});
