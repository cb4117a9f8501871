// The log in files of our own: bounded, private, whole lines whatever happens.
import * as fs from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogFileOps } from "../../../src/system/log-file.ts";
import { createLogFile, logParts } from "../../../src/system/log-file.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const BYTES_MAX = 500;

function filesOf(path: string): string[] {
  return logParts(path).filter((part) => fs.existsSync(part));
}

/** Oldest line first. */
function linesOf(path: string): string[] {
  return filesOf(path)
    .toReversed()
    .flatMap((part) => fs.readFileSync(part, "utf8").split("\n"))
    .filter((line) => line !== "");
}

function bytesOf(path: string): number {
  return filesOf(path).reduce((sum, part) => sum + fs.statSync(part).size, 0);
}

const line = (number: number) => `{"line":${number}}\n`;
const numbers = (lines: readonly string[]) =>
  lines.map((text) => (JSON.parse(text) as { line: number }).line);

describe("a log file", () => {
  it("keeps the newest whole lines in order, within its bound, for its owner alone", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 200, max: 2_000 }),
        (count, bytesMax) => {
          const folder = fs.mkdtempSync(createBase());
          const path = `${folder}/engramd.log`;
          const log = createLogFile({ path, bytesMax: () => bytesMax });
          for (let number = 0; number < count; number++) {
            log.write(line(number));
            expect(bytesOf(path)).toBeLessThanOrEqual(bytesMax);
          }

          const kept = numbers(linesOf(path));
          expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => count - kept.length + at));
          // A rotation drops a fifth, and a line may be what does not fit any more.
          const bytes = kept.length * line(count).length;
          if (kept.length < count) expect(bytes).toBeGreaterThan(bytesMax * 0.6 - 5 * line(count).length);
          for (const part of filesOf(path)) expect(fs.statSync(part).mode & 0o777).toBe(0o600);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("takes the permissions of others away from a file that had them", () => {
    const path = createTempFolder().write("engramd.log", "{}\n");
    fs.chmodSync(path, 0o644);

    createLogFile({ path, bytesMax: () => BYTES_MAX }).write(line(1));

    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  });

  it("begins a new line after half a line of a crash", () => {
    const path = createTempFolder().write("engramd.log", `${line(1)}{"line":2`);

    createLogFile({ path, bytesMax: () => BYTES_MAX }).write(line(3));

    expect(fs.readFileSync(path, "utf8")).toBe(`${line(1)}{"line":2\n${line(3)}`);
  });

  it("drops what a larger bound has left", () => {
    const path = createTempFolder().at("engramd.log");
    let bytesMax = 5_000;
    const log = createLogFile({ path, bytesMax: () => bytesMax });
    for (let number = 0; number < 1_000; number++) log.write(line(number));
    // The newest file alone is over the new bound.
    for (let number = 0; number < 100 && fs.statSync(path).size < 800; number++) log.write(line(number));
    expect(bytesOf(path)).toBeGreaterThan(4_000);

    bytesMax = 500;
    log.write(line(1_000));

    expect(bytesOf(path)).toBeLessThanOrEqual(500);
    expect(numbers(linesOf(path)).at(-1)).toBe(1_000);
  });

  it("goes on in a new file when somebody removed or renamed it", () => {
    const path = createTempFolder().at("engramd.log");
    const log = createLogFile({ path, bytesMax: () => BYTES_MAX });
    log.write(line(1));
    fs.rmSync(path);
    log.write(line(2));
    fs.renameSync(path, `${path}.saved`);
    log.write(line(3));

    expect(fs.readFileSync(path, "utf8")).toBe(line(3));
  });

  it("tells how many lines a full disk took, and never throws", () => {
    const path = createTempFolder().at("engramd.log");
    let isFull = false;
    const full = () => {
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    };
    const ops: LogFileOps = {
      ...fs,
      writeSync: ((...args: Parameters<typeof fs.writeSync>) =>
        isFull ? full() : fs.writeSync(...args)) as typeof fs.writeSync,
    };
    const log = createLogFile({ path, bytesMax: () => 5_000, ops });
    log.write(line(1));
    isFull = true;
    for (let number = 2; number < 9; number++) log.write(line(number));
    isFull = false;

    log.write(line(9));

    const [first, lost, last] = linesOf(path).map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(first).toEqual({ line: 1 });
    expect(lost).toMatchObject({ level: "warn", msg: "log lines were lost", lines: 7 });
    expect(last).toEqual({ line: 9 });
  });

  it("says why the newest line could not be written, until one can", () => {
    const folder = createTempFolder();
    const log = createLogFile({ path: folder.at("e.log"), bytesMax: () => BYTES_MAX });
    fs.symlinkSync(folder.write("theirs", ""), folder.at("e.log"));
    log.write(line(1));
    const before = log.trouble();
    fs.unlinkSync(folder.at("e.log"));
    log.write(line(2));

    expect(before).toContain("ELOOP");
    expect(log.trouble()).toBeUndefined();
  });

  it("puts up with a link, a folder, a device or nothing in its place", () => {
    const folder = createTempFolder();
    const target = folder.write("precious.txt", "mine\n");
    fs.symlinkSync(target, folder.at("link.log"));
    folder.folder("folder.log");
    for (const path of [
      folder.at("link.log"),
      folder.at("folder.log"),
      "/dev/full",
      folder.at("no/such.log"),
    ])
      createLogFile({ path, bytesMax: () => BYTES_MAX }).write(line(1));

    expect(fs.readFileSync(target, "utf8")).toBe("mine\n");
  });
});

describe("a rotation that dies at any of its steps", () => {
  it("leaves the newest lines whole and within the bound, and the next one goes on", () => {
    for (let step = 1; ; step++) {
      const path = createTempFolder().at("engramd.log");
      const log = createLogFile({ path, bytesMax: () => BYTES_MAX });
      let number = 0;
      while (number < 99 && (filesOf(path).length < 5 || bytesOf(path) < BYTES_MAX - 2 * line(99).length))
        log.write(line(number++));
      expect(number).toBeLessThan(99);
      let steps = 0;
      const dying =
        <A extends unknown[]>(act: (...args: A) => void) =>
        (...args: A) => {
          steps += 1;
          if (steps >= step) throw new Error("killed");
          act(...args);
        };
      const ops: LogFileOps = { ...fs, renameSync: dying(fs.renameSync), unlinkSync: dying(fs.unlinkSync) };
      const doomed = createLogFile({ path, bytesMax: () => BYTES_MAX, ops });
      for (let at = 0; at < 4; at++) doomed.write(line(number + at));

      const after = createLogFile({ path, bytesMax: () => BYTES_MAX });
      for (let at = 100; at < 140; at++) {
        after.write(line(at));
        expect(bytesOf(path)).toBeLessThanOrEqual(BYTES_MAX);
      }
      const kept = numbers(linesOf(path));
      expect(kept).toEqual(kept.toSorted((a, b) => a - b));
      expect(kept.at(-1)).toBe(139);
      // As many renames as there are older files, each time.
      expect(step).toBeLessThan(30);
      if (steps < step) return;
    }
  });
});

/** Below a folder that goes with the test. */
function createBase(): string {
  return `${createTempFolder().path}/`;
}
