import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFiles, TEMPORARY_PREFIX } from "../../../src/system/files.ts";
import { LEFTOVER_AGE_MS, removeLeftovers } from "../../../src/system/leftovers.ts";
import { markedName } from "../../../src/system/process-mark.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const NOW = Date.UTC(2026, 4, 4);

/** Runs and ends: its id is nobody's for a while. */
function idOfTheDead(): number {
  const { pid } = spawnSync("/bin/sh", ["-c", "exit 0"]);
  return pid;
}

describe("removing leftovers", () => {
  it.skipIf(!existsSync("/proc/self/ns/pid"))(
    "takes a young file of a process that is gone, and none of a living one or of another machine",
    () => {
      const folder = createTempFolder();
      const own = markedName("own.json");
      const [, space = ""] = own.split(".");
      const names = [
        own,
        `${idOfTheDead()}.${space}.0-dead.json`,
        `${idOfTheDead()}.00000000.0-elsewhere.json`,
        `1.${space}.0-first.json`,
        "0-unmarked.json",
      ];
      for (const name of names) folder.write(`${TEMPORARY_PREFIX}${name}`, "x");

      expect(removeLeftovers(createFiles(), { folder: folder.path, now: Date.now() })).toBe(1);

      const left = names.filter((name) => existsSync(folder.at(`${TEMPORARY_PREFIX}${name}`)));
      expect(left).toEqual(names.filter((name) => !name.endsWith("dead.json")));
    },
  );

  it("takes old temporary files at any level and nothing else", () => {
    const folder = createTempFolder();
    const place = (name: string, ageMs: number) => {
      const at = (NOW - ageMs) / 1_000;
      utimesSync(folder.write(name, "x"), at, at);
    };
    place(`${TEMPORARY_PREFIX}1-a.json`, LEFTOVER_AGE_MS);
    place(`journal/id/blobs/${TEMPORARY_PREFIX}2-b`, 2 * LEFTOVER_AGE_MS);
    place(`${TEMPORARY_PREFIX}3-young`, LEFTOVER_AGE_MS - 1_000);
    place("old.json", 2 * LEFTOVER_AGE_MS);
    place(`theirs/${TEMPORARY_PREFIX}4-c`, 2 * LEFTOVER_AGE_MS);
    folder.folder("ours");
    symlinkSync(folder.at("theirs"), folder.at("ours/link"));

    expect(removeLeftovers(createFiles(), { folder: folder.at("ours"), now: NOW })).toBe(0);
    expect(removeLeftovers(createFiles(), { folder: folder.at("journal"), now: NOW })).toBe(1);
    expect(removeLeftovers(createFiles(), { folder: folder.at("none"), now: NOW })).toBe(0);
    expect(removeLeftovers(createFiles(), { folder: folder.path, now: NOW })).toBe(2);
    const files = folder.tree().filter((path) => !path.endsWith("/"));
    expect(files).toEqual([`${TEMPORARY_PREFIX}3-young`, "old.json", "ours/link"]);
  });
});
