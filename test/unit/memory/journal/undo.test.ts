import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { forgetChange } from "../../../../src/memory/gate/person.ts";
import { parseTopicFile } from "../../../../src/memory/files/topic-file.ts";
import { changesByFile, isByHand } from "../../../../src/memory/journal/trail.ts";
import { standingEntries } from "../../../../src/memory/journal/undone.ts";
import { createTempFolder, type TempFolder } from "../../../helpers/temp-folder.ts";
import { type Bench, createBench, createOf, draft, PROJECT, said, TODAY } from "./bench.ts";

const TABS = "From now on always use tabs for indentation.";
const SPACES = "From now on always use two spaces for indentation.";
const FILE = "feedback_indent.md";

async function learnt(folder: TempFolder): Promise<Bench> {
  const bench = createBench(folder);
  await bench.commit([createOf(FILE, TABS)], { run: "20260504T090000000-0000aaaa" });
  await bench.clock.advance(1_000);
  return bench;
}

async function changed(bench: Bench): Promise<void> {
  const update = {
    op: "update",
    file: FILE,
    basis: bench.hash(FILE),
    memory: draft("feedback-indent", SPACES),
    evidence: [said("record-spaces", SPACES)],
  } as const;
  const { written } = await bench.commit([update], { run: "20260504T090001000-0000bbbb" });
  expect(written).toHaveLength(1);
  await bench.clock.advance(1_000);
}

const FIRST = "20260504T090000000-0000aaaa";
const SECOND = "20260504T090001000-0000bbbb";

async function undo(bench: Bench, run: string, options: { force?: boolean; dryRun?: boolean } = {}) {
  const { force = false, dryRun = false } = options;
  const result = await bench.writer.undo({ memoryDir: bench.memoryDir, what: { run }, force, dryRun });
  await bench.clock.advance(1_000);
  return result;
}

async function undoAll(bench: Bench, force = false) {
  const what = { project: PROJECT.id };
  return bench.writer.undo({ memoryDir: bench.memoryDir, what, force, dryRun: false });
}

/** What is kept away. */
function removedIn(bench: Bench) {
  const { recordIds, textHashes } = factsOf(bench).removed;
  return { records: [...recordIds], texts: textHashes.size };
}

function factsOf(bench: Bench) {
  return bench.writer.preview({
    set: { project: PROJECT, producer: "offline", memoryDir: bench.memoryDir },
    today: TODAY,
    sharedFolder: false,
  });
}

function bodyOf(bench: Bench): string {
  return parseTopicFile(bench.read(FILE)).body;
}

