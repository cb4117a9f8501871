// One value of a settings file is changed; every other byte stays.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setInJson } from "../../../src/config/edit-json.ts";
import type { Tree } from "../../../src/config/tree.ts";
import { withValueAt } from "../../../src/config/tree.ts";

const PROVIDER = { path: ["provider"], value: "local" } as const;

describe("a change of one value", () => {
  it.each([
    ['{"a":1,"provider":"offline" , "b":2}', '{"a":1,"provider":"local" , "b":2}'],
    ['{\n\t"provider" : null\n}\n', '{\n\t"provider" : "local"\n}\n'],
    ["{}", '{\n  "provider": "local"\n}'],
    ["{}\n", '{\n  "provider": "local"\n}\n'],
    ['{ "a": 1 }', '{ "a": 1, "provider": "local" }'],
    ['{"a":1}', '{"a":1,"provider": "local"}'],
    ['{\n    "a": [1,\n 2]\n}\n', '{\n    "a": [1,\n 2],\n    "provider": "local"\n}\n'],
    ['{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "provider": "local"\r\n}\r\n'],
    ['\uFEFF{ "a": "}\\"{" }', '\uFEFF{ "a": "}\\"{", "provider": "local" }'],
    ['{"provider":1,"provider":2}', '{"provider":1,"provider":"local"}'],
    ['{"prov\\u0069der":"offline"}', '{"prov\\u0069der":"local"}'],
  ])("of %j leaves the rest as it is", (before, after) => {
    expect(setInJson(before, PROVIDER)).toBe(after);
  });

  it("makes the objects on the way, in the indentation of the file", () => {
    const edit = { path: ["agents", "codex", "mayUseModel"], value: null } as const;

    expect(setInJson('{\n  "a": 1\n}\n', edit)).toBe(
      '{\n  "a": 1,\n  "agents": {\n    "codex": {\n      "mayUseModel": null\n    }\n  }\n}\n',
    );
    expect(setInJson('{"agents":{"codex":{"mayUseModel":false,"roots":[]}}}', edit)).toBe(
      '{"agents":{"codex":{"mayUseModel":null,"roots":[]}}}',
    );
  });

  it("means what it says, in any layout", () => {
    const key = fc.constantFrom("a", "provider", "b c", "\u00e9", '"', "\\");
    const tree = fc.dictionary(
      key,
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }))),
    );
    const layout = fc.constantFrom("", " ", "  ", "\t");
    const path = fc.tuple(key, key);
    fc.assert(
      fc.property(tree, layout, path, fc.constantFrom("x", null, true, 7), (value, space, names, to) => {
        const text = JSON.stringify(value, null, space);

        const after: unknown = JSON.parse(setInJson(text, { path: names, value: to }));

        const want = withValueAt(JSON.parse(text) as Tree, { path: names, value: to });
        expect(after).toEqual(want);
      }),
    );
  });
});
