import { describe, expect, it } from "vitest";
import { forgetChange } from "../../../../src/memory/gate/person.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { wordsLeft } from "../../../helpers/words-left.ts";
import { type Bench, createBench, createOf, draft, PROJECT, said, TODAY } from "./bench.ts";

const WALRUS = "feedback_walrus.md";
const NARWHAL = "feedback_narwhal.md";
const OTHER = "feedback_other.md";

/** One memory that went into another, which quotes it by its file name. */
async function merged() {
  const folder = createTempFolder();
  folder.folder("memory");
  const bench = createBench(folder, { clock: createManualClock() });
  const text = "Please keep the walrus rule of the handbook in mind.";
  await bench.commit([createOf(WALRUS, text, { recordId: "r-1" })]);
  await bench.commit([
    createOf(NARWHAL, "Please keep the narwhal rule of the handbook in mind.", { recordId: "r-2" }),
  ]);
  for (const word of ["harbour", "island", "glacier"]) {
    await bench.commit([
      createOf(`feedback_${word}.md`, `Please keep the ${word} rule of the handbook in mind.`),
    ]);
  }
  await bench.commit([createOf(OTHER, "Please answer in short sentences.")]);
  await bench.clock.advance(1_000);
  const both =
    "Please keep the narwhal rule of the handbook in mind.\nPlease keep the walrus rule of the handbook in mind.";
  const evidence = [
    said("record-both", both),
    said(WALRUS, "Please keep the walrus rule of the handbook in mind.", { by: "memory" }),
  ];
  const { verdicts } = await bench.commit([
    {
      op: "update",
      file: NARWHAL,
      basis: bench.hash(NARWHAL),
      memory: draft("narwhal", both, { description: "the narwhal rule and the walrus rule" }),
      evidence,
    },
    { op: "delete", file: WALRUS, basis: bench.hash(WALRUS), reason: "duplicate", evidence },
  ]);
  expect(verdicts.filter(({ accepted }) => !accepted)).toEqual([]);
  await bench.clock.advance(1_000);
  return { bench, folder };
}

async function purge(bench: Bench, file: string): Promise<void> {
  const { memoryDir, writer } = bench;
  const steps = await writer.purging();
  const intent = await steps.plan({ memoryDir, project: PROJECT, file });
  const { memories } = writer.preview({
    set: { project: PROJECT, producer: "person", memoryDir },
    today: TODAY,
    sharedFolder: false,
  });
  const memory = memories.find((each) => each.file === file);
  if (memory !== undefined)
    await bench.commit([forgetChange(memory)], { producer: "person", kind: "forget" });
  await steps.history(intent);
}

describe("a purge after a merge", () => {
  it("of the merged memory takes the one that went into it along", async () => {
    const { bench, folder } = await merged();

    await purge(bench, NARWHAL);

    expect(wordsLeft([folder.path], ["walrus", "narwhal"])).toEqual([]);
    expect(Object.keys(bench.contents())).toContain(OTHER);
  });

  it("of the one that is gone takes its name out of what quotes it, and leaves the merged one whole", async () => {
    const { bench, folder } = await merged();

    await purge(bench, WALRUS);

    expect(wordsLeft([folder.at("state")], [WALRUS])).toEqual([]);
    expect(bench.read(NARWHAL)).toContain("walrus rule");
  });
});
