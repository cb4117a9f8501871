import { describe, expect, it } from "vitest";
import { createFiles } from "../../../src/system/files.ts";
import { processSpace } from "../../../src/system/process.ts";
import { reachesWriters } from "../../../src/system/process-reach.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const files = createFiles();
const CONTAINER = { boot: "b", ids: "pid:[4026532999]", machine: "m" };
const MACHINE = { ...CONTAINER, ids: "pid:[4026531836]" };

/** The folder lies on another disk than the root. */
const brought = {
  follow: (path: string) => {
    const facts = files.follow(path);
    return facts === undefined || path === "/" ? facts : { ...facts, fileId: "99:1" };
  },
};

describe("process ids found in a folder", () => {
  it("are ours to look up on a disk of this machine, whatever disk it is", () => {
    const { path } = createTempFolder();

    expect(reachesWriters(brought, { folder: path, space: MACHINE })).toBe(true);
    expect(reachesWriters(brought, { folder: path, space: { ...MACHINE, ids: "darwin" } })).toBe(true);
  });

  it("are not in a container whose folder was brought in from outside, but are on its own disk", () => {
    const { path } = createTempFolder();

    expect(reachesWriters(brought, { folder: path, space: CONTAINER })).toBe(false);
    expect(reachesWriters({ follow: () => files.follow("/") }, { folder: path, space: CONTAINER })).toBe(
      true,
    );
  });

  it("need no folder that is there", () => {
    expect(reachesWriters(files, { folder: "/nowhere/at/all", space: processSpace(files) })).toBeTypeOf(
      "boolean",
    );
  });
});