describe("undo of a run", () => {
  it("removes what it created, with its index line, and keeps the words away", async () => {
    const bench = await learnt(createTempFolder());
    expect(bench.read("MEMORY.md")).toContain(FILE);

    const result = await undo(bench, FIRST);

    expect(result.restored).toEqual([{ file: FILE, what: "removed" }]);
    expect(Object.keys(bench.contents())).toEqual(["MEMORY.md"]);
    expect(bench.read("MEMORY.md")).not.toContain(FILE);
    const again = await bench.commit([
      createOf("feedback_other.md", TABS, { recordId: "record-of-feedback-indent" }),
    ]);
    expect(again.written).toEqual([]);
    const retold = await bench.commit([createOf("feedback_other.md", TABS, { recordId: "a-copy" })]);
    expect(retold.verdicts).toMatchObject([{ accepted: false, reason: "removed-before" }]);
  });

  it("puts back what it changed, letter for letter, and what the memory rests on", async () => {
    const bench = await learnt(createTempFolder());
    const before = bench.contents();
    await changed(bench);

    const result = await undo(bench, SECOND);

    expect(result.restored).toEqual([{ file: FILE, what: "changed-back" }]);
    expect(bench.contents()).toEqual(before);
    expect(removedIn(bench)).toEqual({ records: ["record-spaces"], texts: 1 });
  });

  it("works for any run, and for several in a row", async () => {
    const bench = await learnt(createTempFolder());
    await changed(bench);

    const refused = await undo(bench, FIRST);
    expect(refused.restored).toEqual([]);
    expect(refused.refused).toEqual([{ file: FILE, why: expect.stringContaining(SECOND), forcible: true }]);
    expect(bodyOf(bench)).toBe(SPACES);

    await undo(bench, SECOND);
    expect(bodyOf(bench)).toBe(TABS);
    await undo(bench, FIRST);
    expect(Object.keys(bench.contents())).toEqual(["MEMORY.md"]);
  });

  it("can be undone itself, and then the words are learnt again", async () => {
    const bench = await learnt(createTempFolder());
    const before = bench.contents();
    const { run = "" } = await undo(bench, FIRST);

    const back = await undo(bench, run);

    expect(back.restored).toEqual([{ file: FILE, what: "brought-back" }]);
    expect(bench.contents()).toEqual(before);
    expect(removedIn(bench)).toEqual({ records: [], texts: 0 });
    expect(factsOf(bench).saidAt.has(FILE)).toBe(true);
    expect((await undo(bench, FIRST)).restored).toEqual([{ file: FILE, what: "removed" }]);
  });

  it("does nothing a second time", async () => {
    const bench = await learnt(createTempFolder());
    await undo(bench, FIRST);

    const again = await undo(bench, FIRST);

    expect(again).toEqual({ run: undefined, runs: [], restored: [], refused: [] });
  });

  it("says what it would do and writes nothing", async () => {
    const bench = await learnt(createTempFolder());
    const before = bench.contents();

    const plan = await undo(bench, FIRST, { dryRun: true });

    expect(plan.restored).toEqual([{ file: FILE, what: "removed" }]);
    expect(bench.contents()).toEqual(before);
    expect(bench.writer.trail(bench.memoryDir).entries()).toHaveLength(1);
  });
});

describe("undo of a file somebody edited later", () => {
  it("keeps the edit and names it; --force overrides, and the edit comes back with an undo of that", async () => {
    const bench = await learnt(createTempFolder());
    const edited = bench.read(FILE).replaceAll("tabs", "tabs of width 8");
    writeFileSync(`${bench.memoryDir}/${FILE}`, edited);

    const kept = await undo(bench, FIRST);
    expect(kept.refused).toEqual([{ file: FILE, why: expect.stringContaining("by hand"), forcible: true }]);
    expect(bench.read(FILE)).toBe(edited);

    const { run = "" } = await undo(bench, FIRST, { force: true });
    expect(Object.keys(bench.contents())).toEqual(["MEMORY.md"]);
    await undo(bench, run);
    expect(bench.read(FILE)).toBe(edited);
  });

  it("does not take bookkeeping or index lines for an edit", async () => {
    const bench = await learnt(createTempFolder());
    writeFileSync(
      `${bench.memoryDir}/${FILE}`,
      bench.read(FILE).replace(/confirmed: .*/u, "confirmed: 2026-05-09"),
    );
    writeFileSync(`${bench.memoryDir}/MEMORY.md`, "# mine\n");

    const { restored } = await undo(bench, FIRST);

    expect(restored).toEqual([{ file: FILE, what: "removed" }]);
    expect(bench.contents()).toEqual({ "MEMORY.md": "# mine\n" });
  });

  it("leaves a confirmation of today where only an older one is undone", async () => {
    const bench = await learnt(createTempFolder());
    const confirm = (record: string) =>
      ({ op: "confirm", file: FILE, basis: bench.hash(FILE), evidence: [said(record, TABS)] }) as const;
    await bench.commit([confirm("second")], { run: SECOND });
    await bench.clock.advance(1_000);
    await bench.commit([confirm("third")], { run: "20260504T090002000-0000cccc" });
    await bench.clock.advance(1_000);
    const before = bench.read(FILE);

    const { restored, refused } = await undo(bench, SECOND);

    expect({ restored, refused, now: bench.read(FILE) }).toEqual({ restored: [], refused: [], now: before });
  });

  it("does not bring back over a person's removal what an older run changed", async () => {
    const bench = await learnt(createTempFolder());
    await changed(bench);
    rmSync(`${bench.memoryDir}/${FILE}`);

    const { restored, refused } = await undo(bench, SECOND);

    expect(restored).toEqual([]);
    expect(refused).toEqual([
      { file: FILE, why: expect.stringContaining("removed by hand"), forcible: true },
    ]);
  });

  it("never follows a link that lies where the file was", async () => {
    const folder = createTempFolder();
    const bench = await learnt(folder);
    rmSync(`${bench.memoryDir}/${FILE}`);
    writeFileSync(folder.at("elsewhere.md"), "theirs");
    symlinkSync(folder.at("elsewhere.md"), `${bench.memoryDir}/${FILE}`);

    const { restored, refused } = await undo(bench, FIRST, { force: true });

    expect(restored).toEqual([]);
    expect(refused).toEqual([{ file: FILE, why: expect.stringContaining("no plain file"), forcible: false }]);
  });
});

