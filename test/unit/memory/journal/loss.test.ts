// A folder that many small runs take apart: the history of the last day counts, the person's own hand does not.
import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { inMemory } from "../../../crash/world.ts";
import { type Bench, createBench, createOf, draft, PROJECT, said } from "./bench.ts";

const HOUR_MS = 3_600_000;
const NAMES = ["amber", "birch", "coral", "delta", "ember", "fjord", "grove", "heron"];
const file = (name: string) => `project_${name}.md`;
const textOf = (name: string) =>
  `The ${name} service writes its ${name} reports every night and the ${name} team reads them in the morning`;

/** Eight memories made two days ago. */
async function folder(): Promise<Bench> {
  const bench = createBench(inMemory(createTempFolder));
  await commit(
    bench,
    NAMES.map((name) => createOf(file(name), textOf(name), { memory: { type: "project" } })),
  );
  await bench.clock.advance(48 * HOUR_MS);
  return bench;
}

/** Runs are named by the clock, as real ones are. */
function commit(bench: Bench, changes: readonly MemoryChange[], extra: object = {}) {
  const stamp = new Date(bench.clock.now()).toISOString().replaceAll(/[-:.Z]/gu, "");
  return bench.commit(changes, { run: `${stamp}-00000000`, ...extra });
}

function removal(bench: Bench, name: string, reason: "stale" | "superseded" = "stale"): MemoryChange {
  const evidence = [said(file(name), `The ${name} service writes`, { by: "memory" })];
  return { op: "delete", file: file(name), basis: bench.hash(file(name)), reason, evidence };
}

/** Ids of the removing runs, oldest first. */
function runsOf(bench: Bench): string[] {
  const [folderId = ""] = readdirSync(`${bench.stateDir}/journal`);
  return readdirSync(`${bench.stateDir}/journal/${folderId}`)
    .flatMap((name) => (name.endsWith("-00000000.json") ? [name.slice(0, -".json".length)] : []))
    .toSorted();
}

/** One run each, an hour apart; answers what each was refused for. */
async function removeEach(bench: Bench, names: readonly string[], everyMs = HOUR_MS): Promise<string[]> {
  const answers: string[] = [];
  for (const name of names) {
    await bench.clock.advance(everyMs);
    const { verdicts } = await commit(bench, [removal(bench, name)], { producer: "model" });
    answers.push(...verdicts.map((verdict) => (verdict.accepted ? "accepted" : verdict.reason)));
  }
  return answers;
}

describe("runs that each remove one memory", () => {
  it("stop at half of the folder within a day, and may go on the next day", async () => {
    const bench = await folder();

    const first = await removeEach(bench, NAMES.slice(0, 6));
    await bench.clock.advance(25 * HOUR_MS);
    const next = await removeEach(bench, NAMES.slice(4, 6));

    expect(first).toEqual(["accepted", "accepted", "accepted", "accepted", "loss", "loss"]);
    expect(next).toEqual(["accepted", "accepted"]);
  });

  it("are not held back when they are a day apart", async () => {
    const bench = await folder();

    expect(await removeEach(bench, NAMES, 25 * HOUR_MS)).toEqual(NAMES.map(() => "accepted"));
  });

  it("do not count what a person removed", async () => {
    const bench = await folder();
    for (const name of NAMES.slice(0, 3)) unlinkSync(`${bench.memoryDir}/${file(name)}`);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    await commit(bench, [removal(bench, "delta")], { producer: "person" });

    expect(await removeEach(bench, ["ember", "fjord"])).toEqual(["accepted", "accepted"]);
  });
});

describe("a removal that was undone", () => {
  it("does not count any more", async () => {
    const bench = await folder();
    const answers: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      answers.push(...(await removeEach(bench, [NAMES[round] ?? ""])));
      const [last = ""] = runsOf(bench).slice(-1);
      await bench.clock.advance(HOUR_MS);
      const { memoryDir } = bench;
      await bench.writer.undo({ memoryDir, what: { run: last }, force: false, dryRun: false });
    }

    expect(answers).toEqual(Array(6).fill("accepted"));
    expect(Object.keys(bench.contents())).toHaveLength(NAMES.length + 1);
  });
});

describe("runs that each shorten some memories", () => {
  const shortened = (bench: Bench, name: string): MemoryChange => {
    const text = bench.read(file(name)).trimEnd().split("\n").at(-1) ?? "";
    const words = text.split(" ");
    const kept = words.slice(0, Math.ceil(words.length * 0.6)).join(" ");
    const evidence = [said(file(name), kept, { by: "memory" })];
    const memory = draft(`project-${name}`, kept, { type: "project" });
    return { op: "update", file: file(name), basis: bench.hash(file(name)), memory, evidence };
  };

  it("are stopped when most of the text would be gone, although each file is only edited", async () => {
    const bench = await folder();
    const answers: boolean[] = [];
    for (let run = 0; run < 24; run += 1) {
      await bench.clock.advance(HOUR_MS / 2);
      const [one = "", two = ""] = [NAMES[(2 * run) % 8], NAMES[(2 * run + 1) % 8]];
      const { verdicts } = await commit(bench, [shortened(bench, one), shortened(bench, two)]);
      answers.push(verdicts.every(({ accepted }) => accepted));
    }

    const left = NAMES.map((name) => bench.read(file(name)).trimEnd().split("\n").at(-1)?.length ?? 0);
    const before = NAMES.map((name) => textOf(name).length);
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
    expect(answers.slice(0, 4)).toEqual([true, true, true, true]);
    expect(answers.at(-1)).toBe(false);
    // Two files of eight may go in a day, and half of the rest; without a bound a twentieth would be left.
    expect(sum(left)).toBeGreaterThan(0.25 * sum(before));
  });

  it("begin anew with a file the person edited", async () => {
    const bench = await folder();
    await removeEach(bench, NAMES.slice(0, 4));
    const head = bench.read(file("heron")).split("\n").slice(0, -2).join("\n");
    writeFileSync(`${bench.memoryDir}/${file("heron")}`, `${head}\nmine\n`);
    await bench.writer.upkeep(bench.memoryDir, PROJECT);

    expect(await removeEach(bench, ["grove"])).toEqual(["loss"]);
    expect(bench.read(file("heron"))).toContain("mine");
  });
});

describe("an index line whose file does not exist", () => {
  it("goes with the next commit and is no loss", async () => {
    const bench = await folder();
    const index = bench.read("MEMORY.md");
    const stale = Array.from({ length: 8 }, (_, at) => `- [gone ${at}](project_gone${at}.md) — was here\n`);
    writeFileSync(`${bench.memoryDir}/MEMORY.md`, index + stale.join(""));

    const { verdicts } = await commit(bench, [removal(bench, "amber")], { producer: "model" });

    expect(verdicts).toMatchObject([{ accepted: true }]);
    expect(bench.read("MEMORY.md")).not.toContain("gone");
    expect(bench.read("MEMORY.md").trimEnd().split("\n")).toHaveLength(NAMES.length - 1);
  });
});
