// Mending what needs no judgement: exact duplicates and the index, as one run that history knows and undo puts back.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lintFolder } from "../../../../src/memory/lint/lint.ts";
import { safeFixes } from "../../../../src/memory/lint/safe-fixes.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { type Bench, createBench, createOf, PROJECT } from "./bench.ts";

function topic(name: string, text: string, type = "reference"): string {
  return `---\nname: ${name}\ndescription: ${text}\ntype: ${type}\n---\n${text}\n`;
}

function plant(bench: Bench, files: Record<string, string>): void {
  mkdirSync(bench.memoryDir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${bench.memoryDir}/${name}`, text);
}

async function fix(bench: Bench) {
  const facts = bench.writer.folderFacts(bench.memoryDir);
  const changes = facts === undefined ? [] : safeFixes(facts).changes;
  return bench.commit(changes, { producer: "upkeep", kind: "lint", tidyIndex: true });
}

function lastEntry(bench: Bench) {
  return bench.writer.trail(bench.memoryDir).newest(1)[0];
}

const SESSION = { agent: "claude-code", id: "s", projectId: undefined } as const;

const LONG = "a hook that goes on and on ".repeat(8).trim();

function faultyFolder(): Record<string, string> {
  return {
    "a.md": topic("a", "The staging host is called reed."),
    "b.md": topic("b", "Dashboards hang in the corridor."),
    "b_copy.md": topic("b-copy", "Dashboards hang in the corridor."),
    "c.md": topic("c", "The wiki is at wiki.example."),
    "MEMORY.md": [
      "# My notes",
      "",
      `My own prose: ${LONG}`,
      `- [A](a.md) — ${LONG}`,
      "- [Gone](gone.md) — was here",
      "- [B](b.md) — dashboards",
      "",
    ].join("\n"),
  };
}

describe("tidying", () => {
  it("removes the duplicate, mends the index, and leaves every other byte; a second time does nothing", async () => {
    const bench = createBench(createTempFolder());
    const before = faultyFolder();
    plant(bench, before);

    const result = await fix(bench);

    const { "MEMORY.md": index = "", ...files } = bench.contents();
    const { "b_copy.md": _, "MEMORY.md": __, ...kept } = before;
    expect(files).toEqual(kept);
    expect(index.split("\n").slice(0, 3)).toEqual(["# My notes", "", `My own prose: ${LONG}`]);
    expect(index).not.toContain("gone.md");
    expect(index).toContain("(c.md)");
    const long = index.split("\n").find((line) => line.includes("(a.md)"));
    expect(long).toMatch(/^- \[A\]\(a\.md\) — a hook that goes on .*\w…$/u);
    expect(long?.length).toBeLessThanOrEqual(150);
    expect(result).toMatchObject({ written: [{ file: "b_copy.md", op: "deleted" }], indexChanged: true });
    expect(lastEntry(bench)).toMatchObject({ kind: "lint", producer: "upkeep" });
    const runs = bench.writer.trail(bench.memoryDir).newest(100).length;

    const again = await fix(bench);

    expect(again).toMatchObject({ written: [], verdicts: [] });
    expect(bench.contents()["MEMORY.md"]).toBe(index);
    expect(bench.writer.trail(bench.memoryDir).newest(100)).toHaveLength(runs);
  });

  it("is put back by an undo, index included, and that undo by another", async () => {
    const bench = createBench(createTempFolder());
    const before = faultyFolder();
    plant(bench, before);
    await fix(bench);
    const mended = bench.contents();
    const run = lastEntry(bench)?.run ?? "";

    const undone = await bench.writer.undo({
      memoryDir: bench.memoryDir,
      what: { run },
      force: false,
      dryRun: false,
    });

    expect(bench.contents()).toEqual(before);
    expect(undone.restored.map(({ file }) => file).toSorted()).toEqual(["MEMORY.md", "b_copy.md"]);
    expect(undone.refused).toEqual([]);

    const redone = await bench.writer.undo({
      memoryDir: bench.memoryDir,
      what: { run: undone.run ?? "" },
      force: false,
      dryRun: false,
    });

    expect(redone.refused).toEqual([]);
    expect(bench.contents()).toEqual(mended);
  });

  it("is not done again to a file that an undo brought back, by whomever, until somebody changes it", async () => {
    const bench = createBench(createTempFolder());
    plant(bench, faultyFolder());
    await fix(bench);
    const run = lastEntry(bench)?.run ?? "";
    const what = { run };
    await bench.writer.undo({ memoryDir: bench.memoryDir, what, force: false, dryRun: false });

    expect((await fix(bench)).written).toEqual([]);

    expect(Object.keys(bench.contents())).toContain("b_copy.md");
    const facts = bench.writer.folderFacts(bench.memoryDir);
    if (facts === undefined) throw new Error("the folder is gone");
    const told = lintFolder(facts).filter(({ code }) => code === "exact-duplicate");
    expect(told).toMatchObject([{ fixable: false }]);
    expect(told[0]?.message).toContain("undo");
    const remove = () => {
      const copy = bench.writer
        .folderFacts(bench.memoryDir)
        ?.view.memories.find(({ file }) => file === "b_copy.md");
      const quote = { session: SESSION, recordId: "b.md", by: "memory", quote: "", at: undefined } as const;
      const change = {
        op: "delete",
        file: "b_copy.md",
        basis: copy?.hash ?? "",
        reason: "duplicate",
        evidence: [quote],
      } as const;
      return bench.commit([change], { producer: "upkeep", kind: "dream" });
    };
    expect((await remove()).verdicts).toMatchObject([{ accepted: false, reason: "removed-before" }]);

    writeFileSync(`${bench.memoryDir}/b_copy.md`, `${topic("b-copy", "Dashboards hang in the corridor.")}\n`);

    expect((await remove()).verdicts).toMatchObject([{ accepted: true }]);
  });

  it("leaves an index that was changed since as it is when undone, and says so", async () => {
    const bench = createBench(createTempFolder());
    const { "b_copy.md": _, ...before } = faultyFolder();
    plant(bench, before);
    await fix(bench);
    const run = lastEntry(bench)?.run ?? "";
    await bench.commit([
      createOf("port_fix.md", "The API moved to port 9090.", { memory: { type: "project" } }),
    ]);
    const index = bench.read("MEMORY.md");

    const ask = { memoryDir: bench.memoryDir, what: { run }, dryRun: false };
    const undone = await bench.writer.undo({ ...ask, force: true });

    expect(undone).toMatchObject({ run: undefined, restored: [], refused: [{ file: "MEMORY.md" }] });
    expect(bench.read("MEMORY.md")).toBe(index);
  });

  it("does not add again a line that the person took out, nor one that an undo took out", async () => {
    const bench = createBench(createTempFolder());
    plant(bench, {
      "a.md": topic("a", "The staging host is called reed."),
      "MEMORY.md": "- [A](a.md) — reed\n",
    });
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    writeFileSync(`${bench.memoryDir}/MEMORY.md`, "# Mine\n");

    await fix(bench);

    expect(bench.read("MEMORY.md")).toBe("# Mine\n");
    const facts = bench.writer.folderFacts(bench.memoryDir);
    expect(facts && lintFolder(facts).map(({ code }) => code)).not.toContain("orphan-file");
  });

  it("is finished at the next start when the process dies between files and index", async () => {
    const folder = createTempFolder();
    const dying = createBench(folder);
    plant(dying, faultyFolder());
    const whole = createBench(createTempFolder());
    plant(whole, faultyFolder());
    await fix(whole);
    let asked = 0;
    const bench = createBench(folder, {
      locks: {
        take: () =>
          Promise.resolve({
            // Asked before each file and before the index: the second time the duplicate is gone already.
            held: () => {
              asked += 1;
              return asked < 2;
            },
            lost: new AbortController().signal,
            release: () => Promise.resolve(),
          }),
      },
    });
    await expect(fix(bench)).rejects.toThrow();
    expect(Object.keys(bench.contents())).not.toContain("b_copy.md");
    expect(bench.read("MEMORY.md")).toBe(faultyFolder()["MEMORY.md"]);

    await createBench(folder).writer.recover();

    expect(createBench(folder).contents()).toEqual(whole.contents());
    const run = lastEntry(bench)?.run ?? "";
    await createBench(folder).writer.undo({
      memoryDir: bench.memoryDir,
      what: { run },
      force: false,
      dryRun: false,
    });
    expect(createBench(folder).contents()).toEqual(faultyFolder());
  });

  it("keeps a folder of more memories than lines as it is once it was tidied", async () => {
    const bench = createBench(createTempFolder());
    const names = Array.from({ length: 230 }, (_, at) => `fact_${at}`);
    plant(
      bench,
      Object.fromEntries(
        names.map((name, at) => [
          `${name}.md`,
          topic(name, `fact number ${at} of ${name}`).replace("type:", "confirmed: 2026-04-01\ntype:"),
        ]),
      ),
    );
    await fix(bench);
    const index = bench.read("MEMORY.md");
    expect(index.split("\n").length - 1).toBe(200);

    await fix(bench);
    await bench.commit([createOf("new.md", "The API moved to port 9090.", { memory: { type: "feedback" } })]);

    const lines = new Set(index.split("\n"));
    expect(
      bench
        .read("MEMORY.md")
        .split("\n")
        .filter((line) => !lines.has(line)),
    ).toHaveLength(1);
  });

  it("leaves no word of a purged memory in the images of the index", async () => {
    const bench = createBench(createTempFolder());
    plant(bench, faultyFolder());
    await fix(bench);
    const steps = await bench.writer.purging();
    const hashes = Object.values(lastEntry(bench)?.index ?? {}).flatMap((hash) => hash ?? []);
    expect(hashes.map((hash) => bench.writer.trail(bench.memoryDir).image(hash) === undefined)).toEqual([
      false,
      false,
    ]);

    const intent = await steps.plan({ memoryDir: bench.memoryDir, project: PROJECT, file: "c.md" });
    rmSync(`${bench.memoryDir}/c.md`);
    await steps.history(intent);

    expect(hashes.map((hash) => bench.writer.trail(bench.memoryDir).image(hash))).toEqual([
      undefined,
      undefined,
    ]);
  });
});
