import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder, type TempFolder } from "../../../helpers/temp-folder.ts";
import type { HISTORY_LIMITS } from "../../../../src/domain/limits.ts";
import { newRunId } from "../../../../src/system/ids.ts";
import { type Bench, createBench, createOf, draft, PROJECT, said } from "./bench.ts";

const DAY_MS = 86_400_000;

function openBench(): { bench: Bench; folder: TempFolder } {
  const folder = createTempFolder();
  folder.folder("memory");
  return { folder, bench: createBench(folder, { clock: createManualClock() }) };
}

/** Commits under a run of now; answers its id. */
async function commit(bench: Bench, ...changes: Parameters<Bench["commit"]>[0]): Promise<string> {
  const run = newRunId(bench.clock.now());
  const { written, verdicts } = await bench.commit(changes, { run });
  expect(verdicts.filter(({ accepted }) => !accepted)).toEqual([]);
  expect(written).toHaveLength(changes.length);
  await bench.clock.advance(1_000);
  return run;
}

async function prune(
  bench: Bench,
  limits: Partial<Record<keyof typeof HISTORY_LIMITS, number>> = {},
): Promise<number> {
  const steps = await bench.writer.purging();
  return steps.prune({ historyDays: 365, limits: { orphanMs: -DAY_MS, ...limits } });
}

function update(bench: Bench, file: string, text: string) {
  const evidence = [said(`record ${text}`, text, { at: bench.clock.now() })];
  return { op: "update", file, basis: bench.hash(file), memory: draft("rule", text), evidence } as const;
}

function runs(bench: Bench): string[] {
  return bench.writer
    .trail(bench.memoryDir)
    .entries()
    .map(({ run }) => run);
}

function images({ stateDir }: Bench): string[] {
  return readdirSync(stateDir, { recursive: true })
    .map(String)
    .filter((path) => /blobs\/[0-9a-f]{64}$/u.test(path));
}

/** Every image an entry names is there. */
function expectWhole(bench: Bench): void {
  const trail = bench.writer.trail(bench.memoryDir);
  for (const { ops } of trail.entries()) {
    for (const hash of ops.flatMap(({ before, after }) => [before, after])) {
      if (hash !== null) expect(trail.image(hash)).toBeDefined();
    }
  }
}

const A = "feedback_a.md";
const B = "feedback_b.md";

