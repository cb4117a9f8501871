import { describe, expect, it } from "vitest";
import { forEveryFault, type OpName } from "../../../helpers/faulty-ops.ts";
import { failThenRepeat, wantedContents } from "./fault-runs.ts";

const READING_OPS: readonly OpName[] = [
  "readSync",
  "fstatSync",
  "lstatSync",
  "statSync",
  "readdirSync",
  "realpathSync",
];

describe("a commit whose N-th file operation fails", () => {
  it.each([
    ["EIO", 12],
    ["EACCES", 13],
    ["EMFILE", 14],
  ])("leaves old or new content for every N and ends right when repeated: %s (fault %i)", async (fault) => {
    const wanted = await wantedContents();

    const tried = await forEveryFault({
      fault,
      attempt: (faulty) => failThenRepeat({ faulty, wanted, isKill: false }),
    });

    expect(tried).toBeGreaterThan(50);
  });

  it("does the same when reading fails", async () => {
    const wanted = await wantedContents();

    const tried = await forEveryFault({
      fault: "EIO",
      only: READING_OPS,
      attempt: (faulty) => failThenRepeat({ faulty, wanted, isKill: false }),
    });

    expect(tried).toBeGreaterThan(50);
  });
});
