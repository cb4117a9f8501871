import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Want } from "../../../../src/intake/transcripts/json-pick.ts";
import { membersOf, namedMembers, pickJson } from "../../../../src/intake/transcripts/json-pick.ts";
import { cutText } from "../../../../src/intake/transcripts/json-text.ts";
import { isWholeObject } from "../../../../src/intake/transcripts/json-walk.ts";
import { project } from "./json-model.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 9;

const pick = (text: string, want: Want) => pickJson(Buffer.from(text), want);
const valueOf = (text: string, want: Want) => {
  const picked = pick(text, want);
  return picked.kind === "value" ? picked.value : picked.kind;
};
const WORD: Want = { chars: 64 };

/** Names that occur in the generated values often enough to matter. */
const NAMES = ["a", "type", "text", "__proto__", "constructor", "é", ""];

const anyWant = fc.letrec<{ want: Want }>((tie) => ({
  want: fc.record(
    {
      chars: fc.integer({ min: 0, max: 40 }),
      members: fc
        .dictionary(fc.constantFrom(...NAMES.filter((name) => name !== "__proto__")), tie("want"), {
          maxKeys: 4,
          depthIdentifier: "want",
        })
        .map(namedMembers),
      items: tie("want"),
      sized: fc.integer({ min: 0, max: 30 }),
    },
    { requiredKeys: ["chars"] },
  ),
}));

/** Text with what a cut can break: escapes, backslash runs, surrogate pairs, lone halves, wide characters. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\\",
        "\\\\",
        '"',
        "\n",
        "\u0000",
        "日本",
        "🙂",
        "\ud83d",
        "\ude42",
        "ééé",
        "plain words ",
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyText,
    fc.constantFrom(true, false, null, 0, -1.5, 1e21),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), anyText), tie("value"), { maxKeys: 5 }),
  ),
})).value;

describe("pickJson", () => {
  it("finds in any value what a full parse finds", () => {
    fc.assert(
      fc.property(anyValue, anyWant.want, (value, want) => {
        expect(pick(JSON.stringify(value), want)).toEqual({
          kind: "value",
          value: project(JSON.parse(JSON.stringify(value)), want),
        });
      }),
      { numRuns: 2000 },
    );
  });

  it("does not mind blanks between the parts", () => {
    fc.assert(
      fc.property(anyValue, anyWant.want, (value, want) => {
        const unsized = withoutSize(want);
        expect(pick(`\ufeff ${JSON.stringify(value, undefined, "\t ")} \r`, unsized)).toEqual({
          kind: "value",
          value: project(JSON.parse(JSON.stringify(value)), unsized),
        });
      }),
    );
  });

  it("cuts a long text exactly where it would be cut after decoding", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 300 }), (part, chars) => {
        const text = part.repeat(3);

        expect(valueOf(JSON.stringify(text), { chars })).toBe(cutText(text, chars));
      }),
    );
  });

  it("takes a text of nothing but backslashes apart in pairs", () => {
    const text = "\\".repeat(5000);

    expect(valueOf(JSON.stringify(text), { chars: 501 })).toBe("\\".repeat(501));
  });

  it("knows a name that is spelt with escapes", () => {
    expect(valueOf('{"\\u0074ype":"user"}', membersOf({ type: WORD }))).toEqual({ type: "user" });
  });

  it("lets the last of two equal names win, as JSON.parse does", () => {
    expect(valueOf('{"type":"a","type":"b"}', membersOf({ type: WORD }))).toEqual({ type: "b" });
  });

  it("is not fooled by JSON inside a string", () => {
    const line = JSON.stringify({ text: '{"type":"user","x":"\\"}', type: "assistant" });

    expect(valueOf(line, membersOf({ type: WORD }))).toEqual({ type: "assistant" });
  });

  it("gives up a line at the first unwanted sign, without looking at the rest", () => {
    const want = membersOf({ type: { chars: 64, dropsLine: (type) => type === "noise" } });

    expect(pick('{"type":"noise","rest":[[[', want)).toEqual({ kind: "dropped" });
  });

  it.each([
    "",
    " ",
    "{",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":"x',
    '{"a":"\\',
    "[1,",
    "{]",
    '{"a":1}}',
    '{"a":1}{"b":2}',
    "{a:1}",
  ])("calls %j malformed", (text) => {
    expect(pick(text, membersOf({ a: WORD })).kind).toBe("malformed");
  });

  it("refuses nesting of a million in no time, wanted or not", async () => {
    const deep = Buffer.from(`{"a":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`);
    let items: Want = { chars: 0 };
    for (let depth = 0; depth < 300; depth += 1) items = { chars: 0, items };

    expect(pickJson(deep, membersOf({})).kind).toBe("malformed");
    expect(pickJson(deep, membersOf({ a: items })).kind).toBe("malformed");

    const cost = await costOf(
      () => [pickJson(deep, membersOf({})), pickJson(deep, membersOf({ a: items }))],
      { enough: READINGS_MAX },
    );
    expect(cost).toBeLessThan(READINGS_MAX);
  });

  it("keeps replacement characters where bytes are not UTF-8", () => {
    const line = Buffer.concat([Buffer.from('{"a":"log '), Buffer.from([0xff, 0xfe]), Buffer.from(' end"}')]);

    expect(pickJson(line, membersOf({ a: WORD }))).toEqual({
      kind: "value",
      value: { a: "log \ufffd\ufffd end" },
    });
  });
});

describe("isWholeObject", () => {
  it("is true for an object and for none of its beginnings", () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyValue, { maxKeys: 3 }), (object) => {
        const whole = Buffer.from(JSON.stringify(object));

        expect(isWholeObject(whole)).toBe(true);
        for (let end = 0; end < whole.length; end += 1)
          expect(isWholeObject(whole.subarray(0, end))).toBe(false);
      }),
    );
  });

  it.each(['"text"', "[]", "1", '{"a":1}{"b":2}', '{"a":1} x'])("is false for %s", (text) => {
    expect(isWholeObject(Buffer.from(text))).toBe(false);
  });
});

function withoutSize({ chars, members, items }: Want): Want {
  const inner = [...(members?.values() ?? [])].map(({ name, want }) => [name, withoutSize(want)] as const);
  return {
    chars,
    ...(members === undefined ? {} : { members: namedMembers(Object.fromEntries(inner)) }),
    ...(items === undefined ? {} : { items: withoutSize(items) }),
  };
}
