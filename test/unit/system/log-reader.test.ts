// Reading a log that is written and rotated meanwhile: every line once, in order.
import { renameSync, rmSync, truncateSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createLogFile } from "../../../src/system/log-file.ts";
import { readLog } from "../../../src/system/log-reader.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const LOOK_MS = 250;
const line = (number: number) => `{"line":${number},"text":"größer"}\n`;
const numbersOf = (lines: readonly string[]) =>
  lines.map((text) => (JSON.parse(text) as { line: number }).line);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

function createPair(bytesMax = 100_000) {
  const path = createTempFolder().at("engramd.log");
  const clock = createManualClock();
  const log = createLogFile({ path, bytesMax: () => bytesMax });
  const writeUpTo = (state: { next: number }, end: number) => {
    while (state.next < end) log.write(line(state.next++));
  };
  const read = async (lines: number) => {
    const seen: string[] = [];
    const { signal } = new AbortController();
    const found = await readLog(
      { path, clock },
      { lines, follow: false, onLine: (text) => void seen.push(text), signal },
    );
    return { found, seen };
  };
  const follow = (lines: number) => {
    const seen: string[] = [];
    const stop = new AbortController();
    const { signal } = stop;
    const wish = { lines, follow: true, onLine: (text: string) => void seen.push(text), signal };
    const done = readLog({ path, clock }, wish);
    return {
      seen,
      async end() {
        stop.abort();
        return done;
      },
    };
  };
  return { path, clock, log, writeUpTo, read, follow };
}

describe("the last lines of a log", () => {
  it("reach back over as many files as are needed", async () => {
    const { writeUpTo, read } = createPair(5_000);
    writeUpTo({ next: 0 }, 300);

    for (const count of [0, 1, 20, 100]) {
      const { found, seen } = await read(count);
      expect(found).toBe(true);
      expect(numbersOf(seen)).toEqual(range(300 - count, 300));
    }
    const { seen } = await read(10_000);
    expect(numbersOf(seen)).toEqual(range(300 - seen.length, 300));
    expect(seen.length).toBeGreaterThan(100);
  });

  it("are longer than one read back", async () => {
    const { log, read } = createPair(10_000_000);
    for (const letter of "abc") log.write(`${letter.repeat(100_000)}\n`);

    const { seen } = await read(2);

    expect(seen.map((text) => `${text[0]} ${text.length}`)).toEqual(["b 100000", "c 100000"]);
  });

  it("are found when a crash left no file with the plain name", async () => {
    const { path, writeUpTo, read } = createPair();
    writeUpTo({ next: 0 }, 5);
    renameSync(path, `${path}.1`);

    expect(numbersOf((await read(3)).seen)).toEqual([2, 3, 4]);
  });

  it("are none where there is no log", async () => {
    expect(await createPair().read(10)).toEqual({ found: false, seen: [] });
  });
});

describe("following a log", () => {
  it("shows each line once, in order, over many rotations between two looks", async () => {
    const { clock, writeUpTo, follow } = createPair(5_000);
    const state = { next: 0 };
    writeUpTo(state, 10);
    const following = follow(3);
    // Up to three rotations between two looks.
    for (const end of [11, 12, 40, 41, 100, 180, 181, 240]) {
      writeUpTo(state, end);
      await clock.advance(LOOK_MS);
    }

    await following.end();

    expect(numbersOf(following.seen)).toEqual(range(7, 240));
  });

  it("waits for the rest of half a line", async () => {
    const { clock, log, follow } = createPair();
    log.write("first\n");
    const following = follow(0);
    log.write("half");
    await clock.advance(LOOK_MS);
    expect(following.seen).toEqual([]);

    log.write(" a line\n");
    await clock.advance(LOOK_MS);

    await following.end();
    expect(following.seen).toEqual(["half a line"]);
  });

  it("goes on when the file was removed, and when it was emptied", async () => {
    const { path, clock, log, follow } = createPair();
    log.write("one\n");
    const following = follow(1);
    rmSync(path);
    await clock.advance(LOOK_MS);
    log.write("two, long enough\n");
    await clock.advance(LOOK_MS);
    truncateSync(path);
    await clock.advance(LOOK_MS);
    log.write("three\n");
    await clock.advance(LOOK_MS);

    expect(await following.end()).toBe(true);

    expect(following.seen).toEqual(["one", "two, long enough", "three"]);
    expect(clock.pendingTimers()).toBe(0);
  });
});
