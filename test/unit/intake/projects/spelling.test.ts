import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spellPath } from "../../../../src/intake/projects/spelling.ts";

describe("spellPath", () => {
  it.each(["C:\\git\\ai-p", "c:\\git\\ai-p", "c:/git/ai-p/", "C:\\\\git\\ai-p\\"])(
    "knows %s as the same folder of a Windows machine",
    (cwd) => {
      expect(spellPath(cwd)).toEqual({ style: "foreign", path: "C:\\git\\ai-p" });
    },
  );

  it("keeps the letter case below the drive", () => {
    expect(spellPath("C:\\Git").path).not.toBe(spellPath("C:\\git").path);
  });

  it.each([
    ["\\\\wsl$\\Ubuntu\\home\\ana\\x", "\\\\wsl$\\Ubuntu\\home\\ana\\x"],
    ["//server/share/x/", "\\\\server\\share\\x"],
    ["C:", "C:\\"],
  ])("takes %s for a place of another machine", (cwd, path) => {
    expect(spellPath(cwd)).toEqual({ style: "foreign", path });
  });

  it.each([
    ["/home/ana/shop/", "/home/ana/shop"],
    ["/home/./ana/../ana/shop", "/home/ana/shop"],
    ["/", "/"],
    ["/mnt/c/git/ai-p", "/mnt/c/git/ai-p"],
  ])("tidies the local path %s", (cwd, path) => {
    expect(spellPath(cwd)).toMatchObject({ style: "local", path });
  });

  it("compares in composed form and remembers how the writer spelt it", () => {
    const decomposed = "/home/ana/é".normalize("NFD");

    expect(spellPath(decomposed)).toEqual({ style: "local", path: "/home/ana/é", exact: decomposed });
  });

  it.each(["", "shop", "./x", "~/x", "/a\0b", `/${"x".repeat(5000)}`])(
    "finds no place in a useless path (%#)",
    (cwd) => {
      expect(spellPath(cwd).style).toBe("unusable");
    },
  );

  it("has an answer for any text and gives the same one for its own spelling", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (cwd) => {
        const spelled = spellPath(cwd);

        if (spelled.style !== "unusable") expect(spellPath(spelled.path).path).toBe(spelled.path);
      }),
    );
  });
});
