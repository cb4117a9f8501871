import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UserText } from "../../../../src/domain/records.ts";
import { openSeen } from "../../../../src/intake/transcripts/lineage.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const files = createFiles();

function typed(recordId: string, text: string, at: number | undefined = 1000): UserText {
  return {
    kind: "user-text",
    recordId,
    text,
    at,
    sessionId: "s1",
    agent: "claude-code",
    cwd: "/home/ana/shop",
    origin: "user",
    endOffset: 0,
  };
}

describe("lineage", () => {
  it("knows a message by its id whatever session or time it is told under", () => {
    const seen = openSeen({ files, stateDir: createTempFolder().path, projectId: "p" });
    seen.add(typed("u1", "prefer composition"));

    expect(seen.has({ ...typed("u1", "prefer composition", 2000), sessionId: "s2" })).toBe(true);
    expect(seen.has(typed("u2", "something else"))).toBe(false);
  });

  it("knows a copy with a fresh id by its time and words", () => {
    const seen = openSeen({ files, stateDir: createTempFolder().path, projectId: "p" });
    seen.add(typed("u1", "no default exports", 5000));

    expect(seen.has(typed("fresh", "no default exports", 5000))).toBe(true);
    expect(seen.has(typed("fresh", "no default exports", 6000))).toBe(false);
  });

  it("does not take two messages without a time for one because their words are equal", () => {
    const seen = openSeen({ files, stateDir: createTempFolder().path, projectId: "p" });
    seen.add({ ...typed("u1", "yes"), at: undefined });

    expect(seen.has({ ...typed("u2", "yes"), at: undefined })).toBe(false);
  });

  it("remembers over a restart, also behind a torn line", () => {
    const stateDir = createTempFolder().path;
    const first = openSeen({ files, stateDir, projectId: "p" });
    first.add(typed("u1", "one"));
    first.save();
    appendFileSync(join(stateDir, "cursors", "seen", "p.jsonl"), '["abc');

    const second = openSeen({ files, stateDir, projectId: "p" });
    second.add(typed("u2", "two", 2000));
    second.save();

    const third = openSeen({ files, stateDir, projectId: "p" });
    expect(third.has(typed("u1", "one"))).toBe(true);
    expect(third.has(typed("u2", "two", 2000))).toBe(true);
  });

  it("takes back what was not saved, so that failed work is done again", () => {
    const seen = openSeen({ files, stateDir: createTempFolder().path, projectId: "p" });
    seen.add(typed("u1", "saved"));
    seen.save();
    seen.add(typed("u2", "lost", 2000));

    seen.rollback();

    expect(seen.has(typed("u1", "saved"))).toBe(true);
    expect(seen.has(typed("u2", "lost", 2000))).toBe(false);
  });

  it("tells what a model has seen from what only rules have read, over a restart", () => {
    const stateDir = createTempFolder().path;
    const first = openSeen({ files, stateDir, projectId: "p" });
    first.add(typed("u1", "one"));
    first.add(typed("u2", "two", 2000), "model");
    first.save();

    const seen = openSeen({ files, stateDir, projectId: "p" });

    expect([seen.has(typed("u1", "one")), seen.has(typed("u1", "one"), "model")]).toEqual([true, false]);
    expect(seen.has(typed("u2", "two", 2000))).toBe(true);
    expect(seen.has(typed("copy", "two", 2000), "model")).toBe(true);
    seen.add(typed("u1", "one"), "model");
    expect(seen.has(typed("u1", "one"), "model")).toBe(true);
  });

  it("keeps projects apart", () => {
    const stateDir = createTempFolder().path;
    const shop = openSeen({ files, stateDir, projectId: "shop" });
    shop.add(typed("u1", "one"));
    shop.save();

    expect(openSeen({ files, stateDir, projectId: "tax" }).has(typed("u1", "one"))).toBe(false);
  });
});
