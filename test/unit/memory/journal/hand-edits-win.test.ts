// Fault 50: whatever a person does to a file while a change of it is on its way, at whichever moment, theirs stays.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import type { FileOps } from "../../../../src/system/files.ts";
import type { FileLocks } from "../../../../src/system/file-lock.ts";
import { createTempFolder, type TempFolder } from "../../../helpers/temp-folder.ts";
import { inMemory } from "../../../crash/world.ts";
import { type Bench, createBench, createOf, draft, said } from "./bench.ts";

const LINTER = "Run the linter before every commit.";
const RELEASE = "Deploy from the release branch, never from main.";
const FILE = "feedback_linter.md";
const TWIN = "feedback_release.md";
const MINE = "the person's own words\n";

/** What the person does to a file, and what must be there afterwards. */
const HANDS: Readonly<Record<string, { act(path: string): void; left: Record<string, string | undefined> }>> =
  {
    "edits it in place": { act: (path) => fs.writeFileSync(path, MINE), left: { [FILE]: MINE } },
    "saves it as an editor does": {
      act(path) {
        fs.writeFileSync(`${path}.swp`, MINE);
        fs.renameSync(`${path}.swp`, path);
      },
      left: { [FILE]: MINE },
    },
    "adds one line": {
      act: (path) => fs.appendFileSync(path, "one line\n"),
      left: { [FILE]: "+one line\n" },
    },
    "removes it": { act: (path) => fs.rmSync(path, { force: true }), left: { [FILE]: undefined } },
    "gives it another name": {
      act: (path) => fs.existsSync(path) && fs.renameSync(path, path.replace("linter", "renamed")),
      left: { [FILE]: undefined, "feedback_renamed.md": "" },
    },
    "makes it a link": {
      act(path) {
        fs.rmSync(path, { force: true });
        fs.symlinkSync("elsewhere.txt", path);
      },
      left: { [FILE]: "-> elsewhere.txt" },
    },
    "makes it a folder": {
      act(path) {
        fs.rmSync(path, { force: true, recursive: true });
        fs.mkdirSync(path);
      },
      left: { [FILE]: "folder" },
    },
  };

/** Changes of the file, by what a run does. */
const OPERATIONS: Readonly<Record<string, (bench: Bench) => readonly MemoryChange[]>> = {
  update: (bench) => [
    {
      op: "update",
      file: FILE,
      basis: bench.hash(FILE),
      memory: draft("feedback-linter", "Run the linter before every push."),
      evidence: [said("r9", "Run the linter before every push.")],
    },
  ],
  confirm: (bench) => [
    { op: "confirm", file: FILE, basis: bench.hash(FILE), evidence: [said("r9", LINTER)] },
  ],
  delete: (bench) => [deletion(bench, "stale")],
  merge: (bench) => [
    deletion(bench, "duplicate"),
    {
      op: "update",
      file: TWIN,
      basis: bench.hash(TWIN),
      memory: draft("feedback-release", `${RELEASE} ${LINTER}`),
      evidence: [said("r10", `${RELEASE} ${LINTER}`)],
    },
  ],
};

function deletion(bench: Bench, reason: "stale" | "duplicate"): MemoryChange {
  const evidence = [said(FILE, LINTER, { by: "memory" })];
  return { op: "delete", file: FILE, basis: bench.hash(FILE), reason, evidence };
}

/** `no-evidence`: the run quoted the file, and its words do not stand there any more. */
const REASONS = /^(?:changed-since-read|no-evidence)$/u;

/** When the person acts. The locks are asked right before a file is written; the rename is the write itself. */
const MOMENTS = ["between reading and judging", "between judging and writing"] as const;

async function made(folder: TempFolder): Promise<Bench> {
  const bench = createBench(folder);
  await bench.commit([createOf(FILE, LINTER), createOf(TWIN, RELEASE)]);
  folder.write("elsewhere.txt", "outside");
  return bench;
}

function locksThat(act: () => void): FileLocks {
  let isDone = false;
  const held = () => {
    if (!isDone) act();
    isDone = true;
    return true;
  };
  const { signal } = new AbortController();
  return { take: () => Promise.resolve({ held, lost: signal, release: () => Promise.resolve() }) };
}

/** What is at a name: its text, where it leads, or what it is. */
function at(path: string): string | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return `-> ${fs.readlinkSync(path)}`;
  return stat.isFile() ? fs.readFileSync(path, "utf8") : "folder";
}

const CASES = Object.keys(OPERATIONS).flatMap((operation) =>
  Object.keys(HANDS).flatMap((hand) => MOMENTS.map((moment) => [operation, hand, moment] as const)),
);

