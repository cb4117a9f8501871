import { utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSettling } from "../../../../src/learn/jobs/settling.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const SETTLE_MS = 30_000;

/** A memory folder with one file just written, and a clock that starts at that moment. */
function setUp(name = "project_hand.md") {
  const folder = createTempFolder();
  const files = createFiles();
  const path = folder.write(name, "by hand");
  const changedAt = files.look(path)?.ctimeMs ?? 0;
  const clock = createManualClock({ startAt: Math.ceil(changedAt) });
  const settling = createSettling({ files, clock, settleMs: () => SETTLE_MS });
  return { folder, path, clock, settling, changedAt };
}

describe("a memory folder", () => {
  it("settles a fixed time after the last change by somebody else", async () => {
    const { folder, clock, settling, changedAt } = setUp();

    expect(settling.until(folder.path)).toBe(changedAt + SETTLE_MS);
    await clock.advance(SETTLE_MS);
    expect(settling.until(folder.path)).toBeUndefined();
  });

  it("is settled after a change of our own", async () => {
    const { folder, clock, settling } = setUp();
    await clock.advance(1);

    settling.wroteOurselves(folder.path);

    expect(settling.until(folder.path)).toBeUndefined();
  });

  it("waits for a change that came with an old modification time as well", async () => {
    const { folder, path, clock, settling } = setUp();

    utimesSync(path, 1_600_000_000, 1_600_000_000);
    // The kernel stamped that with its own clock, a moment after ours was stopped.
    await clock.advance(SETTLE_MS / 2);

    expect(settling.until(folder.path)).toBeDefined();
  });

  it.each([
    ["that is empty of memories", "notes.txt"],
    ["whose only change is our own temporary file", ".engramd-tmp-1"],
  ])("%s waits for nobody", (_, name) => {
    const { folder, settling } = setUp(name);

    expect(settling.until(folder.path)).toBeUndefined();
  });

  it("that does not exist, or was changed under a wrong clock, waits for nobody", () => {
    const { folder, clock, settling, changedAt } = setUp();
    clock.setWall(changedAt - 3_600_000);

    expect(settling.until(folder.path)).toBeUndefined();
    expect(settling.until(folder.at("missing"))).toBeUndefined();
  });
});
