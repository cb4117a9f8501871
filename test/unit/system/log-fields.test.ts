import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageOf } from "../../../src/domain/errors.ts";
import { plainFields } from "../../../src/system/log-fields.ts";

const asIs = (text: string) => text;

describe("the fields of a log line", () => {
  it("are plain and bounded whatever they are made of", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true })), (fields) => {
        const text = JSON.stringify(plainFields(fields, asIs));

        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
      }),
    );
  });

  it("end where they go too deep, too wide, too long or round in a circle", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const fields = { circle, wide: Array.from({ length: 60 }, (_, at) => at), long: "x".repeat(5_000) };

    const { wide, long, ...rest } = plainFields(fields, asIs);

    expect(rest).toEqual({ circle: { self: { self: { self: { self: "[deep]" } } } } });
    expect(wide).toHaveLength(51);
    expect(String(long)).toMatch(/^x{2000} \[3000 more characters\]$/);
  });

  it("survive a getter that throws, and call no toJSON", () => {
    const hostile = {
      get text(): string {
        throw new Error("no");
      },
    };
    const eager = { toJSON: () => "called" };

    expect(plainFields({ hostile, eager, big: 10n }, asIs)).toEqual({
      hostile: { unreadable: true },
      eager: { toJSON: "[function]" },
      big: "10",
    });
  });

  it("are scrubbed text by text, names and depth included", () => {
    const scrub = (text: string) => text.replaceAll(`pass"word`, "[gone]");
    const fields = { [`a pass"word`]: [{ deep: new Error(`it is pass"word`) }] };

    expect(plainFields(fields, scrub)).toEqual({ "a [gone]": [{ deep: "it is [gone]" }] });
  });

  it("withhold a text that cannot be scrubbed", () => {
    const scrub = (text: string) => {
      if (text === "confidential") throw new Error("no");
      return text;
    };

    expect(plainFields({ text: "confidential", other: "fine" }, scrub)).toEqual({
      text: "[withheld: it could not be scrubbed]",
      other: "fine",
    });
  });

  it.each([
    "ana typed it",
    '{"said": ana typed it, and "more" of it, and so much more of it that it is cut}',
  ])("do not hold what somebody typed because it was no JSON: %s", (typed) => {
    let error = "";
    try {
      JSON.parse(typed);
    } catch (thrown) {
      error = messageOf(thrown);
    }
    expect(error).toContain("typed");

    const { told } = plainFields({ told: error }, asIs);

    expect(told).not.toContain("typed");
    expect(told).toContain("is not valid JSON");
  });
});
