// Takings, deaths at any file call, hosts that come and go, restarts: whatever the order, the lock is what the last of them left.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folderIdOf } from "../../../../src/memory/journal/folder-id.ts";
import { inMemory } from "../../../crash/world.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createKeptFolder, removeTree } from "../../../helpers/temp-folder.ts";
import type { Bench, LockState } from "./holds-bench.ts";
import { createHoldsBench, HOST, MINUTE_MS } from "./holds-bench.ts";

type Step =
  | { readonly do: "take" | "succeed" | "roll-back" | "crash" | "recover" | "host-takes" | "host-ends" }
  | { readonly do: "advance"; readonly minutes: number }
  /** The next process dies at this file call, counted from its start; 0: it does not. */
  | { readonly do: "next-dies"; readonly at: number };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom("take", "take", "succeed", "roll-back", "crash", "recover") }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("host-takes", "host-takes", "host-ends") }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("advance"), minutes: fc.integer({ min: 1, max: 70 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("next-dies"), at: fc.integer({ min: 1, max: 60 }) }) },
);

type Engramd = ReturnType<Bench["start"]>;
type Hold = Extract<Awaited<ReturnType<Engramd["take"]>>, { hold: unknown }>["hold"];

interface Process {
  readonly pid: number;
  readonly engramd: Engramd;
  readonly fired: () => boolean;
  hold: Hold | undefined;
}

interface Taking {
  readonly run: string;
  readonly takenAt: number;
  /** A host has the lock since. */
  isLost: boolean;
}

/** The world and what should be in it. */
interface Run {
  readonly world: Bench;
  /** What the lock is once no taking of ours is open. */
  stands: LockState | undefined;
  open: Taking | undefined;
  process: Process | undefined;
  dieAt: number;
  /** Processes and takings so far. */
  count: number;
  runs: number;
}

function processOf(run: Run): Process {
  if (run.process !== undefined) return run.process;
  run.count += 1;
  const pid = 4_200_000 + run.count;
  const faulty = createFaultyOps(run.dieAt === 0 ? {} : { at: run.dieAt, fault: "kill" });
  run.dieAt = 0;
  run.world.alive.add(pid);
  run.process = {
    pid,
    fired: faulty.fired,
    hold: undefined,
    engramd: run.world.start({ pid, ops: faulty.ops }),
  };
  return run.process;
}

async function die(run: Run): Promise<void> {
  if (run.process === undefined) return;
  run.world.alive.delete(run.process.pid);
  await run.process.engramd.die();
  run.process = undefined;
}

/** Errors of a process that died in it are its death; every other one is the test's. */
async function inProcess(run: Run, act: (process: Process) => Promise<void>): Promise<void> {
  const process = processOf(run);
  try {
    await act(process);
  } catch (error) {
    if (!process.fired()) throw error;
  }
  if (process.fired()) await die(run);
}

/** No taking is open any more: the lock must be as the model says. */
function expectSettled(run: Run): void {
  const { world, open } = run;
  const lock = world.lock();
  const isDone = open !== undefined && lastRun(run) === open.run;
  if (open !== undefined && !open.isLost && isDone) run.stands = { body: "", mtimeMs: open.takenAt };
  expect(lock?.mtimeMs).toBe(run.stands?.mtimeMs);
  // Rolled back to a body that named somebody, it names nobody.
  if (lock !== undefined && (open === undefined || open.isLost || isDone))
    expect(lock.body).toBe(run.stands?.body);
  run.stands = lock;
  run.open = undefined;
  expect(world.records()).toEqual([]);
}

function lastRun({ world }: Run): string | undefined {
  return world.start().stamps.lastRun(folderIdOf(world.memoryDir));
}

/** By the reference's protocol: a lock younger than an hour whose process lives is another's. */
function isHeld({ world }: Run): boolean {
  const lock = world.lock();
  if (lock === undefined || lock.body === "" || world.clock.now() - lock.mtimeMs >= 60 * MINUTE_MS)
    return false;
  return world.alive.has(Number(lock.body));
}

