// Pins how our queue behaves where the library behind it does not: one test per trap.
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../../src/domain/errors.ts";
import type { JobOutcome } from "../../../../src/domain/jobs.ts";
import { JOB_LIMITS } from "../../../../src/domain/limits.ts";
import type { JobContext, JobKind } from "../../../../src/intake/queue/job-kind.ts";
import { createQueue } from "../../../../src/intake/queue/queue.ts";
import { createRetryClock } from "../../../../src/intake/queue/retry-clock.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createEventSpy } from "../../../helpers/event-spy.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const DONE: JobOutcome = { result: "succeeded", changed: 1 };

interface Started {
  readonly key: string;
  readonly context: JobContext;
  finish(outcome?: JobOutcome): void;
  fail(error: unknown): void;
}

/** A kind whose runs end when the test says so. */
function createHeldKind(name = "extract") {
  const started: Started[] = [];
  const running = new Set<string>();
  const overlaps: string[] = [];
  const kind: JobKind = {
    name,
    run(key, context) {
      if (running.has(context.lane)) overlaps.push(context.lane);
      running.add(context.lane);
      return new Promise<JobOutcome>((resolve, reject) => {
        started.push({ key, context, finish: (outcome = DONE) => resolve(outcome), fail: reject });
      }).finally(() => running.delete(context.lane));
    },
  };
  return { kind, started, overlaps, running };
}

function setUp(options: { kinds?: JobKind[]; concurrency?: number; folder?: string } = {}) {
  const clock = createManualClock();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const spy = createEventSpy(emitter);
  const path = `${options.folder ?? createTempFolder().path}/retry.json`;
  const retries = createRetryClock({ files: createFiles(), clock, path, jitter: () => 0, emitter });
  const held = createHeldKind();
  const kinds = new Map((options.kinds ?? [held.kind]).map((kind) => [kind.name, kind]));
  const queue = createQueue({ kinds, concurrency: options.concurrency ?? 1, clock, emitter, retries });
  onTestFinished(async () => {
    for (const run of held.started) run.finish();
    const drained = queue.drain(0);
    await clock.advance(JOB_LIMITS.abortMs * 2);
    await drained;
  });
  /** The n-th run (from 1) of all, once it has started. */
  async function run(count: number): Promise<Started> {
    await spy.waitFor("job:started", { count });
    const found = held.started[count - 1];
    if (found === undefined) throw new Error(`run ${count} has not started`);
    return found;
  }
  return { clock, emitter, spy, retries, queue, held, run };
}

/** Lets the library's chains of 0 ms timers end: nothing further happens after these by itself. */
async function libraryTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("requests", () => {
  it("runs a promise-returning job to its end and tells of it (Q2)", async () => {
    const { queue, run, spy } = setUp();

    expect(queue.push("extract", "a")).toBe("queued");
    (await run(1)).finish();
    await queue.whenIdle();

    expect(spy.names()).toEqual(["job:queued", "job:started", "job:finished"]);
    expect(spy.seen("job:finished")[0]).toMatchObject({ key: "extract:a", outcome: DONE });
    expect(queue.describe()).toEqual({ waiting: 0, running: 0, delayed: 0, dead: 0, jobs: [] });
  });

  it("answers any number of requests during a run with exactly one further run (Q17)", async () => {
    const { queue, run, held } = setUp();
    queue.push("extract", "a");
    const first = await run(1);

    for (let request = 0; request < 10; request++) expect(queue.push("extract", "a")).toBe("merged");
    first.finish();
    (await run(2)).finish();
    await queue.whenIdle();

    expect(held.started).toHaveLength(2);
  });

  it("settles every merged request, whichever of them was first (Q14)", async () => {
    const { queue, run, spy, held } = setUp();
    queue.pause();
    queue.push("extract", "a");
    queue.push("extract", "a");
    queue.resume();

    (await run(1)).finish();
    await queue.whenIdle();

    expect(spy.seen("job:merged")).toHaveLength(1);
    expect(held.started).toHaveLength(1);
  });

  it("runs lanes named like members of every object (Q10)", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
    const ran: string[] = [];
    const kind: JobKind = { name: "k", run: (_key, { lane }) => (ran.push(lane), Promise.resolve(DONE)) };
    const { queue } = setUp({ kinds: [kind] });

    for (const name of names) queue.push("k", name);
    await queue.whenIdle();

    expect(ran).toEqual(names);
  });

  it("refuses a kind that is not in the table", () => {
    const { queue } = setUp();

    expect(() => queue.push("__proto__", "a")).toThrow("no job kind __proto__");
  });

  it("takes no more than its bound, says so once, and takes requests again later", async () => {
    const kind: JobKind = { name: "k", run: () => Promise.resolve(DONE) };
    const { queue, spy } = setUp({ kinds: [kind] });
    queue.pause();
    for (let lane = 0; lane < JOB_LIMITS.waitingMax; lane++) queue.push("k", `${lane}`);

    expect(queue.push("k", "one more")).toBe("full");
    expect(queue.push("k", "two more")).toBe("full");
    expect(spy.seen("warning:raised")).toEqual([expect.objectContaining({ code: "queue-full" })]);
    queue.cancel("k:0");

    expect(queue.push("k", "one more")).toBe("queued");
    for (const job of queue.describe().jobs) queue.cancel(job.key);
  });

  it("does nothing by a listener: without any it works the same", async () => {
    const { queue, run, held, spy } = setUp();
    queue.push("extract", "a");
    const first = await run(1);
    spy.stop();

    first.finish();
    await queue.whenIdle();

    expect(held.started).toHaveLength(1);
  });
});

