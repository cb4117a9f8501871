// What a run is told before it commits: the same facts the commit will judge by, and nothing on disk.
import { expect, it } from "vitest";
import { judgeProposal } from "../../../../src/memory/gate/gate.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createBench, createOf, PROJECT, textsOf, TODAY } from "./bench.ts";

const LINTER = "From now on always run the linter before you commit.";
const RELEASE = "We deploy from the release branch, never from main.";

function ask(memoryDir: string) {
  return {
    set: { project: PROJECT, producer: "offline" as const, memoryDir },
    today: TODAY,
    sharedFolder: false,
  };
}

it("knows nothing of a folder that is not there and does not make it", () => {
  const folder = createTempFolder();
  const bench = createBench(folder);

  const facts = bench.writer.preview(ask(bench.memoryDir));

  expect(facts.memories).toEqual([]);
  expect(folder.tree()).toEqual([]);
});

it("refuses beforehand what the commit would refuse, and accepts what it would accept", async () => {
  const bench = createBench(createTempFolder());
  const known = createOf("feedback_linter.md", LINTER);
  await bench.commit([known]);
  const fresh = createOf("project_release.md", RELEASE, { memory: { type: "feedback" } });

  const texts = textsOf([known, fresh]);
  const facts = { ...bench.writer.preview(ask(bench.memoryDir)), recordText: (id: string) => texts.get(id) };

  expect(judgeProposal(fresh, facts).accepted).toBe(true);
  expect(judgeProposal(known, facts)).toMatchObject({ accepted: false, reason: "already-recorded" });
});
