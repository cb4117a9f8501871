import { execFileSync } from "node:child_process";
import { linkSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { MEMORY_LIMITS } from "../../../../src/domain/limits.ts";
import { readFolder } from "../../../../src/memory/files/store.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { type Folder, openFolder } from "../../../../src/system/folder.ts";
import { createTempFolder, type TempFolder } from "../../../helpers/temp-folder.ts";

const TOPIC =
  "---\nname: role\ndescription: what they do\nmetadata:\n  type: user\n---\nBackend developer.\n";

function open(temp: TempFolder): Folder {
  const folder = openFolder(createFiles(), temp.path);
  if (folder === undefined) throw new Error("no folder");
  onTestFinished(() => folder.close());
  return folder;
}

describe("a memory folder", () => {
  it("is read with its memories, its index and their hashes", () => {
    const temp = createTempFolder();
    temp.write("user_role.md", TOPIC);
    temp.write("MEMORY.md", "- [Role](user_role.md)\n");

    const view = readFolder(open(temp));

    expect(view.memories).toHaveLength(1);
    expect(view.memories[0]).toMatchObject({
      file: "user_role.md",
      name: "role",
      type: "user",
      frontmatter: "ok",
    });
    expect(view.memories[0]?.hash).toMatch(/^[0-9a-f]{64}$/u);
    expect(view.index).toMatchObject({ text: "- [Role](user_role.md)\n", problem: undefined });
    expect(view.notMemories).toEqual([]);
  });

  it("is empty and has no index when nothing is there", () => {
    expect(readFolder(open(createTempFolder()))).toMatchObject({
      memories: [],
      index: { text: undefined, hash: undefined, problem: undefined },
    });
  });

  it("tells sync copies, placeholders and editor leftovers from memories, and touches none (B32)", () => {
    const temp = createTempFolder();
    const others = [
      "MEMORY.sync-conflict-20260504-101500-ABCDEFG.md",
      "user_role (ana's conflicted copy 2026-05-04).md",
      "MEMORY 2.md",
      ".user_role.md.icloud",
      "user_role.md~",
      ".#user_role.md",
      "4913",
      "user_role.md.tmp8f",
    ];
    for (const name of [...others, "other.md", "chapter 2.md"]) temp.write(name, TOPIC);
    const before = readdirSync(temp.path).map((name) => statSync(temp.at(name)).mtimeMs);

    const view = readFolder(open(temp));

    expect(view.memories.map((memory) => memory.file)).toEqual(["chapter 2.md", "other.md"]);
    expect(view.conflictCopies).toHaveLength(3);
    expect(view.unavailable).toEqual(["user_role.md"]);
    expect(view.notMemories.map((item) => item.file).toSorted()).toEqual(
      [".#user_role.md", "4913", "user_role.md.tmp8f", "user_role.md~"].toSorted(),
    );
    expect(readdirSync(temp.path).map((name) => statSync(temp.at(name)).mtimeMs)).toEqual(before);
  });

  it("knows an available file although its placeholder still lies there", () => {
    const temp = createTempFolder();
    temp.write(".user_role.md.icloud", "");
    temp.write("user_role.md", TOPIC);

    expect(readFolder(open(temp))).toMatchObject({ unavailable: [], memories: [{ file: "user_role.md" }] });
  });

  it("reads no link, hard link, pipe, folder, oversize or binary file, and says why", () => {
    const temp = createTempFolder();
    const outside = createTempFolder();
    const secret = outside.write("secret.md", TOPIC);
    symlinkSync(secret, temp.at("leak.md"));
    linkSync(outside.write("hard.md", TOPIC), temp.at("hard.md"));
    execFileSync("mkfifo", [temp.at("pipe.md")]);
    temp.folder("folder.md");
    temp.write("large.md", "x".repeat(MEMORY_LIMITS.topicBytesMax + 1));
    temp.write("latin1.md", Buffer.from([0x66, 0xfc, 0x72]));
    temp.write("zero.md", "a\0b");
    temp.write("good.md", TOPIC);

    const view = readFolder(open(temp));

    expect(view.memories.map((memory) => memory.file)).toEqual(["good.md"]);
    expect(Object.fromEntries(view.notMemories.map(({ file, why }) => [file, why]))).toEqual({
      "leak.md": "is a link",
      "hard.md": expect.stringContaining("hard link"),
      "pipe.md": "is a pipe or a device",
      "folder.md": "is a folder",
      "large.md": expect.stringContaining("more than"),
      "latin1.md": "is not UTF-8 text",
      "zero.md": "is not UTF-8 text",
    });
  });

  it("says why an index must not be touched", () => {
    const temp = createTempFolder();
    symlinkSync(createTempFolder().write("elsewhere.md", "- [a](a.md)"), temp.at("MEMORY.md"));

    expect(readFolder(open(temp)).index).toEqual({ text: undefined, hash: undefined, problem: "is a link" });
  });

  it("ignores logs, team, hidden files, locks and other types", () => {
    const temp = createTempFolder();
    for (const name of [
      "logs/2026/05/04.md",
      "team/a.md",
      ".consolidate-lock",
      ".DS_Store",
      "notes.txt",
      ".hidden.md",
    ]) {
      temp.write(name, TOPIC);
    }

    expect(readFolder(open(temp))).toMatchObject({ memories: [], notMemories: [], conflictCopies: [] });
  });

  it("has one index: other spellings are no memories either (fault 82)", () => {
    const temp = createTempFolder();
    temp.write("memory.md", TOPIC);
    temp.write("größe.md", TOPIC);

    const view = readFolder(open(temp));

    expect(view.notMemories).toEqual([{ file: "memory.md", why: "another spelling of MEMORY.md" }]);
    expect(view.memories.map((memory) => memory.file)).toEqual(["größe.md"]);
  });

  it("keeps malformed files among the memories, marked", () => {
    const temp = createTempFolder();
    temp.write("g.md", "---\nname: z\nno closing fence\n");

    expect(readFolder(open(temp)).memories).toMatchObject([{ file: "g.md", frontmatter: "malformed" }]);
  });
});
