// JSON from outside: what is no JSON, no object or no field of its own is undefined, and nothing throws.
import { describe, expect, it } from "vitest";
import { fieldOf, fieldsOf, isFields, parseJson } from "../../../src/domain/json.ts";

describe("JSON from outside", () => {
  it.each(["", "{", "undefined", '{"a":1}}', "'a'"])("is undefined where it is none: %s", (text) => {
    expect(parseJson(text)).toBeUndefined();
  });

  it("tells null from what is no JSON", () => {
    expect(parseJson("null")).toBeNull();
  });

  it.each([null, undefined, 1, "text", [1]])("is no object: %j", (value) => {
    expect(isFields(value)).toBe(false);
    expect(fieldsOf(value)).toBeUndefined();
    expect(fieldOf(value, "a")).toBeUndefined();
  });

  it("has its own fields only, whatever they are called", () => {
    const value = parseJson('{"__proto__":1,"a":null}');

    expect(fieldOf(value, "__proto__")).toBe(1);
    expect(fieldOf(value, "a")).toBeNull();
    expect(fieldOf(value, "constructor")).toBeUndefined();
    expect(fieldOf(["x"], 0)).toBe("x");
  });
});