describe("order", () => {
  it("runs the higher priority first and the older of two equal ones", async () => {
    const ran: string[] = [];
    const kind: JobKind = { name: "k", run: (_key, { lane }) => (ran.push(lane), Promise.resolve(DONE)) };
    const { queue } = setUp({ kinds: [kind] });
    queue.pause();
    queue.push("k", "old", { priority: 1 });
    queue.push("k", "new", { priority: 9 });
    queue.push("k", "old too", { priority: 1 });
    await libraryTurns();

    queue.resume();
    await queue.whenIdle();

    expect(ran).toEqual(["new", "old", "old too"]);
  });

  it("moves a waiting job forward when a more urgent request joins it, never back", async () => {
    const ran: string[] = [];
    const kind: JobKind = { name: "k", run: (_key, { lane }) => (ran.push(lane), Promise.resolve(DONE)) };
    const { queue, clock } = setUp({ kinds: [kind] });
    queue.pause();
    queue.push("k", "a", { priority: 5 });
    queue.push("k", "b", { priority: 1 });
    await clock.advance(0);

    queue.push("k", "b", { priority: 9 });
    queue.push("k", "b", { priority: 0 });
    queue.resume();
    await queue.whenIdle();

    expect(ran).toEqual(["b", "a"]);
  });
});

describe("lanes", () => {
  it("never runs two jobs of one memory folder at once, even of different kinds (Q11)", async () => {
    const extract = createHeldKind("extract");
    const dream = createHeldKind("dream");
    const { queue, spy } = setUp({ kinds: [extract.kind, dream.kind], concurrency: 4 });
    queue.push("extract", "a");
    queue.push("dream", "a");
    queue.push("extract", "b");

    await spy.waitFor("job:started", { count: 2 });
    expect(spy.seen("job:started").map(({ key }) => key)).toEqual(["extract:a", "extract:b"]);
    extract.started[0]?.finish();
    await spy.waitFor("job:started", { count: 3 });
    extract.started[1]?.finish();
    dream.started[0]?.finish();
    await queue.whenIdle();

    expect(spy.seen("job:started").at(-1)).toEqual({ key: "dream:a" });
  });

  it("runs as many lanes at once as configured, never more, and as many again after a pause (Q8)", async () => {
    const { queue, held, spy, clock } = setUp({ concurrency: 2 });
    queue.pause();
    for (const lane of ["a", "b", "c", "d"]) queue.push("extract", lane);
    await clock.advance(0);

    queue.resume();
    await spy.waitFor("job:started", { count: 2 });
    await libraryTurns();
    expect(held.running.size).toBe(2);
    queue.pause();
    for (const run of held.started) run.finish();
    await spy.waitFor("job:finished", { count: 2 });
    await libraryTurns();
    expect(held.running.size).toBe(0);
    queue.resume();
    await spy.waitFor("job:started", { count: 4 });

    expect(held.running.size).toBe(2);
    for (const run of held.started) run.finish();
    await queue.whenIdle();
  });
});

