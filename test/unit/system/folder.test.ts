import { execFileSync } from "node:child_process";
import { linkSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemCode } from "../../../src/domain/errors.ts";
import { createFiles } from "../../../src/system/files.ts";
import type { Files } from "../../../src/system/files.ts";
import { openFolder } from "../../../src/system/folder.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

function open(path: string, files: Files = createFiles()) {
  const folder = openFolder(files, path);
  if (folder === undefined) throw new Error(`no folder at ${path}`);
  onTestFinished(() => folder.close());
  return folder;
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return systemCode(error);
  }
  return undefined;
}

describe("an open folder", () => {
  it("reads, replaces, lists and removes files by name", () => {
    const temp = createTempFolder();
    const folder = open(temp.path);

    folder.replace("note.md", "content");

    expect(folder.names()).toEqual(["note.md"]);
    expect(folder.read("note.md", 100)?.content.toString()).toBe("content");
    expect(folder.look("note.md")?.bytes).toBe(7);
    folder.remove("note.md");
    folder.remove("note.md");
    expect(folder.names()).toEqual([]);
    expect(folder.read("note.md", 100)).toBeUndefined();
  });

  it("creates a whole file with its time where nothing is, and replaces nothing, not even a link", () => {
    const temp = createTempFolder();
    const folder = open(temp.folder("memory"));
    symlinkSync("nowhere", temp.at("memory/link"));

    expect(folder.create("lock", Buffer.from("17"), { mtimeMs: 1_777_000_000_123 })).toBe(true);
    expect(folder.create("lock", Buffer.from("18"), { mtimeMs: 0 })).toBe(false);
    expect(folder.create("link", Buffer.from("18"), { mtimeMs: 0 })).toBe(false);

    expect(readFileSync(temp.at("memory/lock"), "utf8")).toBe("17");
    expect(Math.round(folder.look("lock")?.mtimeMs ?? 0)).toBe(1_777_000_000_123);
    expect(folder.names().toSorted()).toEqual(["link", "lock"]);
  });

  it.each(["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b"])("refuses the name %j", (name) => {
    const folder = open(createTempFolder().path);
    const acts = [
      () => folder.read(name, 10),
      () => folder.look(name),
      () => folder.replace(name, "x"),
      () => folder.remove(name),
      () => folder.create(name, Buffer.alloc(0), { mtimeMs: 0 }),
    ];

    expect(acts.map(codeOf)).toEqual(acts.map(() => "bad-name"));
  });

  it("refuses links to files, to folders and to nothing, and makes nothing outside", () => {
    const temp = createTempFolder();
    const outside = temp.folder("outside");
    temp.write("outside/secret.md", "secret");
    temp.folder("memory");
    symlinkSync(temp.at("outside/secret.md"), temp.at("memory/file.md"));
    symlinkSync(outside, temp.at("memory/folder.md"));
    symlinkSync(temp.at("outside/new.md"), temp.at("memory/dangling.md"));
    const folder = open(temp.at("memory"));

    for (const name of ["file.md", "folder.md", "dangling.md"]) {
      expect(codeOf(() => folder.read(name, 100))).toBe("unsafe-file");
      expect(codeOf(() => folder.replace(name, "x"))).toBe("unsafe-file");
      expect(codeOf(() => folder.remove(name))).toBe("unsafe-file");
      expect(folder.look(name)?.kind).toBe("link");
    }
    expect(temp.tree().filter((path) => path.startsWith("outside"))).toEqual([
      "outside/",
      "outside/secret.md",
    ]);
    expect(readFileSync(temp.at("outside/secret.md"), "utf8")).toBe("secret");
  });

  it("does not read a file that has a second hard link, and leaves the other one as it is when replacing", () => {
    const temp = createTempFolder();
    const outside = temp.write("outside.md", "secret");
    temp.folder("memory");
    linkSync(outside, temp.at("memory/note.md"));
    const folder = open(temp.at("memory"));

    expect(codeOf(() => folder.read("note.md", 100))).toBe("unsafe-file");
    folder.replace("note.md", "ours");

    expect(readFileSync(outside, "utf8")).toBe("secret");
    expect(folder.read("note.md", 100)?.content.toString()).toBe("ours");
  });

  it("refuses pipes, sockets and folders in the place of a file, without hanging", () => {
    const temp = createTempFolder();
    execFileSync("mkfifo", [temp.at("pipe.md")]);
    temp.folder("folder.md");
    const folder = open(temp.path);

    for (const name of ["pipe.md", "folder.md"]) {
      expect(codeOf(() => folder.read(name, 100))).toBe("unsafe-file");
      expect(codeOf(() => folder.replace(name, "x"))).toBe("unsafe-file");
    }
  });

  it("keeps to the folder it opened when a link takes the path", () => {
    const temp = createTempFolder();
    temp.write("memory/note.md", "ours");
    temp.write("outside/note.md", "theirs");
    const folder = open(temp.at("memory"));

    renameSync(temp.at("memory"), temp.at("moved"));
    symlinkSync(temp.at("outside"), temp.at("memory"));
    folder.replace("new.md", "x");

    expect(folder.read("note.md", 100)?.content.toString()).toBe("ours");
    expect(temp.tree()).toContain("moved/new.md");
    expect(temp.tree()).not.toContain("outside/new.md");
  });

  it("works, but finds nothing, after the folder was removed", () => {
    const temp = createTempFolder();
    temp.write("memory/note.md", "x");
    const folder = open(temp.at("memory"));

    rmSync(temp.at("memory"), { recursive: true });

    expect(folder.read("note.md", 100)).toBeUndefined();
    expect(codeOf(() => folder.replace("note.md", "x"))).toBe("ENOENT");
    expect(temp.tree()).toEqual([]);
  });
});

