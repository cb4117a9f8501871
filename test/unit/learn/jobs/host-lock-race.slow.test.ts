// Real processes race for memory folders: several engramd, and engramd against a host that knows the reference's protocol alone.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleScript } from "../../../helpers/bundle-script.ts";
import { startChild } from "../../../helpers/child-process.ts";
import { createKeptFolder, createTempFolder, removeTree } from "../../../helpers/temp-folder.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

const DAY_S = 86_400;
/** Processes need this long to be up. */
const START_MS = 2_000;
const build = createKeptFolder();
let script = "";

beforeAll(() => {
  script = bundleScript(join(import.meta.dirname, "hold-child.ts"), build.path);
});
afterAll(() => removeTree(build.path));

interface Race {
  readonly modes: readonly string[];
  readonly rounds: number;
  readonly everyMs: number;
  readonly folders: number;
  readonly settleMs: number;
}

async function race(temp: TempFolder, { modes, ...race }: Race): Promise<void> {
  const startAt = Date.now() + START_MS;
  const { rounds, everyMs, folders, settleMs } = race;
  const numbers = [startAt, rounds, everyMs, folders, settleMs].map(String);
  const racers = modes.map((mode) =>
    startChild({ command: process.execPath, args: [script, mode, temp.path, ...numbers] }),
  );
  for (const racer of racers) {
    expect(await racer.exit, racer.stderr()).toEqual({ code: 0, signal: null });
    expect(racer.lines()).toEqual(["done"]);
  }
}

const commitsOf = (folder: string) =>
  existsSync(`${folder}.commits`) ? readFileSync(`${folder}.commits`, "utf8").trim().split("\n") : [];

describe("one memory folder", () => {
  it("of 4 long-lived engramds is committed to by one at a time, 200 rounds (fault 44)", async () => {
    const temp = createTempFolder();
    const folder = temp.folder("memory-0");

    await race(temp, {
      modes: Array(4).fill("engramd"),
      rounds: 200,
      everyMs: 100,
      folders: 1,
      settleMs: 10,
    });

    const commits = commitsOf(folder);
    expect(commits.map((line) => Number(line.split(" ")[0]))).toEqual(commits.map((_, index) => index));
    expect(commits.length).toBeGreaterThan(100);
    expect(new Set(commits.map((line) => line.split(" ")[2])).size).toBeGreaterThan(1);
    // The last one left nothing behind but its time.
    expect(readFileSync(join(folder, ".consolidate-lock"), "utf8")).toBe("");
    expect(readdirSync(temp.at("state/consolidating"))).toEqual([]);
  });

  it("is never committed to by a host and by engramd in one day, 500 times", async () => {
    const temp = createTempFolder();
    const rounds = 500;
    for (let round = 0; round < rounds; round++) {
      const lock = temp.at(`memory-${round}`, ".consolidate-lock");
      mkdirSync(temp.at(`memory-${round}`));
      if (round % 2 === 0) continue;
      writeFileSync(lock, round % 4 === 1 ? "" : "4100002");
      utimesSync(lock, Date.now() / 1_000 - 2 * DAY_S, Date.now() / 1_000 - 2 * DAY_S);
    }

    await race(temp, { modes: ["engramd", "host"], rounds, everyMs: 50, folders: rounds, settleMs: 500 });

    const all = Array.from({ length: rounds }, (_, round) => commitsOf(temp.at(`memory-${round}`)));
    expect(all.filter((commits) => commits.length > 1)).toEqual([]);
    const winners = all.flat().map((line) => line.split(" ")[1]);
    const heldUp = readdirSync(temp.path).filter((name) => name.endsWith(".held-up"));
    expect(winners.length + heldUp.length).toBeGreaterThan(rounds * 0.9);
    // Neither is always too late.
    for (const mode of ["engramd", "host"]) {
      expect(winners.filter((winner) => winner === mode).length, mode).toBeGreaterThan(rounds / 20);
    }
    expect(readdirSync(temp.at("state/consolidating"))).toEqual([]);
  });
});