describe("failures", () => {
  it("records a rejected promise as a failure and runs the next job (Q3)", async () => {
    const { queue, run, spy } = setUp();
    queue.push("extract", "a");
    queue.push("extract", "b");

    (await run(1)).fail(new Error("no luck"));
    (await run(2)).finish();
    await queue.whenIdle();

    const outcome = { result: "failed", code: "unexpected", message: "no luck" };
    expect(spy.seen("job:finished")[0]).toMatchObject({ key: "extract:a", outcome });
    expect(queue.describe()).toMatchObject({ delayed: 1, waiting: 0 });
  });

  it("records a throw before the first await as a failure", async () => {
    const kind: JobKind = {
      name: "k",
      run() {
        throw new Error("at once");
      },
    };
    const { queue, spy } = setUp({ kinds: [kind] });

    queue.push("k", "a");
    await queue.whenIdle();

    expect(spy.seen("job:finished")[0]?.outcome).toMatchObject({ result: "failed", message: "at once" });
  });

  it("runs a failed job again after its back-off, counting attempts (Q5)", async () => {
    const { queue, run, clock } = setUp();
    queue.push("extract", "a");

    (await run(1)).fail(new Error("first"));
    await queue.whenIdle();
    await clock.advance(JOB_LIMITS.retryBaseMs - 1);
    expect(queue.describe()).toMatchObject({ delayed: 1, waiting: 0, running: 0 });
    await clock.advance(1);
    const second = await run(2);

    expect(second.context.attempt).toBe(2);
    second.finish();
    await queue.whenIdle();
    expect(queue.describe().jobs).toEqual([]);
  });

  it("makes exactly as many attempts as its bound, then lists the job as dead", async () => {
    const kind: JobKind = {
      name: "k",
      run: (_key, { attempt }) => Promise.reject(new Error(`attempt ${attempt}`)),
    };
    const { queue, spy, clock } = setUp({ kinds: [kind] });
    queue.push("k", "a");

    for (let attempt = 1; attempt <= JOB_LIMITS.attemptsMax; attempt++) {
      await spy.waitFor("job:finished", { count: attempt });
      await clock.advance(JOB_LIMITS.retryMaxMs);
    }
    await clock.advance(10 * JOB_LIMITS.retryMaxMs);

    expect(spy.seen("job:started")).toHaveLength(JOB_LIMITS.attemptsMax);
    expect(queue.describe()).toMatchObject({ dead: 1, delayed: 0 });
    expect(queue.describe().jobs[0]?.reason).toBe(`unexpected: attempt ${JOB_LIMITS.attemptsMax}`);
  });

  it("retries nothing by itself that said it can never succeed, and obeys a person at once", async () => {
    const { queue, run, clock, held } = setUp();
    queue.push("extract", "a");

    (await run(1)).fail(new AppError({ code: "bad-payload", message: "never", disposition: "give-up" }));
    await queue.whenIdle();
    await clock.advance(10 * JOB_LIMITS.retryMaxMs);
    expect(queue.describe()).toMatchObject({ dead: 1 });
    expect(held.started).toHaveLength(1);

    expect(queue.push("extract", "a", { now: true })).toBe("queued");
    const second = await run(2);
    expect(second.context.attempt).toBe(1);
    second.finish();
    await queue.whenIdle();
  });

  it("gives a dead job one attempt for new requests, not sooner than the longest back-off", async () => {
    const { queue, run, clock, held } = setUp();
    queue.push("extract", "a");
    (await run(1)).fail(new AppError({ code: "x", message: "never" }));
    await queue.whenIdle();

    expect(queue.push("extract", "a")).toBe("delayed");
    await clock.advance(JOB_LIMITS.retryMaxMs - 1);
    expect(held.started).toHaveLength(1);
    await clock.advance(1);
    (await run(2)).fail(new Error("again"));
    await queue.whenIdle();

    expect(queue.describe()).toMatchObject({ dead: 1, delayed: 0 });
  });

  it("answers a request made during a run that fails: the retry starts after the request (Q7)", async () => {
    const { queue, run, clock, held } = setUp();
    queue.push("extract", "a");
    const first = await run(1);

    queue.push("extract", "a");
    first.fail(new Error("no luck"));
    await queue.whenIdle();
    expect(queue.push("extract", "a")).toBe("delayed");
    await clock.advance(JOB_LIMITS.retryBaseMs);
    (await run(2)).finish();
    await queue.whenIdle();

    expect(held.started).toHaveLength(2);
  });

  it("remembers the back-off over a restart, so nothing waits in no store (Q1, Q6)", async () => {
    const folder = createTempFolder().path;
    const before = setUp({ folder });
    before.queue.push("extract", "a");
    (await before.run(1)).fail(new Error("no luck"));
    await before.queue.whenIdle();

    const after = setUp({ folder });
    expect(after.queue.push("extract", "a")).toBe("delayed");
    await after.clock.advance(JOB_LIMITS.retryBaseMs);
    const again = await after.run(1);

    expect(again.context.attempt).toBe(2);
    again.finish();
    await after.queue.whenIdle();
  });

  it("runs every request after a restart with jobs that never finished (Q9)", async () => {
    const folder = createTempFolder().path;
    const before = setUp({ folder, concurrency: 4 });
    for (const lane of ["a", "b", "c", "d"]) before.queue.push("extract", lane);
    await before.spy.waitFor("job:started", { count: 4 });

    const after = setUp({ folder });
    for (const lane of ["a", "b", "c", "d"]) after.queue.push("extract", lane);
    for (let count = 1; count <= 4; count++) (await after.run(count)).finish();
    await after.queue.whenIdle();

    expect(after.held.started).toHaveLength(4);
  });

  it("runs a delayed job again at the instant it asked for, without counting a failure", async () => {
    const { queue, run, clock } = setUp();
    queue.push("extract", "a");

    const at = clock.now() + 60_000;
    (await run(1)).finish({ result: "delayed", at, reason: "settling" });
    await queue.whenIdle();
    expect(queue.describe().jobs[0]).toMatchObject({ state: "delayed", dueAt: at, reason: "settling" });
    await clock.advance(60_000);
    const second = await run(2);

    expect(second.context.attempt).toBe(1);
    second.finish();
    await queue.whenIdle();
  });

  it("does not run at full speed when a job asks for a time already past (fault 19)", async () => {
    const { queue, run, clock, held } = setUp();
    queue.push("extract", "a");

    (await run(1)).finish({ result: "delayed", at: clock.now() - 5_000, reason: "read-only" });
    await queue.whenIdle();
    await clock.advance(999);

    expect(held.started).toHaveLength(1);
    expect(queue.describe()).toMatchObject({ delayed: 1 });
  });
});

