import { mkdirSync, openSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { knownError } from "../../../src/cli/render/output.ts";
import { createFiles } from "../../../src/system/files.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("a folder that cannot be made", () => {
  it.each([
    ["where a file lies", ""],
    ["below a file", "/a/b"],
  ])("%s is told with what to do about it", (_, below) => {
    const file = createTempFolder().write("taken", "");

    const error = knownError(errorOf(() => createFiles().ensureFolder(`${file}${below}`)));

    expect(error).toMatchObject({ code: "disk" });
    expect(error.message).toContain(file);
    expect(error.fix).toContain("move it away");
  });

  it("because its links lead in a circle is told as well", () => {
    const folder = createTempFolder();
    symlinkSync(folder.at("b"), folder.at("a"));
    symlinkSync(folder.at("a"), folder.at("b"));

    expect(knownError(errorOf(() => mkdirSync(folder.at("a/c"))))).toMatchObject({ code: "disk" });
  });

  it("is another thing than a file that is there already, which is a mistake of ours", () => {
    const file = createTempFolder().write("taken", "");

    expect(knownError(errorOf(() => openSync(file, "wx")))).toMatchObject({ code: "unexpected" });
  });
});
