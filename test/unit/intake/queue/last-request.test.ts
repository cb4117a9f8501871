// The promise of debounce and queue together, checked against a model for any order of events.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JobOutcome } from "../../../../src/domain/jobs.ts";
import { JOB_LIMITS } from "../../../../src/domain/limits.ts";
import { createQueue, jobKey } from "../../../../src/intake/queue/queue.ts";
import { createRetryClock } from "../../../../src/intake/queue/retry-clock.ts";
import { createDebounce } from "../../../../src/intake/watch/debounce.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const KINDS = ["extract", "dream"];
const LANES = ["a", "b", "c"];
const QUIET = { quietMs: 1_000, maxWaitMs: 5_000 };
const OUTCOMES = ["succeeded", "skipped", "delayed", "failed", "rejected"] as const;

type Action =
  | { readonly do: "touch" | "push"; readonly kind: string; readonly lane: string }
  | { readonly do: "end"; readonly pick: number; readonly how: (typeof OUTCOMES)[number] }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "pause" | "resume" };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("touch" as const), ...target() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("push" as const), ...target() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      pick: fc.nat(9),
      how: fc.constantFrom(...OUTCOMES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 999, 6_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("pause" as const, "resume" as const) }) },
);

function target() {
  return { kind: fc.constantFrom(...KINDS), lane: fc.constantFrom(...LANES) };
}

/** The system under test beside the model: when each key was last asked for and last started. */
function createModel() {
  const clock = createManualClock();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const open: { lane: string; end: (how: (typeof OUTCOMES)[number]) => void }[] = [];
  const asked = new Map<string, number>();
  const started = new Map<string, number>();
  const overlaps: string[] = [];
  let moment = 0;
  let parallel = 0;
  let parallelMax = 0;
  const files = { read: () => undefined, replace: () => undefined };
  const retries = createRetryClock({ files, clock, path: "/retry.json", jitter: () => 0, emitter });
  const run = (key: string, { lane }: { lane: string }): Promise<JobOutcome> => {
    started.set(key, moment++);
    if (open.some((other) => other.lane === lane)) overlaps.push(lane);
    parallelMax = Math.max(parallelMax, ++parallel);
    return new Promise<JobOutcome>((resolve, reject) => {
      const entry = {
        lane,
        end(how: (typeof OUTCOMES)[number]) {
          open.splice(open.indexOf(entry), 1);
          parallel--;
          if (how === "rejected") reject(new Error("rejected"));
          else resolve(outcomeOf(how, clock.now()));
        },
      };
      open.push(entry);
    });
  };
  const kinds = new Map(KINDS.map((name) => [name, { name, run }]));
  const queue = createQueue({ kinds, concurrency: 2, clock, emitter, retries });
  const debounce = createDebounce({
    clock,
    fire: (key) => queue.push(key.split(":")[0] ?? "", key.split(":")[1] ?? ""),
  });
  const ask = (key: string) => asked.set(key, moment++);
  return { clock, queue, debounce, open, asked, started, overlaps, ask, parallelMax: () => parallelMax };
}

function outcomeOf(how: Exclude<(typeof OUTCOMES)[number], "rejected">, now: number): JobOutcome {
  if (how === "succeeded") return { result: how, changed: 1 };
  if (how === "skipped") return { result: how, reason: "nothing-new" };
  if (how === "delayed") return { result: how, at: now + 2_000, reason: "settling" };
  return { result: how, code: "x", message: "x" };
}

async function perform(model: ReturnType<typeof createModel>, step: Action): Promise<void> {
  const { queue, debounce, clock, open } = model;
  switch (step.do) {
    case "touch":
      model.ask(jobKey(step.kind, step.lane));
      return debounce.touch(jobKey(step.kind, step.lane), QUIET);
    case "push":
      model.ask(jobKey(step.kind, step.lane));
      return void queue.push(step.kind, step.lane);
    case "end":
      open[step.pick % Math.max(1, open.length)]?.end(step.how);
      return clock.advance(0);
    case "wait":
      return clock.advance(step.ms);
    case "pause":
      return queue.pause();
    case "resume":
      return queue.resume();
  }
}

it("follows the last request of every key with a run that started after it, and never overlaps a lane", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (steps) => {
      const model = createModel();
      for (const step of steps) await perform(model, step);

      // Let everything end: no more requests, every run succeeds, every wait passes.
      model.queue.resume();
      for (let round = 0; round < 500 && !isOver(model); round++) {
        // Runs end before time passes, or their time limit would end them.
        const running = model.open.length > 0;
        while (model.open.length > 0) model.open[0]?.end("succeeded");
        await model.clock.advance(running ? 0 : JOB_LIMITS.retryMaxMs / 10);
        // A turn for the library's own timers of 0 ms.
        await new Promise((resolve) => setTimeout(resolve, 1));
      }

      for (const [key, moment] of model.asked) expect(model.started.get(key), key).toBeGreaterThan(moment);
      expect(model.overlaps).toEqual([]);
      expect(model.parallelMax()).toBeLessThanOrEqual(2);
      await model.queue.drain(0);
      expect(model.clock.pendingTimers()).toBe(0);
    }),
    { numRuns: 150 },
  );
}, 120_000);

function isOver({ queue, debounce, open }: ReturnType<typeof createModel>): boolean {
  return open.length === 0 && debounce.size() === 0 && queue.describe().jobs.length === 0;
}
