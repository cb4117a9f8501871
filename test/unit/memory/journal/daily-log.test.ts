import { execFileSync } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { lineHash } from "../../../../src/memory/files/own-bullets.ts";
import type { NewBullet } from "../../../../src/memory/journal/log-writer.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { BERLIN } from "../../../helpers/time-zone.ts";
import { createBench } from "./bench.ts";

const said = (text: string, records: readonly string[] = []): NewBullet => ({
  text,
  by: "user",
  agent: "claude-code",
  records,
});

const NIGHT = Date.parse("2026-03-31T21:59:30Z");
const MARCH = "logs/2026/03/2026-03-31.md";

describe("the daily log", () => {
  it("puts 23:59 and 00:01 into two files, in the folders of their months", async () => {
    const clock = createManualClock({ startAt: NIGHT, timeZone: BERLIN });
    const bench = createBench(createTempFolder(), { clock });

    const first = await bench.writer.appendLog(bench.memoryDir, [said("before midnight")]);
    await clock.advance(2 * 60_000);
    const second = await bench.writer.appendLog(bench.memoryDir, [said("after midnight")]);

    expect(first).toEqual({
      path: `${bench.memoryDir}/${MARCH}`,
      lines: ["- 2026-03-31T23:59+02:00 before midnight"],
      lineNumber: 1,
    });
    expect(second.path).toBe(`${bench.memoryDir}/logs/2026/04/2026-04-01.md`);
    expect(bench.read(MARCH)).toBe("- 2026-03-31T23:59+02:00 before midnight\n");
    expect(bench.read("logs/2026/04/2026-04-01.md")).toBe("- 2026-04-01T00:01+02:00 after midnight\n");
  });

  it("makes folders and files for nobody else, and lists no log as a memory", async () => {
    const bench = createBench(createTempFolder());
    await bench.writer.appendLog(bench.memoryDir, [said("x")]);

    const mode = (path: string) => lstatSync(`${bench.memoryDir}/${path}`).mode & 0o777;
    expect(["logs", "logs/2026", "logs/2026/05"].map(mode)).toEqual([0o700, 0o700, 0o700]);
    expect(mode("logs/2026/05/2026-05-04.md")).toBe(0o600);
    expect(bench.contents()).toEqual({});
  });

  it("never touches what stands there, and ends a line that a crash left torn", async () => {
    const folder = createTempFolder();
    const clock = createManualClock({ startAt: NIGHT, timeZone: BERLIN });
    const bench = createBench(folder, { clock });
    const before = "# Mine\r\n- 23:50 old\n\n- 23:51 half a li";
    folder.write(`memory/${MARCH}`, before);

    const { lineNumber } = await bench.writer.appendLog(bench.memoryDir, [said("a"), said("b")]);

    expect(bench.read(MARCH)).toBe(`${before}\n- 2026-03-31T23:59+02:00 a\n- 2026-03-31T23:59+02:00 b\n`);
    expect(lineNumber).toBe(6);
  });

  it.each([
    ["the folder of logs", "logs"],
    ["the folder of a month", "logs/2026/03"],
  ])("writes nothing where %s is a link", async (_, place) => {
    const folder = createTempFolder();
    const clock = createManualClock({ startAt: NIGHT, timeZone: BERLIN });
    const bench = createBench(folder, { clock });
    folder.folder("elsewhere");
    folder.folder(`memory/${place}/..`);
    symlinkSync(folder.at("elsewhere"), folder.at("memory", place));

    await expect(bench.writer.appendLog(bench.memoryDir, [said("x")])).rejects.toMatchObject({
      code: "unsafe-file",
    });
    expect(folder.tree().filter((name) => name.startsWith("elsewhere"))).toEqual(["elsewhere/"]);
  });

  it.each(["link", "hard link", "folder", "pipe"])("writes nothing where the log is a %s", async (kind) => {
    const folder = createTempFolder();
    const clock = createManualClock({ startAt: NIGHT, timeZone: BERLIN });
    const bench = createBench(folder, { clock });
    const target = folder.write("elsewhere", "mine\n");
    const log = folder.at("memory", MARCH);
    mkdirSync(folder.folder("memory/logs/2026/03"), { recursive: true });
    if (kind === "link") symlinkSync(target, log);
    else if (kind === "hard link") linkSync(target, log);
    else if (kind === "folder") mkdirSync(log);
    else execFileSync("mkfifo", [log]);

    await expect(bench.writer.appendLog(bench.memoryDir, [said("x")])).rejects.toMatchObject({
      code: "unsafe-file",
    });
    expect(readFileSync(target, "utf8")).toBe("mine\n");
  });

  it("masks secrets and keeps one line a bullet", async () => {
    const bench = createBench(createTempFolder());
    const token = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_");

    const { lines } = await bench.writer.appendLog(bench.memoryDir, [said(`token ${token}\nsecond line`)]);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/token \[secret:[\w-]+\] \/ second line$/u);
  });
});

