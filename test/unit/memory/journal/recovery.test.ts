import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createTempFolder, type TempFolder } from "../../../helpers/temp-folder.ts";
import { contentsOf, createBench, createOf } from "./bench.ts";

const LINTER = "From now on always run the linter before you commit.";
const RELEASE = "We deploy from the release branch, never from main.";
const CHANGES = [createOf("feedback_linter.md", LINTER), createOf("feedback_release.md", RELEASE)];

/** Commits and dies as soon as `until` holds; answers whether that happened. */
async function killWhen(
  folder: TempFolder,
  until: (files: Record<string, string>) => boolean,
): Promise<void> {
  for (let at = 1; at < 500; at++) {
    rmSync(folder.at("memory"), { recursive: true, force: true });
    rmSync(folder.at("state"), { recursive: true, force: true });
    const faulty = createFaultyOps({ at, fault: "kill" });
    await createBench(folder, { ops: faulty.ops })
      .commit(CHANGES, { run: "the-run" })
      .catch(() => {});
    if (until(contentsOf(folder.at("memory")))) return;
  }
  throw new Error("the state was never reached");
}

function openEntries(folder: TempFolder): string[] {
  return readdirSync(folder.path, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(".open.json"));
}

describe("recovery", () => {
  it("repairs the index when the process died between topic file and index (fault 6)", async () => {
    const folder = createTempFolder();
    await killWhen(folder, (files) => "feedback_release.md" in files);
    expect(contentsOf(folder.at("memory"))["MEMORY.md"]).toBeUndefined();

    const report = await createBench(folder).writer.recover();

    expect(report.finished).toEqual([{ run: "the-run", memoryDir: folder.at("memory") }]);
    expect(contentsOf(folder.at("memory"))["MEMORY.md"]).toMatch(/linter\.md.*\n.*release\.md/);
    expect(openEntries(folder)).toEqual([]);
  });

  it("lets the person's edit win over what was still to be written", async () => {
    const folder = createTempFolder();
    await killWhen(folder, (files) => "feedback_linter.md" in files);
    writeFileSync(folder.at("memory/feedback_linter.md"), "edited since\n");
    writeFileSync(folder.at("memory/feedback_release.md"), "my own file\n");

    const report = await createBench(folder).writer.recover();

    expect([...report.keptEdits].toSorted()).toEqual(["feedback_linter.md", "feedback_release.md"]);
    expect(contentsOf(folder.at("memory"))).toMatchObject({
      "feedback_linter.md": "edited since\n",
      "feedback_release.md": "my own file\n",
    });
    expect(openEntries(folder)).toEqual([]);
  });

  it("does not bring back a written file that the person removed before the start", async () => {
    const folder = createTempFolder();
    await killWhen(folder, (files) => "feedback_release.md" in files);
    rmSync(folder.at("memory/feedback_linter.md"));

    await createBench(folder).writer.recover();

    expect(Object.keys(contentsOf(folder.at("memory")))).toEqual(["MEMORY.md", "feedback_release.md"]);
  });

  it("closes what was to be written into a folder that is gone; the job proposes it again", async () => {
    const folder = createTempFolder();
    await killWhen(folder, (files) => "feedback_linter.md" in files);
    rmSync(folder.at("memory"), { recursive: true });
    const bench = createBench(folder);

    await bench.writer.recover();
    const again = await bench.commit(CHANGES, { run: "the-run" });

    expect(openEntries(folder)).toEqual([]);
    expect(again.written).toHaveLength(2);
  });

  it("finishes an open entry before the next write too, without a restart", async () => {
    const folder = createTempFolder();
    await killWhen(folder, (files) => "feedback_linter.md" in files);

    await createBench(folder).commit([
      createOf("feedback_short.md", "Please answer in short plain sentences."),
    ]);

    expect(Object.keys(contentsOf(folder.at("memory")))).toEqual([
      "MEMORY.md",
      "feedback_linter.md",
      "feedback_release.md",
      "feedback_short.md",
    ]);
  });

  it("removes our temporary files: at once after a crash, otherwise when they are an hour old", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await bench.commit(CHANGES);
    const now = bench.clock.now() / 1000;
    for (const [name, age] of [
      [".engramd-tmp-young", 60],
      [".engramd-tmp-old", 7_200],
    ] as const) {
      folder.write(`memory/${name}`, "half");
      utimesSync(folder.at("memory", name), now - age, now - age);
    }

    const report = await bench.writer.recover();

    expect(report.temporaryFilesRemoved).toBe(1);
    expect(Object.keys(bench.contents())).toContain(".engramd-tmp-young");
  });

  it("sets a damaged entry aside and has nothing to do on a first start", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    expect(await bench.writer.recover()).toMatchObject({ finished: [], failed: [] });
    await bench.commit(CHANGES);
    const [folderId = ""] = readdirSync(folder.at("state/journal"));
    folder.write(`state/journal/${folderId}/torn.open.json`, '{"v":1,"run":"to');

    const report = await bench.writer.recover();

    expect(report).toMatchObject({ finished: [], failed: [] });
    expect(openEntries(folder)).toEqual([]);
  });

  it("recovers the other folders when one cannot be opened", async () => {
    const folder = createTempFolder();
    const first = createBench(folder, { memoryDir: folder.at("a") });
    await first.commit(CHANGES);
    await createBench(folder, { memoryDir: folder.at("b") }).commit(CHANGES);
    const [folderId = ""] = readdirSync(folder.at("state/journal"));
    folder.write(`state/journal/${folderId}/place`, folder.write("plain-file", "not a folder"));

    const report = await first.writer.recover();

    expect(report.failed).toMatchObject([{ memoryDir: folder.at("plain-file") }]);
  });
});

describe("a commit that failed half-way in a process that lives on", () => {
  it("is finished when asked, without a word proposed again, and asking where nothing is open does nothing", async () => {
    const folder = createTempFolder();
    await killWhen(folder, (files) => "feedback_release.md" in files);
    const bench = createBench(folder);

    const answers = [await bench.writer.finishOpen(bench.memoryDir)];
    const index = bench.read("MEMORY.md");
    answers.push(await bench.writer.finishOpen(bench.memoryDir));
    answers.push(await bench.writer.finishOpen(folder.at("nowhere")));

    expect(answers).toEqual([true, false, false]);
    expect(index).toMatch(/linter\.md.*\n.*release\.md/);
    expect(bench.read("MEMORY.md")).toBe(index);
    expect(openEntries(folder)).toEqual([]);
  });
});
