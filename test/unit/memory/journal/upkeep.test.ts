import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { contentHash } from "../../../../src/system/ids.ts";
import { createEventSpy } from "../../../helpers/event-spy.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { type Bench, createBench, createOf, draft, PROJECT, said } from "./bench.ts";

const LINTER = "From now on always run the linter before you commit.";
const RELEASE = "We deploy from the release branch, never from main.";

function topic(name: string, text: string): string {
  return `---\nname: ${name}\ndescription: ${text}\ntype: project\n---\n${text}\n`;
}

async function learnt(bench: Bench): Promise<void> {
  await bench.commit([createOf("feedback_linter.md", LINTER), createOf("feedback_release.md", RELEASE)]);
}

function editEntries(bench: Bench): { kind: string; ops: { file: string; op: string }[] }[] {
  const [folderId = ""] = readdirSync(`${bench.stateDir}/journal`);
  const folder = `${bench.stateDir}/journal/${folderId}`;
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as ReturnType<typeof editEntries>[0])
    .filter((entry) => entry.kind === "edit");
}

describe("upkeep", () => {
  it("changes nothing at first sight", async () => {
    const bench = createBench(createTempFolder());
    mkdirSync(bench.memoryDir);
    writeFileSync(`${bench.memoryDir}/hand.md`, topic("hand", "made by hand"));
    writeFileSync(`${bench.memoryDir}/MEMORY.md`, "- [Gone](gone.md) — not there\n");
    const before = bench.contents();

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(result.indexChanged).toBe(false);
    expect(bench.contents()).toEqual(before);
  });

  it("does nothing about our own writes, not even in the state folder", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await learnt(bench);
    const before = folder.tree();
    const events = createEventSpy(bench.emitter);

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(result).toMatchObject({ added: [], edited: [], vanished: [], indexChanged: false });
    expect(folder.tree()).toEqual(before);
    expect(events.names()).toEqual([]);
  });

  it("gives a new hand-made file a line and refreshes the line of an edited one", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    const events = createEventSpy(bench.emitter);
    writeFileSync(`${bench.memoryDir}/hand.md`, topic("hand", "made by hand"));
    writeFileSync(`${bench.memoryDir}/feedback_linter.md`, topic("feedback-linter", "linter twice a day"));

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(result).toMatchObject({ added: ["hand.md"], edited: ["feedback_linter.md"], indexChanged: true });
    expect(bench.read("MEMORY.md")).toContain("(hand.md) — made by hand\n");
    expect(bench.read("MEMORY.md")).toContain("(feedback_linter.md) — linter twice a day\n");
    expect(events.seen("memory:edited")[0]?.files).toEqual(["hand.md", "feedback_linter.md"]);
    expect(editEntries(bench)).toMatchObject([
      {
        ops: [
          { file: "hand.md", op: "created" },
          { file: "feedback_linter.md", op: "updated" },
        ],
      },
    ]);
  });

  it("leaves the line that came with a new file to who wrote both", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    writeFileSync(`${bench.memoryDir}/hand.md`, topic("hand", "made by hand"));
    const index = `${bench.read("MEMORY.md")}- [Of the agent](./hand.md) - in its own words\n`;
    writeFileSync(`${bench.memoryDir}/MEMORY.md`, index);

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(result).toMatchObject({ added: ["hand.md"], indexChanged: false });
    expect(bench.read("MEMORY.md")).toBe(index);
  });

  it("drops the line of a vanished file and never brings the statement back from the same words", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    rmSync(`${bench.memoryDir}/feedback_linter.md`);

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);
    const again = await bench.commit([createOf("feedback_linter.md", LINTER, { recordId: "a-fork" })]);

    expect(result.vanished).toEqual(["feedback_linter.md"]);
    expect(again.verdicts[0]).toMatchObject({ accepted: false, reason: "removed-before" });
    expect(bench.read("MEMORY.md")).not.toContain("feedback_linter.md");
  });

  it("takes a renamed file for what it is, not for a removal", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    renameSync(`${bench.memoryDir}/feedback_linter.md`, `${bench.memoryDir}/lint.md`);

    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(bench.read("MEMORY.md")).toContain("(lint.md)");
    expect(readdirSync(bench.stateDir)).not.toContain("refused");
  });

  it("does not add a line again that the person took out, even when the memory is updated", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    const index = bench.read("MEMORY.md").split("\n");
    writeFileSync(
      `${bench.memoryDir}/MEMORY.md`,
      index.filter((line) => !line.includes("linter.md")).join("\n"),
    );

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);
    writeFileSync(`${bench.memoryDir}/feedback_linter.md`, topic("feedback-linter", "linter twice a day"));
    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(result.linesDropped).toEqual(["feedback_linter.md"]);
    expect(bench.read("MEMORY.md")).not.toContain("linter.md");
  });

  it("makes a lost index again", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    const before = bench.read("MEMORY.md");
    rmSync(`${bench.memoryDir}/MEMORY.md`);

    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(bench.read("MEMORY.md").split("\n").toSorted()).toEqual(before.split("\n").toSorted());
  });

  it("does not take the edit a person made for its own when it writes another file", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    writeFileSync(`${bench.memoryDir}/hand.md`, topic("hand", "made by hand"));

    await bench.commit([createOf("feedback_short.md", "Please answer in short plain sentences.")]);

    expect(bench.read("MEMORY.md")).toContain("(hand.md)");
    expect(editEntries(bench)).toMatchObject([{ ops: [{ file: "hand.md", op: "created" }] }]);
  });

  it("takes hundreds of files at once as one edit: one entry, one index, no wait for the disk a file", async () => {
    const folder = createTempFolder();
    await learnt(createBench(folder));
    const flushes = createFaultyOps({ only: ["fsyncSync"] });
    const bench = createBench(folder, { ops: flushes.ops });
    const events = createEventSpy(bench.emitter);
    for (let n = 0; n < 300; n += 1)
      writeFileSync(`${bench.memoryDir}/note-${n}.md`, topic(`note-${n}`, `part ${n}`));

    const result = await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(result.added).toHaveLength(300);
    expect(flushes.calls()).toBeLessThan(20);
    expect(events.names()).toEqual(["memory:edited", "index:written"]);
    expect(editEntries(bench)).toHaveLength(1);
  });

  it("lets others have a turn while it looks at many files", async () => {
    const clock = createManualClock();
    let nowMs = 0;
    let turns = 0;
    const slow = {
      ...clock,
      monotonicMs: () => (nowMs += 1),
      yield() {
        turns += 1;
        return clock.yield();
      },
    };
    const bench = createBench(createTempFolder(), { clock: slow });
    await learnt(bench);
    for (let n = 0; n < 200; n += 1)
      writeFileSync(`${bench.memoryDir}/note-${n}.md`, topic(`note-${n}`, "x"));
    turns = 0;

    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    // Each file is looked at twice and noted once; a turn after some twenty of these.
    expect(turns).toBeGreaterThan(20);
  });

  it("waits for the disk with the text an edit left before it changes that itself", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    const edited = topic("feedback-linter", "linter twice a day");
    writeFileSync(`${bench.memoryDir}/feedback_linter.md`, edited);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    const [folderId = ""] = readdirSync(`${bench.stateDir}/journal`);
    const image = `${bench.stateDir}/journal/${folderId}/blobs/${contentHash(edited)}`;
    const before = statSync(image).ino;

    await bench.commit([
      {
        op: "update",
        file: "feedback_linter.md",
        basis: contentHash(edited),
        memory: draft("feedback-linter", RELEASE),
        evidence: [said("r7", RELEASE)],
      },
    ]);

    expect(statSync(image).ino).not.toBe(before);
  });

  it("shows no image that a power cut emptied, and keeps it again", async () => {
    const bench = createBench(createTempFolder());
    await learnt(bench);
    const text = topic("hand", "made by hand");
    writeFileSync(`${bench.memoryDir}/hand.md`, text);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    const [folderId = ""] = readdirSync(`${bench.stateDir}/journal`);
    const image = `${bench.stateDir}/journal/${folderId}/blobs/${contentHash(text)}`;
    writeFileSync(image, "");

    expect(bench.writer.trail(bench.memoryDir).image(contentHash(text))).toBeUndefined();

    rmSync(`${bench.memoryDir}/hand.md`);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    writeFileSync(`${bench.memoryDir}/hand.md`, text);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(bench.writer.trail(bench.memoryDir).image(contentHash(text))).toBe(text);
  });

  it("is silent about a folder that does not exist", async () => {
    const folder = createTempFolder();

    const result = await createBench(folder).writer.upkeep(folder.at("nowhere"), PROJECT);

    expect(result.indexChanged).toBe(false);
    expect(folder.tree()).toEqual([]);
  });
});