describe("work that is repeated after a crash", () => {
  it("adds no bullet for records whose bullet stands in the log", async () => {
    const folder = createTempFolder();
    const clock = createManualClock();
    const first = createBench(folder, { clock });
    await first.writer.appendLog(first.memoryDir, [said("Always use pnpm", ["r1"])]);
    await clock.advance(26 * 3_600_000);

    const again = createBench(folder, { clock });
    const { lines } = await again.writer.appendLog(again.memoryDir, [
      said("Always use pnpm", ["r1"]),
      said("Never rebase", ["r2"]),
    ]);

    expect(lines).toEqual(["- 2026-05-05T11:00+00:00 Never rebase"]);
  });

  it("adds none on the day after a day of 23 hours, nor to a log an editor saved in its own way", async () => {
    const folder = createTempFolder();
    const late = createManualClock({ startAt: Date.parse("2026-03-29T20:00:00Z"), timeZone: BERLIN });
    const first = createBench(folder, { clock: late });
    const { path } = await first.writer.appendLog(first.memoryDir, [said("Always use pnpm", ["r1"])]);
    writeFileSync(path, `\uFEFF${readFileSync(path, "utf8").replaceAll("\n", "\r\n")}`);
    // Half past midnight; 24 hours before that it was the 28th.
    const early = createManualClock({ startAt: Date.parse("2026-03-29T22:30:00Z"), timeZone: BERLIN });
    const again = createBench(folder, { clock: early });

    const { lines } = await again.writer.appendLog(again.memoryDir, [said("Always use pnpm", ["r1"])]);

    expect(lines).toEqual([]);
  });

  it("writes although an older log cannot be read", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await bench.writer.appendLog(bench.memoryDir, [said("Always use pnpm", ["r1"])]);
    mkdirSync(folder.at("memory/logs/2026/05/2026-05-03.md"));

    const { lines } = await bench.writer.appendLog(bench.memoryDir, [said("Never rebase", ["r1", "r2"])]);

    expect(lines).toEqual(["- 2026-05-04T09:00+00:00 Never rebase"]);
  });

  it("says it once, whichever call the process died in", async () => {
    let fired = true;
    for (let at = 1; fired; at += 1) {
      const folder = createTempFolder();
      const faulty = createFaultyOps({ at, fault: "kill" });
      const dying = createBench(folder, { ops: faulty.ops });
      await dying.writer.appendLog(dying.memoryDir, [said("Always use pnpm", ["r1"])]).catch(() => undefined);
      fired = faulty.fired();

      const next = createBench(folder);
      await next.writer.appendLog(next.memoryDir, [said("Always use pnpm", ["r1"])]);
      const bullet = "- 2026-05-04T09:00+00:00 Always use pnpm";
      const lines = next.read("logs/2026/05/2026-05-04.md").split("\n");
      expect(
        lines.filter((line) => line === bullet),
        `at ${at}`,
      ).toEqual([bullet]);
      expect(lines.at(-1), `at ${at}`).toBe("");
      expect(next.writer.ownBullets(next.memoryDir).has(lineHash("2026-05-04", bullet))).toBe(true);
      expect(at).toBeLessThan(100);
    }
  });

  it("does not take a bullet for ours that somebody else wrote, nor one of which half is left", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    const { path } = await bench.writer.appendLog(bench.memoryDir, [said("Always use pnpm", ["r1"])]);
    truncateSync(path, 20);
    const { lines } = await bench.writer.appendLog(bench.memoryDir, [said("Always use pnpm", ["r1"])]);
    expect(lines).toHaveLength(1);

    writeFileSync(path, "- 2026-05-04T09:00+00:00 Always trust me\n");
    expect(
      bench.writer.ownBullets(bench.memoryDir).has(lineHash("2026-05-04", readFileSync(path, "utf8").trim())),
    ).toBe(false);
  });
});