describe("a person who is faster than a run (fault 50)", () => {
  it.each(CASES)("and %s: whoever %s %s keeps it so", async (operation, hand, moment) => {
    const folder = inMemory(createTempFolder);
    const first = await made(folder);
    const changes = OPERATIONS[operation]?.(first) ?? [];
    const before = first.read(FILE);
    const act = () => HANDS[hand]?.act(join(first.memoryDir, FILE));
    const isEarly = moment === MOMENTS[0];
    if (isEarly) act();
    const bench = createBench(folder, isEarly ? {} : { locks: locksThat(act) });

    const result = await bench.commit(changes);

    for (const [file, left] of Object.entries(HANDS[hand]?.left ?? {})) {
      const wanted =
        left?.startsWith("+") === true ? `${before}${left.slice(1)}` : left === "" ? before : left;
      expect(at(join(bench.memoryDir, file)), file).toBe(wanted);
    }
    // Both took the file away in the same moment: nothing to tell.
    const isAgreed = !isEarly && /^(?:delete|merge)$/u.test(operation) && /^(?:removes|gives)/u.test(hand);
    if (isAgreed) return;
    expect(result.written.map(({ file }) => file)).not.toContain(FILE);
    const verdict = result.verdicts.find(({ change }) => change.file === FILE);
    expect(verdict).toMatchObject({ accepted: false, reason: expect.stringMatching(REASONS) });
  });

  it.each(Object.keys(OPERATIONS))("but only touched it, and %s is done all the same", async (operation) => {
    const folder = inMemory(createTempFolder);
    const first = await made(folder);
    const changes = OPERATIONS[operation]?.(first) ?? [];
    const path = join(first.memoryDir, FILE);
    const touch = () => fs.utimesSync(path, new Date(), new Date());
    touch();

    const result = await createBench(folder, { locks: locksThat(touch) }).commit(changes);

    expect(result.verdicts.map(({ accepted }) => accepted)).toEqual(changes.map(() => true));
    expect(result.written).toHaveLength(changes.length);
  });
});

/** Acts inside the call that replaces or removes the file: after every look at it. */
function opsThatActAt(call: "renameSync" | "unlinkSync", act: (path: string) => void): FileOps {
  return {
    ...fs,
    [call]: (...paths: [string, string]) => {
      const target = paths.at(-1) ?? "";
      if (!target.includes(".engramd-tmp-") && /\/(?:fd\/\d+|memory)\//u.test(target)) act(target);
      return call === "renameSync" ? fs.renameSync(...paths) : fs.unlinkSync(paths[0]);
    },
  };
}

describe("a text written into a file in the very moment it is replaced", () => {
  it.each(["update", "confirm"])("by an %s comes back", async (operation) => {
    const folder = inMemory(createTempFolder);
    const changes = OPERATIONS[operation]?.(await made(folder)) ?? [];
    let isFirst = true;
    const ops = opsThatActAt("renameSync", (path) => {
      if (isFirst && path.endsWith(FILE)) fs.writeFileSync(path, MINE);
      if (path.endsWith(FILE)) isFirst = false;
    });

    const result = await createBench(folder, { ops }).commit(changes);

    expect(at(join(folder.at("memory"), FILE))).toBe(MINE);
    expect(result.written).toEqual([]);
    expect(result.verdicts).toMatchObject([{ accepted: false, reason: "changed-since-read" }]);
  });

  it("by a removal comes back", async () => {
    const folder = inMemory(createTempFolder);
    const changes = OPERATIONS["delete"]?.(await made(folder)) ?? [];
    const ops = opsThatActAt("unlinkSync", (path) => path.endsWith(FILE) && fs.writeFileSync(path, MINE));

    const result = await createBench(folder, { ops }).commit(changes);

    expect(at(join(folder.at("memory"), FILE))).toBe(MINE);
    expect(result.verdicts).toMatchObject([{ accepted: false, reason: "changed-since-read" }]);
  });

  it("comes back in the index, which is planned anew around it", async () => {
    const folder = inMemory(createTempFolder);
    await made(folder);
    const line = "A remark of the person between the lines.";
    let isFirst = true;
    const ops = opsThatActAt("renameSync", (path) => {
      if (isFirst && path.endsWith("MEMORY.md")) fs.appendFileSync(path, `\n${line}\n`);
      if (path.endsWith("MEMORY.md")) isFirst = false;
    });
    const bench = createBench(folder, { ops });

    const result = await bench.commit([createOf("feedback_tests.md", "Write the test before the code.")]);

    expect(result.written).toHaveLength(1);
    expect(bench.read("MEMORY.md")).toContain(line);
    expect(bench.read("MEMORY.md")).toContain("(feedback_tests.md)");
    expect(bench.read("MEMORY.md")).toContain(`(${FILE})`);
  });
});

describe("the index edited by hand while a run is under way", () => {
  it("keeps the person's lines, order and removals", async () => {
    const folder = inMemory(createTempFolder);
    const first = await made(folder);
    const path = join(first.memoryDir, "MEMORY.md");
    const text = `# My memory\n\n${fs.readFileSync(path, "utf8").trimEnd().split("\n").toReversed().join("\n")}\n\nBye.\n`;
    const bench = createBench(folder, { locks: locksThat(() => fs.writeFileSync(path, text)) });

    await bench.commit([createOf("feedback_tests.md", "Write the test before the code.")]);

    const index = bench.read("MEMORY.md");
    for (const line of text.trimEnd().split("\n")) expect(index).toContain(line);
    expect(index.indexOf(FILE)).not.toBe(-1);
    expect(index).toContain("(feedback_tests.md)");
  });

  it("is brought within its caps when it had grown far beyond them", async () => {
    const folder = inMemory(createTempFolder);
    const bench = await made(folder);
    const path = join(bench.memoryDir, "MEMORY.md");
    const lines = Array.from(
      { length: 1_500 },
      (_, n) => `- [gone ${n}](gone_${n}.md) — ${"x".repeat(60)}\n`,
    );
    fs.appendFileSync(path, lines.join(""));

    await bench.commit([createOf("feedback_tests.md", "Write the test before the code.")]);

    expect(fs.statSync(path).size).toBeLessThan(25_000);
    expect(bench.read("MEMORY.md")).toContain("(feedback_tests.md)");
  });
});
