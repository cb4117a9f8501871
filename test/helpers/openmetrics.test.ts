import { describe, expect, it } from "vitest";
import { parseOpenMetrics } from "./openmetrics.ts";

const GOOD = `# TYPE a_bytes gauge
# UNIT a_bytes bytes
# HELP a_bytes Some \\"bytes\\".
a_bytes{of="x\\\\y\\n\\"z"} 12
a_bytes{of="other"} +Inf
# TYPE b counter
b_total 1e3
# TYPE c info
c_info{version="1"} 1
# TYPE d stateset
d{d="on"} 1
d{d="off"} 0
# EOF
`;

describe("the reader of OpenMetrics", () => {
  it("reads what is right", () => {
    const families = parseOpenMetrics(GOOD);

    expect(families.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "a_bytes gauge",
      "b counter",
      "c info",
      "d stateset",
    ]);
    expect(families[0]?.samples[0]).toEqual({ name: "a_bytes", labels: { of: 'x\\y\n"z' }, value: 12 });
    expect(families[0]?.unit).toBe("bytes");
  });

  it.each([
    ["no end", "# TYPE a gauge\na 1\n"],
    ["a line after the end", "# TYPE a gauge\na 1\n# EOF\na 2\n"],
    ["an empty line", "# TYPE a gauge\n\na 1\n# EOF\n"],
    ["a sample without type", "a 1\n# EOF\n"],
    ["a counter without _total", "# TYPE a counter\na 1\n# EOF\n"],
    ["a counter below zero", "# TYPE a counter\na_total -1\n# EOF\n"],
    ["a unit the name does not end in", "# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n"],
    ["labels twice", '# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n# EOF\n'],
    ["one label twice", '# TYPE a gauge\na{b="1",b="2"} 1\n# EOF\n'],
    ["a comma after the last label", '# TYPE a gauge\na{b="1",} 1\n# EOF\n'],
    ["an unknown escape", '# TYPE a gauge\na{b="\\t"} 1\n# EOF\n'],
    ["a bare quote", '# TYPE a gauge\na{b="1"2"} 1\n# EOF\n'],
    ["a bad number", "# TYPE a gauge\na 1,5\n# EOF\n"],
    ["a family in two places", "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# HELP a x\n# EOF\n"],
    ["names that clash", "# TYPE a counter\na_total 1\n# TYPE a_total gauge\na_total 1\n# EOF\n"],
    ["a state without its label", '# TYPE a stateset\na{b="1"} 1\n# EOF\n'],
    ["a bad name", "# TYPE a-b gauge\na-b 1\n# EOF\n"],
    ["a type twice", "# TYPE a gauge\n# TYPE a gauge\na 1\n# EOF\n"],
  ])("refuses %s", (_name, text) => {
    expect(() => parseOpenMetrics(text)).toThrow();
  });
});