describe("jobs that do not end", () => {
  it("aborts a job after its time limit and opens the lane only when it has ended (Q12)", async () => {
    const { queue, run, clock, spy, held } = setUp({ concurrency: 2 });
    queue.push("extract", "a");
    const first = await run(1);

    await clock.advance(JOB_LIMITS.jobMs);
    expect(first.context.signal.aborted).toBe(true);
    expect(first.context.signal.reason).toMatchObject({ code: "timed-out" });
    await clock.advance(JOB_LIMITS.abortMs);
    expect(spy.seen("job:finished")[0]?.outcome).toMatchObject({ result: "failed", code: "timed-out" });
    await clock.advance(JOB_LIMITS.retryMaxMs);
    expect(held.started).toHaveLength(1);
    expect(spy.seen("warning:raised")).toEqual([expect.objectContaining({ code: "job-stuck" })]);

    first.finish();
    (await run(2)).finish();
    await queue.whenIdle();
    expect(held.overlaps).toEqual([]);
  });

  it("gives the slot of a job that never ends to other lanes", async () => {
    const { queue, run, clock } = setUp({ concurrency: 1 });
    queue.push("extract", "a");
    queue.push("extract", "b");
    await run(1);

    await clock.advance(JOB_LIMITS.jobMs + JOB_LIMITS.abortMs);
    const other = await run(2);

    expect(other.key).toBe("extract:b");
    other.finish();
  });

  it("takes the abort as the reason when a job that was aborted in time rejects", async () => {
    const kind: JobKind = {
      name: "k",
      run: (_key, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("broke off"))),
        ),
    };
    const { queue, clock, spy } = setUp({ kinds: [kind] });
    queue.push("k", "a");
    await spy.waitFor("job:started");

    await clock.advance(JOB_LIMITS.jobMs);

    expect(spy.seen("job:finished")[0]?.outcome).toMatchObject({ code: "timed-out" });
  });

  it("blames an uncaught error on the job whose timer threw it, and lives on (Q4, fault 71)", async () => {
    const thrown: unknown[] = [];
    const kind: JobKind = {
      name: "k",
      run: () =>
        new Promise(() => {
          setImmediate(() => {
            // What the process's handler of uncaught errors does, in the same asynchronous context.
            thrown.push(queue.blame(new Error("from a timer")));
          });
        }),
    };
    const { queue, spy, clock } = setUp({ kinds: [kind] });

    queue.push("k", "a");
    const { outcome } = await spy.waitFor("job:finished");
    await clock.advance(JOB_LIMITS.abortMs);
    await queue.whenIdle();

    expect(thrown).toEqual([true]);
    expect(outcome).toMatchObject({ result: "failed", message: "from a timer" });
    expect(queue.blame(new Error("nobody's"))).toBe(false);
  });
});