describe("undo of a forget", () => {
  it("brings the memory back as it was, and its words may teach again", async () => {
    const bench = await learnt(createTempFolder());
    const before = bench.contents();
    const [memory] = factsOf(bench).memories;
    if (memory === undefined) throw new Error("nothing was learnt");
    await bench.commit([forgetChange(memory)], { run: SECOND, kind: "forget", producer: "person" });
    expect(removedIn(bench)).toEqual({ records: ["record-of-feedback-indent"], texts: 1 });
    await bench.clock.advance(1_000);

    const { restored } = await undo(bench, SECOND);

    expect(restored).toEqual([{ file: FILE, what: "brought-back" }]);
    expect(bench.contents()).toEqual(before);
    expect(removedIn(bench)).toEqual({ records: [], texts: 0 });
  });
});

describe("a file the person wrote", () => {
  const THEIRS = "---\nname: mine\ndescription: mine\ntype: project\n---\nThe API listens on port 8080.\n";

  it("is theirs again once what engramd did to it is undone", async () => {
    const bench = await learnt(createTempFolder());
    writeFileSync(`${bench.memoryDir}/mine.md`, THEIRS);
    const forget = async (run: string) => {
      const memory = factsOf(bench).memories.find(({ file }) => file === "mine.md");
      if (memory === undefined) throw new Error("it is not there");
      await bench.commit([forgetChange(memory)], { run, kind: "forget", producer: "person" });
      await bench.clock.advance(1_000);
    };
    await forget(SECOND);

    await undo(bench, SECOND);

    expect(bench.read("mine.md")).toBe(THEIRS);
    const memory = factsOf(bench).memories.find(({ file }) => file === "mine.md");
    const trail = bench.writer.trail(bench.memoryDir);
    const changes = changesByFile(standingEntries(trail.entries())).get("mine.md") ?? [];
    expect(memory && isByHand(memory, { changes, image: trail.image })).toBe(true);
  });
});

describe("undo of everything", () => {
  it("leaves the folder as engramd found it, but for what was edited later", async () => {
    const folder = createTempFolder();
    const bench = await learnt(folder);
    await changed(bench);
    await bench.commit([createOf("feedback_mine.md", "From now on never push to main.")], {
      run: "20260504T090003000-0000dddd",
    });
    await bench.clock.advance(1_000);
    const edited = bench.read("feedback_mine.md").replaceAll("main", "the main branch");
    writeFileSync(`${bench.memoryDir}/feedback_mine.md`, edited);

    const { restored, refused, runs } = await undoAll(bench);

    expect(restored).toEqual([{ file: FILE, what: "removed" }]);
    expect(refused.map(({ file }) => file)).toEqual(["feedback_mine.md"]);
    expect(runs).toEqual([SECOND, FIRST]);
    expect(bench.read("feedback_mine.md")).toBe(edited);
  });

  it("does not bring back what an undo took away by force", async () => {
    const bench = await learnt(createTempFolder());
    writeFileSync(`${bench.memoryDir}/${FILE}`, bench.read(FILE).replaceAll("tabs", "wide tabs"));
    await undo(bench, FIRST, { force: true });

    const { restored } = await undoAll(bench);

    expect(restored).toEqual([]);
    expect(Object.keys(bench.contents())).toEqual(["MEMORY.md"]);
  });

  it("makes no folder where engramd never wrote", async () => {
    const folder = createTempFolder();

    const { restored } = await undoAll(createBench(folder));

    expect(restored).toEqual([]);
    expect(existsSync(folder.at("memory"))).toBe(false);
  });
});
