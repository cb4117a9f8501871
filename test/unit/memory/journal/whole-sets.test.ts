// Sets that are committed whole or not at all, and what a commit would write.
import { describe, expect, it } from "vitest";
import { whyChanged } from "../../../../src/memory/journal/why-changed.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createBench, createOf, PROJECT, textsOf, TODAY } from "./bench.ts";

const GOOD = createOf("feedback_pears.md", "Always mention pears first.");
const BAD = { ...createOf("feedback_plums.md", "Always mention plums first."), evidence: [] };

function setOf(memoryDir: string, changes: readonly (typeof GOOD)[]) {
  return {
    run: "r1",
    kind: "dream",
    trigger: "test",
    project: PROJECT,
    memoryDir,
    producer: "offline",
    changes,
  } as const;
}

describe("a set", () => {
  it("of which one change is refused writes nothing when it is whole, and the rest when it is not", async () => {
    const bench = createBench(createTempFolder());
    const options = { evidenceTexts: textsOf([GOOD]), today: TODAY };
    const set = setOf(bench.memoryDir, [GOOD, BAD]);

    const whole = await bench.writer.commit(set, { ...options, whole: true });
    expect(whole.verdicts.map((verdict) => (verdict.accepted ? "" : verdict.reason))).toEqual([
      "no-evidence",
      "no-evidence",
    ]);
    expect(bench.contents()).toEqual({});

    const parts = await bench.writer.commit(set, options);
    expect(parts.written.map(({ file }) => file)).toEqual([GOOD.file]);
  });

  it("that is rehearsed tells what would be written and writes nothing, not even a folder", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await bench.commit([GOOD]);
    const before = folder.tree();
    const more = createOf("feedback_figs.md", "Always mention figs first.");
    const options = { evidenceTexts: textsOf([more]), today: TODAY };

    const { files, verdicts } = await bench.writer.rehearse(setOf(bench.memoryDir, [more]), options);

    expect(verdicts).toMatchObject([{ accepted: true }]);
    expect(files).toMatchObject([{ file: more.file, before: undefined }]);
    expect(files[0]?.after).toContain("Always mention figs first.");
    expect(folder.tree()).toEqual(before);
    const nowhere = setOf(folder.at("nowhere"), [more]);
    expect(await bench.writer.rehearse(nowhere, options)).toEqual({ verdicts: [], files: [] });
    expect(folder.tree()).toEqual(before);
  });
});

it.each([
  [{ op: "deleted", reason: "duplicate" }, ["memory", "b.md"], "b.md says the same"],
  [{ op: "deleted", reason: "superseded" }, ["memory", "b.md"], "b.md is later"],
  [{ op: "deleted", reason: "superseded" }, ["user", "r1"], "what was said is later"],
  [{ op: "deleted", reason: "wrong" }, ["instruction", "CLAUDE.md"], "CLAUDE.md says otherwise"],
  [{ op: "deleted", reason: "stale" }, ["memory", "a.md"], "it is over, or what it is about is gone"],
  [{ op: "deleted", reason: "forgotten" }, ["user", "r1"], "the person forgot it"],
  [{ op: "created" }, ["memory", "b.md"], "made of b.md"],
  [{ op: "updated" }, ["memory", "b.md"], "put together with b.md"],
  [{ op: "updated" }, ["memory", "a.md"], "tidied, from what it said itself"],
  [{ op: "updated" }, ["user", "r1"], "the person said more"],
  [{ op: "confirmed" }, ["user", "r1"], "said again"],
] as const)("%j, resting on %j, is told as %j", (change, [by, id], expected) => {
  expect(whyChanged({ file: "a.md", ...change, evidence: [{ id, by }] })).toBe(expected);
});

it("names three sources at most, without control characters", () => {
  const evidence = ["b\u001b[31m.md", "c.md", "d.md", "e.md"].map((id) => ({ id, by: "memory" as const }));
  const why = whyChanged({ file: "a.md", op: "created", evidence });
  expect(why).toMatch(/, c\.md, d\.md, 1 more$/u);
  expect(why).not.toContain("\u001b");
});