describe("cancelling", () => {
  it("drops a waiting job, tells of it, and becomes idle (Q13)", async () => {
    const { queue, run, spy, held } = setUp();
    queue.push("extract", "a");
    queue.push("extract", "b");
    const first = await run(1);

    expect(queue.cancel("extract:b")).toBe(true);
    expect(queue.cancel("extract:b")).toBe(false);
    first.finish();
    await queue.whenIdle();

    expect(held.started).toHaveLength(1);
    expect(spy.seen("job:finished").map(({ key }) => key)).toEqual(["extract:b", "extract:a"]);
  });

  it("runs a lane again that was cancelled while the engine held it", async () => {
    const { queue, run } = setUp();
    queue.pause();
    queue.push("extract", "a");
    await libraryTurns();
    queue.cancel("extract:a");
    queue.resume();
    await libraryTurns();

    queue.push("extract", "a");
    (await run(1)).finish();
    await queue.whenIdle();
  });

  it("aborts a running job with its trailing request and does not retry it", async () => {
    const { queue, run, held } = setUp();
    queue.push("extract", "a");
    const first = await run(1);
    queue.push("extract", "a");

    queue.cancel("extract:a");
    expect(first.context.signal.reason).toMatchObject({ code: "cancelled" });
    first.fail(first.context.signal.reason);
    await queue.whenIdle();

    expect(held.started).toHaveLength(1);
    expect(queue.describe().jobs).toEqual([]);
  });
});

describe("draining", () => {
  it("waits for running jobs, starts no other, and refuses requests", async () => {
    const { queue, run, held, retries } = setUp();
    queue.push("extract", "a");
    queue.push("extract", "b");
    const first = await run(1);

    const drained = queue.drain(JOB_LIMITS.drainMs);
    expect(queue.push("extract", "c")).toBe("stopping");
    first.finish();
    await drained;
    await queue.whenIdle();

    expect(first.context.signal.aborted).toBe(false);
    expect(held.started).toHaveLength(1);
    expect(retries.failures("extract:a")).toBe(0);
  });

  it("aborts what still runs at the deadline, ends without it, and counts no failure (fault 69)", async () => {
    const { queue, run, clock, retries } = setUp();
    queue.push("extract", "a");
    const first = await run(1);

    const drained = queue.drain(JOB_LIMITS.drainMs);
    await clock.advance(JOB_LIMITS.drainMs);
    expect(first.context.signal.reason).toMatchObject({ code: "stopping" });
    await clock.advance(JOB_LIMITS.abortMs);
    await drained;

    expect(retries.failures("extract:a")).toBe(0);
    first.finish();
  });

  it("leaves no timer behind, whatever waits", async () => {
    const { queue, run, clock } = setUp();
    queue.push("extract", "a");
    (await run(1)).fail(new Error("no luck"));
    await queue.whenIdle();
    queue.push("extract", "b");
    (await run(2)).finish();
    expect(clock.pendingTimers()).toBeGreaterThan(0);

    await queue.drain(JOB_LIMITS.drainMs);

    expect(clock.pendingTimers()).toBe(0);
  });

  it("is one drain however often it is asked for", () => {
    const { queue } = setUp();

    expect(queue.drain(0)).toBe(queue.drain(1_000));
  });
});

it("works with the real clock", async () => {
  const emitter = createEmitter(() => undefined);
  const clock = createClock();
  const path = createTempFolder().at("retry.json");
  const retries = createRetryClock({ files: createFiles(), clock, path, jitter: () => 0, emitter });
  const kind: JobKind = { name: "k", run: () => Promise.resolve(DONE) };
  const queue = createQueue({ kinds: new Map([["k", kind]]), concurrency: 2, clock, emitter, retries });

  for (let lane = 0; lane < 20; lane++) queue.push("k", `${lane}`);
  await queue.whenIdle();
  await queue.drain(0);

  expect(queue.describe().jobs).toEqual([]);
});
