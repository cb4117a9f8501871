// The built program killed, or failed by the system, at the 1st, 2nd, 3rd ... call of a kind. Whatever the moment:
// no half file right after it, and after the next run exactly what an undisturbed run learns.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createStory } from "../daemon/story.ts";
import { inWorld, syncOnce } from "./world.ts";

const hasTracer = spawnSync("strace", ["-V"]).status === 0;
if (!hasTracer) process.stdout.write("skipped: crash tests at chosen calls need strace\n");

/** More calls of one kind than this in one run is not one small run any more. */
const CALLS_MAX = 500;

let undisturbed: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  undisturbed = await inWorld((world) => {
    expect(syncOnce(world.home)).toMatchObject({ code: 0, stderr: "" });
    expect(world.halves()).toEqual([]);
    expect(world.leftovers()).toEqual([]);
    return world.learnt();
  });
  // Five memories in two folders, and an index in each.
  expect(Object.keys(undisturbed), Object.keys(undisturbed).join("\n")).toHaveLength(7);
});

interface Attempt {
  readonly call: string;
  /** What the tracer does instead of the call: `signal=KILL`, `error=EIO`. */
  readonly fault: string;
  readonly at: number;
}

/** Runs into the fault, then once more within this process without it. False when the run made fewer calls this time. */
function runInto({ call, fault, at }: Attempt): Promise<boolean> {
  return inWorld(async (world) => {
    const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${fault}:when=${at}`];
    const run = syncOnce(world.home, ["strace", "-f", "-qq", "-o", "/dev/null", ...inject]);
    const when = `${fault} at ${call} ${at}`;
    const isMissed = fault === "signal=KILL" && run.signal === null;
    if (isMissed) expect(run, when).toMatchObject({ code: 0, stderr: "" });
    expect(world.halves(), `right after ${when}`).toEqual([]);

    world.age();
    const after = await createStory({}, undefined, world.home).sync();
    expect(after, `the run after ${when}`).toMatchObject({ skipped: [] });
    expect(world.learnt(), `after ${when}`).toEqual(undisturbed);
    expect(world.halves(), `after ${when}`).toEqual([]);
    expect(world.leftovers(), `after ${when}`).toEqual([]);
    return !isMissed;
  });
}

/** How often the busiest thread of an undisturbed run makes this call; the tracer counts by thread. */
function countCalls(call: string): Promise<number> {
  return inWorld((world) => {
    const log = world.home.folder.at("trace");
    syncOnce(world.home, ["strace", "-f", "-qq", "-o", log, "-e", `trace=${call}`]);
    const byThread = new Map<string, number>();
    for (const line of readFileSync(log, "utf8").split("\n")) {
      const thread = new RegExp(`^(\\d+) +${call}\\(`).exec(line)?.[1];
      if (thread !== undefined) byThread.set(thread, (byThread.get(thread) ?? 0) + 1);
    }
    return Math.max(0, ...byThread.values());
  });
}

/** Tries the 1st call and every `step`-th after it: neighbours of a frequent call are alike. */
async function runIntoEach({
  call,
  fault,
  step,
}: Omit<Attempt, "at"> & { readonly step: number }): Promise<void> {
  const calls = await countCalls(call);
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThan(CALLS_MAX);
  const met: boolean[] = [];
  for (let at = 1; at <= calls; at += step) met.push(await runInto({ call, fault, at }));
  // Node's own calls (waking its threads) differ from run to run, so the last of them may not come.
  expect(met.filter((isMet) => !isMet).length).toBeLessThanOrEqual(1 + Math.floor(met.length / 5));
}

const RIGHT = "leaves no half file, and the next run ends as an undisturbed one";

describe.skipIf(!hasTracer)("a run killed with SIGKILL", () => {
  // Every kind of call, from outside; the random kills try the moments between them. Faults 1-6.
  it.each([
    ["rename", 4],
    ["fsync", 9],
    ["unlink", 2],
    ["mkdir", 6],
    ["rmdir", 2],
    ["write", 12],
  ])(`at a %s ${RIGHT}`, (call, step) => runIntoEach({ call, fault: "signal=KILL", step }));
});

describe.skipIf(!hasTracer)("a run whose disk or table of descriptors fails", () => {
  // The whole program, Node and all; `whole-runs` tries every call of ours. Faults 11, 12, 14.
  it.each([
    ["rename", "ENOSPC", 5],
    ["fsync", "EIO", 10],
    ["openat", "EMFILE", 40],
  ])(`at a %s (%s) ${RIGHT}`, (call, errno, step) => runIntoEach({ call, fault: `error=${errno}`, step }));
});
