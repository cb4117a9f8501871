// `engramd pause` and `resume` as a person types them; what they stop is in test/daemon/pause.test.ts.
import { describe, expect, it } from "vitest";
import { pauseEnd, pauseLines } from "../../../src/cli/render/pause.ts";
import { syncLines } from "../../../src/cli/render/sync.ts";
import { clockTime } from "../../../src/cli/render/time.ts";
import { statusLines } from "../../../src/cli/render/status.ts";
import type { PauseReply } from "../../../src/domain/service.ts";
import { runCommand } from "../../helpers/daemon-process.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";
import { createFakeService, sampleStatus } from "../serve/fake-service.ts";

const NOW = new Date(2026, 4, 4, 9).getTime();
const PAGE = { width: 40, now: NOW };
const since = new Date(NOW).toISOString();
const until = new Date(NOW + 2 * 3_600_000 - 500).toISOString();

const textOf = (lines: readonly (readonly { readonly text: string }[])[]) =>
  lines.map((line) => line.map(({ text }) => text).join(""));

describe("pause --for", () => {
  it.each(["30", "30s", "0m", "1.5h", "-2h", "31d", "43201m", "2 h", "2H", "", "m", "9".repeat(400)])(
    "%j is wrong usage and names what is allowed",
    async (value) => {
      const result = await runCommand({ home: createScratchHome(), args: ["pause", `--for=${value}`] });

      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toContain("from 1m to 30d");
    },
  );

  it.each([
    ["1m", 60_000],
    ["30m", 1_800_000],
    ["2h", 7_200_000],
    ["30d", 2_592_000_000],
  ])("%s lasts %i ms", async (value, ms) => {
    const { stdout } = await runCommand({
      home: createScratchHome(),
      args: ["pause", "--for", value, "--json"],
    });

    const reply = JSON.parse(stdout);
    expect(Date.parse(reply.until) - Date.parse(reply.since)).toBe(ms);
  });
});

describe("what a person reads", () => {
  const reply: PauseReply = { v: 1, outcome: "paused", since, until, running: true };

  it("names the end, what happens meanwhile, and fits the page", () => {
    const lines = textOf(pauseLines(reply, PAGE));

    expect(lines[0]).toBe("engramd is paused until 10:59 (in 2 h)");
    expect(lines.join(" ")).toContain("read when the pause is over");
    expect(Math.max(...lines.map((text) => text.length))).toBeLessThanOrEqual(40);
  });

  it("says when nothing runs that could observe", () => {
    const wide = { ...PAGE, width: 200 };

    expect(textOf(pauseLines({ ...reply, running: false }, wide))[0]).toContain("will start paused");
    expect(textOf(pauseLines({ ...reply, outcome: "resumed", running: false }, wide))[0]).toContain(
      "not running",
    );
    expect(textOf(pauseLines({ ...reply, outcome: "not-paused" }, wide))).toEqual([
      "there was no pause: engramd observes",
    ]);
  });

  it("gives the date of an end on another day, and the command where there is no end", () => {
    expect(clockTime(new Date(2026, 4, 6, 7, 5).toISOString(), NOW)).toBe("2026-05-06 07:05");
    expect(pauseEnd({ until: null }, PAGE)).toBe('until "engramd resume"');
  });

  it("has a pause in the status while it lasts", () => {
    const paused = { since, until };
    const shown = (now: number) =>
      textOf(statusLines(sampleStatus({ state: "stopped", paused }), { width: 80, now })).join("\n");

    expect(shown(NOW)).toContain("\n  paused until 10:59 (in 2 h)\n");
    expect(shown(Date.parse(until))).not.toContain("paused");
  });

  it("has one sentence for a pass during a pause", async () => {
    const report = await createFakeService().sync({});

    expect(textOf(syncLines({ ...report, paused: { since, until: null } }, { ...PAGE, width: 80 }))).toEqual([
      'engramd is paused until "engramd resume": nothing was read',
    ]);
  });
});
