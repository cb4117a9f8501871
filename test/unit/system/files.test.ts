import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { systemCode } from "../../../src/domain/errors.ts";
import { createFiles, TEMPORARY_PREFIX } from "../../../src/system/files.ts";
import { createFaultyOps, forEveryFault } from "../../helpers/faulty-ops.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const FAULTS = ["ENOSPC", "EIO", "EACCES", "EMFILE"];
const modeOf = (path: string) => lstatSync(path).mode & 0o777;

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return systemCode(error);
  }
  return undefined;
}

describe("replacing a file", () => {
  it.each(FAULTS)("leaves old or new content when any one call fails with %s", async (fault) => {
    const folder = createTempFolder();

    const tried = await forEveryFault({
      fault,
      attempt({ ops, fired }) {
        const path = folder.write("note.md", "old");
        const code = codeOf(() => createFiles(ops).replace(path, "new content"));

        const after = readFileSync(path, "utf8");
        expect(["old", "new content"]).toContain(after);
        expect(code).toBe(fired() ? fault : undefined);
        if (!fired()) expect(after).toBe("new content");
      },
    });

    expect(tried).toBeGreaterThanOrEqual(7);
  });

  it("leaves no temporary file behind when any one call fails", async () => {
    const folder = createTempFolder();

    await forEveryFault({
      fault: "EIO",
      attempt({ ops, log }) {
        const path = folder.write("note.md", "old");
        codeOf(() => createFiles(ops).replace(path, "new"));

        const left = readdirSync(folder.path).filter((name) => name.startsWith(TEMPORARY_PREFIX));
        expect(left, log().join(" ")).toEqual([]);
      },
    });
  });

  it("leaves old or new content, and at most one temporary file, when killed at any call", async () => {
    const tried = await forEveryFault({
      fault: "kill",
      attempt({ ops }) {
        const folder = createTempFolder();
        const path = folder.write("note.md", "old");
        codeOf(() => createFiles(ops).replace(path, "new content"));

        expect(["old", "new content"]).toContain(readFileSync(path, "utf8"));
        const others = folder.tree().filter((name) => name !== "note.md");
        expect(others.length).toBeLessThanOrEqual(1);
        expect(others.every((name) => name.startsWith(TEMPORARY_PREFIX))).toBe(true);
      },
    });

    expect(tried).toBeGreaterThanOrEqual(7);
  });

  it("does not count content as saved when the flush fails", () => {
    const path = createTempFolder().write("note.md", "old");
    const { ops } = createFaultyOps({ at: 1, fault: "EIO", only: ["fsyncSync"] });

    expect(codeOf(() => createFiles(ops).replace(path, "new"))).toBe("EIO");
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it("flushes the file before the rename and the folder after it", () => {
    const path = createTempFolder().at("note.md");
    const { ops, log } = createFaultyOps();

    createFiles(ops).replace(path, "new");

    expect(log().filter((name) => name === "fsyncSync" || name === "renameSync")).toEqual([
      "fsyncSync",
      "renameSync",
      "fsyncSync",
    ]);
  });

  it("goes on after a short write until every byte is there", () => {
    const path = createTempFolder().at("note.md");
    const { ops } = createFaultyOps();
    const slow = {
      ...ops,
      writeSync: ((fd: number, bytes: Buffer, offset: number, length: number) =>
        ops.writeSync(fd, bytes, offset, Math.min(length, 3))) as typeof ops.writeSync,
    };

    createFiles(slow).replace(path, "more than three bytes, naïve");

    expect(readFileSync(path, "utf8")).toBe("more than three bytes, naïve");
  });

  it("gives the file its modification time before it appears", () => {
    const path = createTempFolder().at("note.md");
    const mtimeMs = Date.UTC(2026, 0, 2, 3);

    createFiles().replace(path, "x", { mtimeMs });

    expect(lstatSync(path).mtimeMs).toBe(mtimeMs);
  });

  it("is given up when the caller no longer wants it right before the rename", () => {
    const folder = createTempFolder();
    const path = folder.write("note.md", "edited by a person");

    expect(codeOf(() => createFiles().replace(path, "ours", { stillValid: () => false }))).toBe("changed");
    expect(folder.tree()).toEqual(["note.md"]);
    expect(readFileSync(path, "utf8")).toBe("edited by a person");
  });

  it("replaces a link instead of writing through it", () => {
    const folder = createTempFolder();
    const outside = folder.write("outside.txt", "precious");
    symlinkSync(outside, folder.at("note.md"));

    createFiles().replace(folder.at("note.md"), "new");

    expect(readFileSync(outside, "utf8")).toBe("precious");
    expect(lstatSync(folder.at("note.md")).isFile()).toBe(true);
  });

  it("works for a name as long as the file system allows", () => {
    const folder = createTempFolder();
    const name = "記".repeat(84);

    createFiles().replace(folder.at(name), "x");

    expect(folder.tree()).toEqual([name]);
  });
});

describe("appending lines", () => {
  it.each(FAULTS)("keeps whole lines only when any one call fails with %s", async (fault) => {
    const folder = createTempFolder();

    const tried = await forEveryFault({
      fault,
      attempt({ ops, fired }) {
        const path = folder.write("log.jsonl", "first\n");
        codeOf(() => createFiles(ops).append(path, "second line\n", { flush: true }));

        const after = readFileSync(path, "utf8");
        expect(["first\n", "first\nsecond line\n"]).toContain(after);
        if (!fired()) expect(after).toBe("first\nsecond line\n");
      },
    });

    expect(tried).toBeGreaterThanOrEqual(3);
  });

  it("closes a line that a kill in the middle of a write left torn", () => {
    const path = createTempFolder().write("log.jsonl", "first\n");
    const { ops } = createFaultyOps({ at: 1, fault: "kill", only: ["writeSync"] });
    codeOf(() => createFiles(ops).append(path, "second line\n"));
    expect(readFileSync(path, "utf8")).toBe("first\nsecond");

    createFiles().append(path, "third\n");

    expect(readFileSync(path, "utf8")).toBe("first\nsecond\nthird\n");
  });

  it("refuses a pipe and a link that took the file's name, without hanging", () => {
    const folder = createTempFolder();
    execFileSync("mkfifo", [folder.at("pipe")]);
    symlinkSync(folder.write("outside", "x\n"), folder.at("link"));

    expect(codeOf(() => createFiles().append(folder.at("pipe"), "x\n"))).toBe("not-a-file");
    expect(codeOf(() => createFiles().append(folder.at("link"), "x\n"))).toBe("ELOOP");
    expect(readFileSync(folder.at("outside"), "utf8")).toBe("x\n");
  });
});

describe("creating a file exclusively", () => {
  it("says so when something, even a dangling link, is there", () => {
    const folder = createTempFolder();
    symlinkSync(folder.at("nowhere"), folder.at("dangling"));

    expect(createFiles().createExclusive(folder.at("new"), "ours")).toBe(true);
    expect(createFiles().createExclusive(folder.at("new"), "theirs")).toBe(false);
    expect(createFiles().createExclusive(folder.at("dangling"), "theirs")).toBe(false);
    expect(readFileSync(folder.at("new"), "utf8")).toBe("ours");
    expect(folder.tree()).toEqual(["dangling", "new"]);
  });

  it("leaves nothing when any one call fails", async () => {
    await forEveryFault({
      fault: "ENOSPC",
      attempt({ ops, fired }) {
        const folder = createTempFolder();
        codeOf(() => createFiles(ops).createExclusive(folder.at("new"), "content"));

        expect(folder.tree()).toEqual(fired() ? [] : ["new"]);
      },
    });
  });
});

describe("modes", () => {
  const before = process.umask();
  afterEach(() => void process.umask(before));

  it.each([0o000, 0o022, 0o077, 0o277, 0o777])("are 0600 and 0700 under umask %o", (mask) => {
    const folder = createTempFolder();
    const files = createFiles();
    process.umask(mask);

    files.ensureFolder(folder.at("a/b/c"));
    files.replace(folder.at("a/b/c/replaced"), "x");
    files.append(folder.at("a/b/c/appended"), "x\n");
    files.createExclusive(folder.at("a/b/c/created"), "x");

    expect(["a", "a/b", "a/b/c"].map((name) => modeOf(folder.at(name)))).toEqual([0o700, 0o700, 0o700]);
    const names = ["replaced", "appended", "created"];
    expect(names.map((name) => modeOf(folder.at("a/b/c", name)))).toEqual([0o600, 0o600, 0o600]);
  });

  it("of folders that were there already are left alone", () => {
    const folder = createTempFolder();
    mkdirSync(folder.at("theirs"));
    chmodSync(folder.at("theirs"), 0o755);

    createFiles().ensureFolder(folder.at("theirs/ours"));

    expect([modeOf(folder.at("theirs")), modeOf(folder.at("theirs/ours"))]).toEqual([0o755, 0o700]);
  });
});

describe("making a folder", () => {
  it("accepts a link to a folder and refuses a file in its place", () => {
    const folder = createTempFolder();
    symlinkSync(folder.folder("real"), folder.at("link"));
    folder.write("file", "x");

    createFiles().ensureFolder(folder.at("link/inner"));

    expect(folder.tree()).toContain("real/inner/");
    expect(codeOf(() => createFiles().ensureFolder(folder.at("file")))).toBe("EEXIST");
    expect(readFileSync(folder.at("file"), "utf8")).toBe("x");
  });
});

describe("reading", () => {
  it("answers undefined for what is not there, also below a file", () => {
    const folder = createTempFolder();
    folder.write("file", "x");
    const files = createFiles();

    for (const path of [folder.at("none"), folder.at("file/below")]) {
      expect(files.look(path)).toBeUndefined();
      expect(files.follow(path)).toBeUndefined();
      expect(files.real(path)).toBeUndefined();
      expect(files.names(path)).toBeUndefined();
      expect(files.read(path, 10)).toBeUndefined();
    }
  });

  it("throws other errors instead of calling the file absent", () => {
    const path = createTempFolder().write("file", "x");

    for (const name of ["openSync", "lstatSync", "statSync", "realpathSync"] as const) {
      const { ops } = createFaultyOps({ at: 1, fault: "EACCES", only: [name] });
      const files = createFiles(ops);
      const codes = [
        () => files.read(path, 10),
        () => files.look(path),
        () => files.follow(path),
        () => files.real(path),
      ];
      expect(codes.map(codeOf).filter((code) => code === "EACCES")).toHaveLength(1);
    }
  });

  it("lists a folder with kinds, also when one look of the listing itself failed for want of an entry", () => {
    const folder = createTempFolder();
    folder.write("file", "");
    folder.folder("inner");
    symlinkSync(folder.at("file"), folder.at("link"));
    const { ops } = createFaultyOps({ at: 1, fault: "ENOENT", only: ["readdirSync"] });

    for (const files of [createFiles(), createFiles(ops)]) {
      const kinds = files
        .entries(folder.path)
        ?.map((entry) => [entry.name, entry.isFile(), entry.isDirectory()]);
      expect(kinds?.toSorted()).toEqual([
        ["file", true, false],
        ["inner", false, true],
        ["link", false, false],
      ]);
    }
    expect(createFiles().entries(folder.at("none"))).toBeUndefined();
  });

  it("takes a file of exactly the bound and refuses one byte more", () => {
    const path = createTempFolder().write("file", "12345");

    expect(createFiles().read(path, 5)?.toString()).toBe("12345");
    expect(codeOf(() => createFiles().read(path, 4))).toBe("too-large");
  });

  it("refuses pipes and folders without hanging", () => {
    const folder = createTempFolder();
    execFileSync("mkfifo", [folder.at("pipe")]);

    expect(codeOf(() => createFiles().read(folder.at("pipe"), 10))).toBe("not-a-file");
    expect(codeOf(() => createFiles().read(folder.path, 10))).toBe("not-a-file");
  });

  it("tells links, pipes, folders and files apart", () => {
    const folder = createTempFolder();
    execFileSync("mkfifo", [folder.at("pipe")]);
    symlinkSync(folder.write("file", "x"), folder.at("link"));
    const files = createFiles();

    const kinds = ["file", "link", "pipe", ""].map((name) => files.look(folder.at(name))?.kind);
    expect(kinds).toEqual(["file", "link", "other", "folder"]);
    expect(files.follow(folder.at("link"))?.kind).toBe("file");
  });

  it("keeps reading the file it opened when another takes its name", () => {
    const folder = createTempFolder();
    const path = folder.write("file", "opened");
    const handle = createFiles().openRead(path);
    renameSync(folder.write("other", "swapped"), path);

    const buffer = Buffer.alloc(6);
    handle.read(buffer, { offset: 0, position: 0, length: 6 });
    handle.close();

    expect(buffer.toString()).toBe("opened");
  });
});

describe("removing and dating", () => {
  it("removes a link, never its target, and accepts that nothing is there", () => {
    const folder = createTempFolder();
    symlinkSync(folder.write("target", "x"), folder.at("link"));

    createFiles().remove(folder.at("link"));
    createFiles().remove(folder.at("none"));

    expect(folder.tree()).toEqual(["target"]);
  });

  it("sets the time of a file and of a folder, never through a link", () => {
    const folder = createTempFolder();
    const at = Date.UTC(2020, 1, 1);
    const target = folder.write("target", "x");
    utimesSync(target, 1, 1);
    symlinkSync(target, folder.at("link"));
    writeFileSync(folder.at("file"), "x");

    createFiles().setModified(folder.at("file"), at);
    createFiles().setModified(folder.folder("inner"), at);

    expect([lstatSync(folder.at("file")).mtimeMs, lstatSync(folder.at("inner")).mtimeMs]).toEqual([at, at]);
    expect(codeOf(() => createFiles().setModified(folder.at("link"), at))).toBe("ELOOP");
    expect(lstatSync(target).mtimeMs).toBe(1_000);
  });
});
