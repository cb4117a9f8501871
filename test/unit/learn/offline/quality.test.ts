// The promised figures, on the optional data beside the repository: a change that costs quality fails here.
import { describe, expect, it } from "vitest";
import { sampleData } from "../../../helpers/sample-data.ts";
import { scoreReal } from "../../../bench/quality-real.ts";
import { scoreUtterances } from "../../../bench/quality-utterances.ts";

const utterances = sampleData("bench/utterances.jsonl");
const real = sampleData("bench/real-messages-dev.jsonl");

describe("quality of the offline rules", () => {
  it.skipIf(utterances === undefined)("on labelled utterances in five languages", async () => {
    const score = await scoreUtterances(utterances ?? "", () => undefined);
    expect(score.wrongSaves).toBe(0);
    expect(score.refusedByGate).toBe(0);
    expect(score.precision).toBeGreaterThanOrEqual(0.95);
    expect(score.recall).toBeGreaterThanOrEqual(0.9);
    expect(score.dateShare).toBe(1);
  });

  it.skipIf(real === undefined)("on messages people really typed: one save at most", async () => {
    const lines: string[] = [];
    const score = await scoreReal(real ?? "", (what, line) => {
      if (what === "saved") lines.push(line);
    });
    expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(1);
    expect(score.messages).toBeGreaterThan(400);
  });
});
