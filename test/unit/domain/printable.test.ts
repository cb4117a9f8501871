import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayJson, displayLines, displayText } from "../../../src/domain/printable.ts";
import { VERSION } from "../../../src/domain/version.ts";

/** General categories that draw nothing by themselves: controls, separators of lines, surrogates. */
const DANGEROUS =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u061c\u200e\u200f\ufeff\u{e0000}-\u{e007f}]/u;

describe("text made printable", () => {
  it.each([
    ["\u001b[31mred\u001b[0m", "[31mred[0m"],
    ["\u001b]0;title\u0007x", "]0;titlex"],
    ["a\u009b31mb", "a31mb"],
    ["one\r\ntwo\tthree", "one two three"],
    ["ab\u202edc\u2066e", "abdce"],
    ["\ud800x", "x"],
    ["日本語 naïve 👩‍👩‍👧 می‌خواهم", "日本語 naïve 👩‍👩‍👧 می‌خواهم"],
  ])("%j becomes %j", (text, shown) => {
    expect(displayText(text)).toBe(shown);
  });

  it("holds nothing a terminal obeys, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(displayText(text)).not.toMatch(DANGEROUS);
        for (const line of displayLines(text)) expect(line).not.toMatch(DANGEROUS);
      }),
    );
  });

  it("keeps lines where they are asked for", () => {
    expect(displayLines("a\r\n\tb\n\nc\u0007")).toEqual(["a", "    b", "", "c"]);
  });
});

describe("a document made printable", () => {
  it("says the same and holds nothing a terminal obeys, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const document = { [text]: [text] };
        const shown = displayJson(document, 2);

        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(shown.replaceAll("\n", "")).not.toMatch(DANGEROUS);
      }),
    );
  });
});

describe("the version", () => {
  it("is the package's", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8");

    expect(VERSION).toBe(JSON.parse(text).version);
  });
});
