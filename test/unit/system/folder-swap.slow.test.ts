// Another process exchanges files and folders with links as fast as it can while we read and write.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { systemCode } from "../../../src/domain/errors.ts";
import { createFiles } from "../../../src/system/files.ts";
import { openFolder } from "../../../src/system/folder.ts";
import { startChild } from "../../helpers/child-process.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const TRIES = 10_000;
/** A busy machine may not let the attacker run for a while; until it was met the tries go on. */
const TRIES_MAX = 50 * TRIES;
const EXPECTED = new Set([
  undefined,
  "unsafe-file",
  "folder-swapped",
  "ENOENT",
  "ENOTDIR",
  "EEXIST",
  "EISDIR",
]);

/** Swaps `name` between what it is and a link to `outside` until it is killed; prints once when it runs. */
function startSwapper(options: { folder: string; name: string; outside: string }) {
  const script = `
    const fs = require("node:fs");
    const [folder, name, outside] = process.argv.slice(1);
    const own = folder + "/" + name, kept = folder + "/kept-aside", link = folder + "/link-aside";
    fs.symlinkSync(outside, link);
    console.log("running");
    for (;;) {
      try { fs.renameSync(own, kept); fs.renameSync(link, own); } catch {}
      try { fs.renameSync(own, link); fs.renameSync(kept, own); } catch {}
      // Our victim may have replaced the link by a file of its own: an attacker makes a new one.
      try {
        const aside = fs.lstatSync(link, { throwIfNoEntry: false });
        if (aside?.isSymbolicLink() !== true) { fs.rmSync(link, { force: true }); fs.symlinkSync(outside, link); }
      } catch {}
    }`;
  return startChild({
    command: process.execPath,
    args: ["-e", script, options.folder, options.name, options.outside],
  });
}

function attempt(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}

describe("under a swapping attacker", () => {
  it(`no file outside is read or written in ${TRIES} tries when a file name turns into a link`, async () => {
    const temp = createTempFolder();
    const outside = temp.write("outside/secret.md", "secret");
    temp.write("memory/note.md", "ours");
    const swapper = startSwapper({ folder: temp.at("memory"), name: "note.md", outside });
    await swapper.waitForLine((line) => line === "running");
    const folder = openFolder(createFiles(), temp.at("memory"));
    if (folder === undefined) throw new Error("no memory folder");

    const seen = new Map<string, number>();
    const codes = new Set<string | undefined>();
    for (let i = 0; i < TRIES || (!codes.has("unsafe-file") && i < TRIES_MAX); i++) {
      codes.add(
        attempt(() => {
          const text = folder.read("note.md", 100)?.content.toString() ?? "absent";
          seen.set(text, (seen.get(text) ?? 0) + 1);
        }),
      );
      if (i % 10 === 0) codes.add(attempt(() => folder.replace("note.md", "ours")));
    }
    folder.close();

    expect([...seen.keys()]).not.toContain("secret");
    expect(seen.get("ours")).toBeGreaterThan(0);
    expect(codes).toContain("unsafe-file");
    expect([...codes].filter((code) => !EXPECTED.has(code))).toEqual([]);
    expect(readFileSync(outside, "utf8")).toBe("secret");
    expect(readdirSync(temp.at("outside"))).toEqual(["secret.md"]);
  });

  it(`nothing lands outside in ${TRIES} tries when the memory folder turns into a link`, async () => {
    const temp = createTempFolder();
    mkdirSync(temp.at("home/memory"), { recursive: true });
    writeFileSync(temp.at("home/memory/note.md"), "ours");
    temp.write("outside/note.md", "secret");
    const real = statSync(temp.at("home/memory")).ino;
    const swapper = startSwapper({ folder: temp.at("home"), name: "memory", outside: temp.at("outside") });
    await swapper.waitForLine((line) => line === "running");

    const codes = new Set<string | undefined>();
    let opened = 0;
    for (let i = 0; i < TRIES || (!codes.has("folder-swapped") && i < TRIES_MAX); i++) {
      codes.add(
        attempt(() => {
          const folder = openFolder(createFiles(), temp.at("home/memory"));
          if (folder === undefined) return;
          opened++;
          try {
            expect(folder.path).toBe(temp.at("home/memory"));
            expect(folder.fileId.endsWith(`:${real}`)).toBe(true);
            expect(folder.read("note.md", 100)?.content.toString()).not.toBe("secret");
            if (i % 10 === 0) folder.replace("new.md", "x");
          } finally {
            folder.close();
          }
        }),
      );
    }

    expect(opened).toBeGreaterThan(0);
    expect(codes).toContain("folder-swapped");
    expect([...codes].filter((code) => !EXPECTED.has(code))).toEqual([]);
    expect(readdirSync(temp.at("outside"))).toEqual(["note.md"]);
  });
});