async function take(run: Run): Promise<void> {
  await inProcess(run, async (process) => {
    run.runs += 1;
    const name = `run-${run.runs}`;
    if (process.hold !== undefined) {
      return expect(await process.engramd.take({ run: name })).toMatchObject({ blocked: "locked" });
    }
    // One that was left open is ended first.
    const left = run.open;
    const wasHeld = isHeld(run) && (left === undefined || left.isLost);
    const before = run.world.lock();
    const answer = await process.engramd.take({ run: name }).finally(() => {
      if (process.fired()) settleLeft(run, left, before);
    });
    expect("blocked" in answer).toBe(wasHeld);
    settleLeft(run, left, before);
    if ("blocked" in answer) return expectSettled(run);
    run.open = { run: name, takenAt: run.world.clock.now(), isLost: false };
    process.hold = answer.hold;
    expect(run.world.lock()).toEqual({ body: String(process.pid), mtimeMs: run.world.clock.now() });
  });
  // Died in it: of this taking or of the one before, the next process ends what is open.
  if (run.process === undefined) await recover(run);
}

/** What the taking before left is part of what stands. */
function settleLeft(run: Run, left: Taking | undefined, before: LockState | undefined): void {
  if (left === undefined) return;
  if (left.isLost) run.stands = before;
  else if (lastRun(run) === left.run) run.stands = { body: "", mtimeMs: left.takenAt };
  else if (run.stands !== undefined) run.stands = { ...run.stands, body: "" };
  run.open = undefined;
}

async function recover(run: Run): Promise<void> {
  if (run.process?.hold !== undefined) return;
  await inProcess(run, async ({ engramd }) => void (await engramd.holds.recover()));
  if (run.process === undefined) return recover(run);
  if (run.open === undefined) {
    // A taking that died before it was answered: time and file are as before.
    const lock = run.world.lock();
    expect(lock?.mtimeMs).toBe(run.stands?.mtimeMs);
    run.stands = lock;
    expect(run.world.records()).toEqual([]);
  } else expectSettled(run);
}

async function end(run: Run, how: "succeed" | "rollBack"): Promise<void> {
  const hold = run.process?.hold;
  const { open } = run;
  if (hold === undefined || open === undefined) return;
  await inProcess(run, async (process) => {
    if (open.isLost) {
      expect(() => hold.assertOurs()).toThrow();
      if (!process.fired()) await expect(hold.succeed()).rejects.toThrow();
    }
    await hold[open.isLost ? "rollBack" : how]();
    if (process.fired()) return;
    process.hold = undefined;
    if (!open.isLost) expect(lastRun(run) === open.run).toBe(how === "succeed");
    expectSettled(run);
  });
}

async function perform(run: Run, step: Step): Promise<void> {
  const { world } = run;
  switch (step.do) {
    case "take":
      return take(run);
    case "succeed":
      return end(run, "succeed");
    case "roll-back":
      return end(run, "rollBack");
    case "crash":
      return die(run);
    case "recover":
      return recover(run);
    case "host-ends":
      return void world.alive.delete(HOST);
    case "host-takes":
      if (isHeld(run)) return;
      world.alive.add(HOST);
      world.plant(String(HOST), 0);
      run.stands = world.lock();
      if (run.open !== undefined) run.open.isLost = true;
      return;
    case "advance":
      return world.clock.advance(step.minutes * MINUTE_MS);
    case "next-dies":
      run.dieAt = step.at;
  }
}

describe("any order of takings, deaths, hosts and restarts", () => {
  it("leaves the lock as its last success, its last host, or as it was before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 25 }), async (steps) => {
        const temp = inMemory(createKeptFolder);
        const world = createHoldsBench(temp);
        const nothing = { stands: undefined, open: undefined, process: undefined };
        const run: Run = { world, ...nothing, dieAt: 0, count: 0, runs: 0 };
        try {
          for (const step of steps) await perform(run, step);
          await die(run);
          await recover(run);
        } finally {
          await die(run);
          removeTree(temp.path);
        }
      }),
      { numRuns: Number(process.env["ENGRAMD_TEST_RUNS"] ?? 60) },
    );
  });
});