describe("the history of a folder", () => {
  it("loses what is older than its days with its images, but not the newest change of a memory that is there", async () => {
    const { bench } = openBench();
    const old = [
      await commit(bench, createOf(A, "Always run the linter before every commit.")),
      await commit(bench, update(bench, A, "Always run the linter and the tests before a commit.")),
    ];
    const newestOfA = await commit(
      bench,
      update(bench, A, "Always run linter, tests and build before a commit."),
    );
    const gone = await commit(bench, createOf(B, "Never push on Fridays to the main branch."));
    rmSync(`${bench.memoryDir}/${B}`);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    await bench.clock.advance(366 * DAY_MS);
    const fresh = await commit(bench, createOf("feedback_c.md", "Please answer in short sentences only."));

    expect(await prune(bench)).toBe(4);

    expect(runs(bench)).toEqual([newestOfA, fresh]);
    expectWhole(bench);
    expect(images(bench)).toHaveLength(3);
    for (const run of [...old, gone]) {
      const undone = await bench.writer.undo({
        memoryDir: bench.memoryDir,
        what: { run },
        force: false,
        dryRun: false,
      });
      expect(undone.restored).toEqual([]);
    }
    const back = await bench.writer.undo({
      memoryDir: bench.memoryDir,
      what: { run: newestOfA },
      force: false,
      dryRun: false,
    });
    expect(back.restored).toEqual([{ file: A, what: "changed-back" }]);
    expect(bench.read(A)).toContain("linter and the tests");
    // What was undone is now older than the newest change: its undo.
    expect([await prune(bench), await prune(bench)]).toEqual([1, 0]);
  });

  it("never takes a memory a person wrote for one of ours, however old", async () => {
    const { bench } = openBench();
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    writeFileSync(
      `${bench.memoryDir}/${A}`,
      "---\nname: a\ndescription: mine\ntype: feedback\n---\nMy own rule about vim.\n",
    );
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    await bench.clock.advance(10_000);
    const evidence = [said("r-1", "My own rule about vim.", { at: bench.clock.now() })];
    await commit(bench, { op: "confirm", file: A, basis: bench.hash(A), evidence });
    await commit(bench, {
      op: "confirm",
      file: A,
      basis: bench.hash(A),
      evidence: [said("r-2", "My own rule about vim.", { at: bench.clock.now() })],
    });
    await bench.clock.advance(400 * DAY_MS);

    expect(await prune(bench)).toBe(1);

    const producers = bench.writer
      .trail(bench.memoryDir)
      .entries()
      .map(({ producer }) => producer);
    expect(producers.toSorted()).toEqual(["hand", "offline"]);
    expectWhole(bench);
  });

  it("keeps within its size: the oldest goes first, so much as is needed", async () => {
    const { bench } = openBench();
    await commit(bench, createOf(A, "Always use number 0 of the rules of the handbook."));
    for (let at = 1; at <= 20; at += 1) {
      await commit(bench, update(bench, A, `Always use number ${at} of the rules of the handbook.`));
    }
    const before = runs(bench);

    const removed = await prune(bench, { folderBytesMax: 20_000 });

    expect(removed).toBeGreaterThan(3);
    expect(runs(bench)).toEqual(before.slice(removed));
    expectWhole(bench);
    expect(await prune(bench, { folderBytesMax: 20_000 })).toBe(0);
    expect(await prune(bench, { folderBytesMax: 1 })).toBe(before.length - removed - 1);
    expect(images(bench)).toHaveLength(2);
    const atOnce = await prune(bench, { allBytesMax: 1 });
    expect(atOnce).toBe(0);
  });

  it("takes no more in one go than it may, and goes on with the next", async () => {
    const { bench } = openBench();
    await commit(bench, createOf(A, "Always use number 0 of the rules of the handbook."));
    for (let at = 1; at <= 9; at += 1) {
      await commit(bench, update(bench, A, `Always use number ${at} of the rules of the handbook.`));
    }
    await bench.clock.advance(400 * DAY_MS);

    expect([await prune(bench, { removedMax: 4 }), await prune(bench, { removedMax: 4 })]).toEqual([4, 4]);
    expect([await prune(bench, { removedMax: 4 }), await prune(bench)]).toEqual([1, 0]);
    expect(runs(bench)).toHaveLength(1);
  });

  it("keeps an undo as long as the run it undid", async () => {
    const { bench } = openBench();
    const run = await commit(
      bench,
      createOf(A, "Always run the linter before every commit."),
      createOf(B, "Never push on Fridays to the main branch."),
    );
    rmSync(`${bench.memoryDir}/${B}`);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    await bench.clock.advance(1_000);
    writeFileSync(
      `${bench.memoryDir}/${A}`,
      "---\nname: a\ndescription: mine\ntype: feedback\n---\nMy own rule about vim.\n",
    );
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    await bench.clock.advance(1_000);
    await bench.writer.undo({ memoryDir: bench.memoryDir, what: { run }, force: true, dryRun: false });
    await commit(
      bench,
      createOf(A, "Please answer in short sentences only.", { recordId: "r-later", at: bench.clock.now() }),
    );
    await bench.clock.advance(400 * DAY_MS);

    await prune(bench);

    expectWhole(bench);
    expect(runs(bench)).toHaveLength(1);
  });

  it("knows the text of a memory whose removal nobody has noticed yet", async () => {
    const { bench } = openBench();
    const text = "Always run the linter before every commit.";
    await commit(bench, createOf(A, text));
    await bench.clock.advance(400 * DAY_MS);
    rmSync(`${bench.memoryDir}/${A}`);

    expect(await prune(bench)).toBe(0);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(bench.writer.trail(bench.memoryDir).removed.textHashes.size).toBe(1);
  });

  it("of a folder that is not there stays", async () => {
    const { bench } = openBench();
    await commit(bench, createOf(A, "Always run the linter before every commit."));
    await bench.clock.advance(400 * DAY_MS);
    rmSync(bench.memoryDir, { recursive: true });

    expect(await prune(bench)).toBe(0);
    expect(runs(bench)).toHaveLength(1);
  });
});

describe("a file with a secret", () => {
  it("written by hand and changed by a run leaves no image; an undo says what it cannot do", async () => {
    const { bench, folder } = openBench();
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    const secret = ["ghp", "k3JhQ9vLmZ2xTr8WbNc5YdPs7FgA1uEo4iKq"].join("_");
    writeFileSync(
      `${bench.memoryDir}/${A}`,
      `---\nname: a\ndescription: token\ntype: reference\n---\nThe token of the robot is ${secret} for now.\n`,
    );
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    await bench.clock.advance(1_000);
    const run = await commit(bench, update(bench, A, "The robot of the shop logs in by itself."));

    const held = readdirSync(folder.at("state"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").includes(secret));
    expect(held).toEqual([]);
    const undone = await bench.writer.undo({
      memoryDir: bench.memoryDir,
      what: { run },
      force: false,
      dryRun: false,
    });
    expect(undone.restored).toEqual([]);
    expect(undone.refused).toEqual([{ file: A, forcible: false, why: expect.stringContaining("secret") }]);
    expect(bench.read(A)).toContain("logs in by itself");
  });
});
