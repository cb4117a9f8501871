// Locks between real processes: kills, blocked loops, clocks that differ, and races for an abandoned lock.
import { mkdirSync, readFileSync, existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClock } from "../../../src/system/clock.ts";
import { createFileLocks } from "../../../src/system/file-lock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { bundleScript } from "../../helpers/bundle-script.ts";
import { startChild } from "../../helpers/child-process.ts";
import { createKeptFolder, createTempFolder, removeTree } from "../../helpers/temp-folder.ts";

/** Half of it is what a living owner may be held up by a busy machine. */
const STALE_MS = 4_000;
const ROUNDS = 200;
const ROUND_EVERY_MS = 60;
const build = createKeptFolder();
let script = "";

beforeAll(() => {
  script = bundleScript(join(import.meta.dirname, "lock-child.ts"), build.path);
});
afterAll(() => removeTree(build.path));

const run = (...args: string[]) => startChild({ command: process.execPath, args: [script, ...args] });
const locksIn = (folder: string) =>
  createFileLocks({ files: createFiles(), clock: createClock(), folder, staleMs: STALE_MS });

describe("a lock between processes", () => {
  it("of a killed owner is free at once", async () => {
    const folder = createTempFolder().path;
    const owner = run("hold", folder);
    await owner.waitForLine((line) => line === "taken");
    owner.signal("SIGKILL");
    await owner.exit;

    const lock = await locksIn(folder).take("dream", { waitMs: 0 });

    expect(lock?.held()).toBe(true);
    await lock?.release();
  });

  it("of an owner that exits is free at once", async () => {
    const folder = createTempFolder().path;
    const owner = run("exit", folder);
    expect(await owner.exit).toEqual({ code: 0, signal: null });

    const lock = await locksIn(folder).take("dream", { waitMs: 0 });

    expect(lock?.held()).toBe(true);
    await lock?.release();
  });

  it("stays with a living owner for longer than the stale time", async () => {
    const folder = createTempFolder().path;
    const owner = run("hold", folder);
    await owner.waitForLine((line) => line === "taken");

    expect(await locksIn(folder).take("dream", { waitMs: 1.5 * STALE_MS })).toBeUndefined();
  });

  it("is not committed under by an owner that was blocked while another took over, and both live", async () => {
    const folder = createTempFolder().path;
    const blocked = run("block", folder);
    await blocked.waitForLine((line) => line === "taken");

    const thief = await locksIn(folder).take("dream", { waitMs: 10 * STALE_MS });
    expect(thief?.held()).toBe(true);
    writeFileSync(join(folder, "taken-over"), "");

    await blocked.waitForLine((line) => line === "aborts");
    expect(await blocked.exit).toEqual({ code: 0, signal: null });
    expect(thief?.held()).toBe(true);
    await thief?.release();
  });

  it("aborts its owner, which lives on, when its folder is removed", async () => {
    const folder = createTempFolder().path;
    const owner = run("hold", folder);
    await owner.waitForLine((line) => line === "taken");

    removeTree(join(folder, "dream.lock"));

    await owner.waitForLine((line) => line === "lost");
    expect(await owner.exit).toEqual({ code: 0, signal: null });
  });

  it("taken by a process whose clock is an hour ahead is lost to the earlier owner", async () => {
    const folder = createTempFolder().path;
    const lock = await locksIn(folder).take("dream", { waitMs: 0 });

    const ahead = run("hold", folder, "--ahead=3600000");
    await ahead.waitForLine((line) => line === "taken");

    expect(lock?.held()).toBe(false);
    await lock?.release();
  });

  it(`is committed under at most once when 4 processes race an abandoned one, ${ROUNDS} times`, async () => {
    const temp = createTempFolder();
    for (let round = 0; round < ROUNDS; round++) {
      const lock = temp.at(String(round), "dream.lock");
      mkdirSync(lock, { recursive: true });
      utimesSync(lock, 1, 1);
    }
    const startAt = String(Date.now() + 1_500);

    const racers = [1, 2, 3, 4].map(() =>
      run("race", temp.path, startAt, String(ROUNDS), String(ROUND_EVERY_MS)),
    );
    for (const racer of racers) expect(await racer.exit, racer.stderr()).toEqual({ code: 0, signal: null });

    let commits = 0;
    const doubles: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const log = temp.at(String(round), "commits");
      const bases = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
      commits += bases.length;
      const numbers = bases.map((line) => line.split(" ")[0]);
      if (new Set(numbers).size < numbers.length) doubles.push(`round ${round}: ${bases.join(", ")}`);
    }
    expect(doubles).toEqual([]);
    expect(commits).toBeGreaterThan(ROUNDS / 2);
  });
});
