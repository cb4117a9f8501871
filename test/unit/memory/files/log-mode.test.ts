import { describe, expect, it } from "vitest";
import { logMode, logModeAt } from "../../../../src/memory/files/log-mode.ts";
import { lineHash, type OwnBullet } from "../../../../src/memory/files/own-bullets.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { UTC } from "../../../helpers/time-zone.ts";

const NOW = Date.now();
const dayBefore = (days: number) => new Date(NOW - days * 86_400_000).toISOString().slice(0, 10);
const pathOf = (date: string) => `logs/${date.slice(0, 4)}/${date.slice(5, 7)}/${date}.md`;
const MINE = "- 2026-05-04T09:00+00:00 mine";

function seen(logs: Readonly<Record<string, string>>, { assistant = false } = {}) {
  const folder = createTempFolder();
  for (const [path, text] of Object.entries(logs)) folder.write(path, text);
  const own = (): ReadonlyMap<string, OwnBullet> =>
    new Map(
      [dayBefore(0), dayBefore(1)].map((date) => {
        const line = lineHash(date, MINE);
        return [line, { line, by: "user", agent: "claude-code", records: [] }];
      }),
    );
  return logModeAt(createFiles(), { memoryDir: folder.path, now: NOW, timeZone: UTC, assistant, own });
}

describe("an agent keeps a log of its own", () => {
  it.each([
    ["a log of today", { [pathOf(dayBefore(0))]: "- 09:00 a note\n" }],
    ["a log of yesterday", { [pathOf(dayBefore(1))]: "> hello\n" }],
    ["a log of a session of today", { [`logs/${dayBefore(0).replaceAll("-", "/")}/abc-t.md`]: "< hello\n" }],
    ["its line beside ours", { [pathOf(dayBefore(0))]: `${MINE}\n- 09:00 a note\n` }],
  ])("where there is %s", (_, logs) => {
    expect(seen(logs)).toMatch(/^an agent writes logs\//u);
  });

  it("where its settings say so", () => {
    expect(seen({}, { assistant: true })).toBe("setting assistant");
  });

  it.each([
    ["no log", {}],
    ["only lines of ours", { [pathOf(dayBefore(0))]: `${MINE}\n\n${MINE}\n` }],
    ["an old log", { [pathOf(dayBefore(3))]: "- a note\n" }],
    ["another file", { "logs/notes.md": "- a note\n", "logs/2026/README.md": "x\n" }],
  ])("but not where there is %s", (_, logs) => {
    expect(seen(logs)).toBeUndefined();
  });

  it("nor where nobody has written for days", () => {
    const log = { path: "logs/x", mtimeMs: NOW - 3 * 86_400_000, isForeign: () => true };

    expect(logMode({ now: NOW, assistant: false, logs: [log] })).toBeUndefined();
  });
});
