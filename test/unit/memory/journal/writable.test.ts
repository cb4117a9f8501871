import { describe, expect, it } from "vitest";
import { assertWritable } from "../../../../src/memory/journal/writable.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

describe("the question whether a folder can be written", () => {
  it("is answered without a trace", () => {
    const folder = createTempFolder();

    assertWritable(createFiles(), folder.path);
    assertWritable(createFiles(), folder.at("not-there"));

    expect(folder.tree()).toEqual([]);
  });

  it.each([
    ["EACCES", "openSync"],
    ["EROFS", "openSync"],
    ["ENOSPC", "writeSync"],
    ["EDQUOT", "fsyncSync"],
  ] as const)("names the folder on %s (B31d, faults 16, 19)", (fault, op) => {
    const folder = createTempFolder();
    const files = createFiles(createFaultyOps({ at: 1, fault, only: [op] }).ops);

    expect(() => assertWritable(files, folder.path)).toThrow(
      expect.objectContaining({
        code: "memory-unwritable",
        disposition: "retry",
        message: expect.stringContaining(folder.path),
      }),
    );
    expect(folder.tree()).toEqual([]);
  });
});