describe("opening a folder", () => {
  it("answers undefined when it is not there and refuses a file", () => {
    const temp = createTempFolder();

    expect(openFolder(createFiles(), temp.at("none"))).toBeUndefined();
    expect(codeOf(() => openFolder(createFiles(), temp.write("file", "x")))).toBe("unsafe-file");
  });

  it("takes a real path only: a link on the way may have come since it was resolved", () => {
    const temp = createTempFolder();
    temp.folder("real/memory");
    symlinkSync(temp.at("real"), temp.at("link"));

    expect(codeOf(() => openFolder(createFiles(), temp.at("link")))).toBe("folder-swapped");
    expect(codeOf(() => openFolder(createFiles(), temp.at("link/memory")))).toBe("folder-swapped");
    expect(open(temp.at("real/memory")).path).toBe(temp.at("real/memory"));
  });

  it("notices that a parent became a link after the path was resolved", () => {
    const temp = createTempFolder();
    temp.folder("home/memory");
    temp.folder("outside/memory");
    const files = createFiles();
    let swapped = false;
    const attacked: Files = {
      ...files,
      real(path) {
        const real = files.real(path);
        if (swapped) return real;
        swapped = true;
        renameSync(temp.at("home"), temp.at("moved"));
        symlinkSync(temp.at("outside"), temp.at("home"));
        return real;
      },
    };

    expect(codeOf(() => openFolder(attacked, temp.at("home/memory")))).toBe("folder-swapped");
  });

  it("notices that the folder itself became a link after the path was resolved", () => {
    const temp = createTempFolder();
    temp.folder("memory");
    temp.folder("outside");
    const files = createFiles();
    const attacked: Files = {
      ...files,
      real(path) {
        const real = files.real(path);
        renameSync(temp.at("memory"), temp.at("moved"));
        symlinkSync(temp.at("outside"), temp.at("memory"));
        return real;
      },
    };

    expect(codeOf(() => openFolder(attacked, temp.at("memory")))).toBe("folder-swapped");
  });
});
