import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CRASHES_MAX, createReadGuard } from "../../../../src/intake/transcripts/read-guard.ts";
import type { ReadPlace } from "../../../../src/intake/transcripts/read-guard.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const BAD: ReadPlace = { kind: "slice", path: "/t/bad.jsonl", offset: 0 };

/** A process id that was somebody's and is nobody's. */
const DEAD = spawnSync(process.execPath, ["-e", ""]).pid;

function setUp() {
  const folder = createTempFolder().path;
  const start = () => createReadGuard({ files: createFiles(), folder });
  const note = join(folder, "reading");
  /** A process that dies while it reads these places. */
  const die = (...places: readonly ReadPlace[]) => {
    const guard = start();
    for (const place of places) guard.begin(place);
    writeFileSync(note, readFileSync(note, "utf8").replace(/^\d+/, String(DEAD)));
  };
  return { folder, start, note, die };
}

describe("a read the process dies in", () => {
  it("is set aside after three deaths, told once, and stays so over restarts (fault 72)", () => {
    const { start, die } = setUp();
    const told: (readonly string[])[] = [];
    for (let death = 1; death <= CRASHES_MAX; death += 1) {
      die(BAD);
      told.push(start().settle());
    }

    expect(told).toEqual([[], [], [BAD.path]]);
    expect(start().settle()).toEqual([]);
    expect(start().setAside()).toEqual([BAD.path]);
  });

  it("is another one with every progress: a long file survives any number of kills", () => {
    const { start, die } = setUp();
    for (let death = 0; death < 10; death += 1) {
      die({ ...BAD, offset: death * 1_000 });
      expect(start().settle()).toEqual([]);
    }
  });

  it("is forgiven once it was read to its end, and forgotten with its file", () => {
    const { start, die } = setUp();
    for (let death = 0; death < CRASHES_MAX; death += 1) {
      die(BAD);
      start().settle();
    }
    start().begin(BAD)();
    expect(start().setAside()).toEqual([]);

    die(BAD);
    start().settle();
    start().forget(BAD.path);
    die(BAD);
    expect(start().settle()).toEqual([]);
  });

  it("does not count while its process lives, nor when it ended well", () => {
    const { start } = setUp();
    const living = start();
    const end = living.begin(BAD);
    expect(living.settle()).toEqual([]);
    end();

    expect([start().settle(), start().setAside()]).toEqual([[], []]);
  });

  it("counts when the dead process had the id of this one, as in a container", () => {
    const { start, folder } = setUp();
    start().begin(BAD);

    start().settle();

    expect(readFileSync(join(folder, "crashes.json"), "utf8")).toContain('"crashes":1');
  });

  it("counts once, even when the start that counted it died before it could clear the note", () => {
    const { start, folder, note, die } = setUp();
    die(BAD);
    const left = readFileSync(note);
    for (let again = 0; again < CRASHES_MAX; again += 1) {
      start().settle();
      writeFileSync(note, left);
    }

    expect(readFileSync(join(folder, "crashes.json"), "utf8")).toContain('"crashes":1');
  });

  it("counts for each of several reads at once", () => {
    const { start, die } = setUp();
    for (let death = 0; death < CRASHES_MAX; death += 1) {
      die(BAD, { ...BAD, path: "/t/other.jsonl" });
      start().settle();
    }

    expect(start().setAside()).toEqual([BAD.path, "/t/other.jsonl"]);
  });

  it("is unknown when its note or its file is damaged", () => {
    const { start, folder, note } = setUp();
    for (const text of [
      "",
      "x\n",
      `${DEAD} abc [{"kind"`,
      `${DEAD} abc [{"kind":1}]\n`,
      `${DEAD} abc {}\n`,
    ]) {
      writeFileSync(note, text);
      writeFileSync(join(folder, "crashes.json"), text);
      expect([start().settle(), start().setAside()]).toEqual([[], []]);
    }
  });

  it("goes on without a note where none can be written", () => {
    const { start, note } = setUp();
    mkdirSync(note);

    const end = start().begin(BAD);
    end();

    expect(start().settle()).toEqual([]);
  });
});
