// The built program killed, or failed by the system, at the 1st, 2nd, 3rd ... call of a kind. Whatever the moment:
// no half file right after it, and after the next run exactly what an undisturbed run learns.
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, syncOnce } from "./world.ts";

const hasTracer = spawnSync("strace", ["-V"]).status === 0;
if (!hasTracer) process.stdout.write("skipped: crash tests at chosen calls need strace\n");

/** More calls of one kind than this in one run means that the counting does not end. */
const CALLS_MAX = 200;

let undisturbed: Readonly<Record<string, string>> = {};

beforeAll(() => {
  const world = createWorld();
  expect(syncOnce(world.home)).toMatchObject({ code: 0, stderr: "" });
  undisturbed = world.learnt();
  // Five memories in two folders, and an index in each.
  expect(Object.keys(undisturbed)).toHaveLength(7);
  expect(world.halves()).toEqual([]);
  expect(world.leftovers()).toEqual([]);
});

function tracerFor(call: string, fault: string, at: number): string[] {
  return [
    "strace",
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:${fault}:when=${at}`,
  ];
}

describe.skipIf(!hasTracer)("a run killed with SIGKILL", () => {
  it.each(["rename", "fsync", "unlink", "mkdir", "fchmod", "utimensat", "write"])(
    "at any %s leaves no half file, and the next run ends as an undisturbed one",
    (call) => {
      let killed = 0;
      for (let at = 1; at <= CALLS_MAX; at++) {
        const world = createWorld();
        const run = syncOnce(world.home, tracerFor(call, "signal=KILL", at));
        expect(world.halves(), `killed at ${call} ${at}`).toEqual([]);
        if (run.signal !== "SIGKILL" && run.code === 0) break;
        killed++;

        world.age();
        const next = syncOnce(world.home);
        expect(next, `after a kill at ${call} ${at}`).toMatchObject({ code: 0, stderr: "" });
        expect(world.learnt(), `after a kill at ${call} ${at}`).toEqual(undisturbed);
        expect(world.leftovers(), `after a kill at ${call} ${at}`).toEqual([]);
      }
      process.stdout.write(`killed at ${killed} x ${call}\n`);
      expect(killed).toBeLessThan(CALLS_MAX);
    },
  );
});

describe.skipIf(!hasTracer)("a run with a failing disk", () => {
  it.each([
    ["rename", "ENOSPC"],
    ["rename", "EACCES"],
    ["fsync", "EIO"],
    ["mkdir", "EACCES"],
    ["unlink", "EIO"],
    ["utimensat", "EIO"],
  ])("at any %s (%s) leaves no half file, and the next run ends as an undisturbed one", (call, errno) => {
    let disturbed = 0;
    for (let at = 1; at <= CALLS_MAX; at++) {
      const world = createWorld();
      const before = JSON.stringify(world.learnt());
      const run = syncOnce(world.home, tracerFor(call, `error=${errno}`, at));
      expect(world.halves(), `${errno} at ${call} ${at}`).toEqual([]);
      expect(before).toBe("{}");
      if (run.code === 0 && isUndisturbed(world.learnt())) {
        // The injection was outlived or never reached: told apart by a run that meets none.
        if (at > callsOf(call)) break;
        continue;
      }
      disturbed++;

      world.age();
      syncOnce(world.home);
      expect(world.learnt(), `after ${errno} at ${call} ${at}`).toEqual(undisturbed);
      expect(world.leftovers(), `after ${errno} at ${call} ${at}`).toEqual([]);
    }
    process.stdout.write(`disturbed by ${disturbed} x ${errno} at ${call}\n`);
  });
});

function isUndisturbed(learnt: Readonly<Record<string, string>>): boolean {
  return JSON.stringify(learnt) === JSON.stringify(undisturbed);
}

const counts = new Map<string, number>();

/** How often an undisturbed run makes this call. */
function callsOf(call: string): number {
  const known = counts.get(call);
  if (known !== undefined) return known;
  const world = createWorld();
  const log = world.home.folder.at("trace");
  syncOnce(world.home, ["strace", "-f", "-qq", "-o", log, "-e", `trace=${call}`]);
  const count = spawnSync("grep", ["-c", `${call}(`, log], { encoding: "utf8" });
  counts.set(call, Number(count.stdout));
  return Number(count.stdout);
}
