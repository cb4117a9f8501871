import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { indexNames, isTracked } from "../../../../src/intake/projects/git-index.ts";
import { createProbe } from "../../../../src/intake/projects/probe.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createGit } from "./git.ts";

const PATH = ".claude/settings.local.json";
const files = createFiles();
const deps = { files, probe: createProbe(files) };

describe("isTracked", () => {
  it.each(["2", "3", "4"])("tells tracked from untracked in an index of version %s", (version) => {
    const scratch = createTempFolder();
    const git = createGit(scratch);
    const shop = git.repository("shop");
    for (const name of [".claude/settings.json", PATH, "a/b.txt"]) scratch.write(`shop/${name}`, "{}");
    git.run(shop, "config", "index.version", version);
    const gitFolder = join(shop, ".git");

    git.run(shop, "add", "a/b.txt", ".claude/settings.json");
    const before = isTracked(deps, { gitFolder, path: PATH });
    git.run(shop, "add", "--intent-to-add", PATH);
    git.run(shop, "update-index", "--index-version", version);

    expect(before).toBe(false);
    expect(isTracked(deps, { gitFolder, path: PATH })).toBe(true);
  });

  it("says no without an index and yes for one that cannot tell", () => {
    const scratch = createTempFolder();
    const gitFolder = scratch.folder(".git");

    expect(isTracked(deps, { gitFolder, path: PATH })).toBe(false);

    writeFileSync(join(gitFolder, "index"), "not an index");
    expect(isTracked(deps, { gitFolder, path: PATH })).toBe(true);
  });

  it("says yes for a split index", () => {
    const scratch = createTempFolder();
    const git = createGit(scratch);
    const shop = git.repository("shop");
    scratch.write(`shop/${PATH}`, "{}");
    git.run(shop, "add", PATH);
    git.run(shop, "update-index", "--split-index");

    expect(isTracked(deps, { gitFolder: join(shop, ".git"), path: PATH })).toBe(true);
  });
});

describe("indexNames", () => {
  it("ends at once for counts that the bytes do not hold", () => {
    const liar = Buffer.alloc(80);
    liar.write("DIRC");
    liar.writeUInt32BE(4, 4);
    liar.writeUInt32BE(0xffffffff, 8);

    expect(indexNames(liar, PATH)).toBe(true);
  });
});
