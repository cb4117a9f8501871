// Ten thousand sessions behind a provider without room: memory and requests stay bounded, nothing is lost or read twice, the
// newest words go first, and a kill -9 in the middle changes none of it. Hours pass in a moment.
import { cpSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { newPartOf } from "../helpers/model-memory.ts";
import type { ModelStub, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Inside, Story } from "./story.ts";
import { createStory } from "./story.ts";

const PROJECTS = 200;
const SESSIONS_EACH = 50;
const SESSIONS = PROJECTS * SESSIONS_EACH;
const MINUTE_MS = 60_000;
/** A wave of all jobs against a closed gate leaves nothing behind; the rest is noise of the collector. */
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;

let stub: ModelStub;
let clock: ManualClock;
let story: Story;
/** Sessions in the order in which the model answered about them. */
let answered: number[];
let refused: number;
let isFull: boolean;

beforeEach(async () => {
  stub = await startModelStub();
  clock = createManualClock();
  story = createStory({}, clock);
  answered = [];
  refused = 0;
  isFull = true;
  stub.otherwise((request) => {
    // The stub would keep a gigabyte of requests.
    (stub.requests as StubRequest[]).length = 0;
    if (isFull) {
      refused += 1;
      return { status: 529, error: { type: "overloaded_error" } };
    }
    for (const [, number] of newPartOf(request).matchAll(/page-(\d+)-end/gu)) answered.push(Number(number));
    return { blocks: ["Nothing to keep."] };
  });
});
afterEach(() => stub.close());

const projectOf = (session: number) => Math.floor(session / SESSIONS_EACH);

/** Sessions of later projects are newer. */
function tell(): void {
  story.config({
    provider: "local",
    baseUrl: stub.url,
    firstStart: { backfillDays: { model: 36_500 } },
    budget: { runsPerHour: 10_000, tokensPerDay: 1_000_000_000 },
  });
  const oldest = clock.now() - 2 * 86_400_000;
  for (let session = 0; session < SESSIONS; session++) {
    const sessionId = `${String(session).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const cwd = `/home/ana/p${projectOf(session)}`;
    const at = oldest + session * 10_000;
    const words = createTranscript({ cwd, sessionId, firstNumber: 1 + session * 10, startAt: at });
    words.user(`Look at page-${session}-end.`).assistant("Fine.");
    utimesSync(story.transcript(cwd, `${sessionId}.jsonl`, words.text()), at / 1_000, at / 1_000);
  }
}

async function pass({ parts }: Inside, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(MINUTE_MS);
    await parts.queue.whenIdle();
  }
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

/** What a kill -9 leaves is what lies on disk at that moment. */
async function untilKilled(use: (inside: Inside, kill: () => void) => Promise<void>): Promise<void> {
  const state = join(story.home.env["XDG_STATE_HOME"] ?? "", "engramd");
  const left = `${state}-left`;
  await story.inside((inside) => use(inside, () => cpSync(state, left, { recursive: true })));
  rmSync(state, { recursive: true });
  renameSync(left, state);
}

/** What a start does with words nobody has read. */
async function start({ parts }: Inside): Promise<void> {
  parts.recordConsent();
  await parts.rounds.run(new AbortController().signal, { listAll: true });
  for (const folder of parts.unreadFolders().keys()) parts.due(folder, { trigger: "start", now: false });
  await parts.queue.whenIdle();
}

it("waits for a provider without room, and then reads all of it once, newest first, over two kills", async () => {
  tell();
  await untilKilled(async (inside, kill) => {
    await start(inside);
    const before = heapBytes();
    await pass(inside, 20);
    expect(inside.parts.queue.describe()).toMatchObject({ delayed: PROJECTS, dead: 0 });
    expect(heapBytes() - before).toBeLessThan(GROWTH_BYTES_MAX);
    kill();
  });
  let first: readonly number[] = [];
  await untilKilled(async (inside, kill) => {
    await start(inside);
    await pass(inside, 10);
    expect(refused).toBeLessThanOrEqual(15);
    expect(answered).toEqual([]);
    isFull = false;
    const half = new Promise<void>((resolve) => {
      inside.parts.emitter.on("job:finished", () => {
        if (answered.length >= SESSIONS / 2) resolve();
      });
    });
    const rest = pass(inside, 16);
    await half;
    kill();
    first = [...answered];
    isFull = true;
    await rest;
  });
  isFull = false;
  answered.length = 0;
  await story.inside(async (inside) => {
    await start(inside);
    await pass(inside, 30);
    const { sources, queue } = await inside.service.status();
    expect(sources[0]?.pendingBytes).toBe(0);
    expect(queue).toMatchObject({ waiting: 0, delayed: 0, dead: 0 });
  });

  expect(new Set([...first, ...answered]).size).toBe(SESSIONS);
  // Only what was answered and not yet written down when the kill came is asked again: at most one job's in each slot.
  expect(first.length + answered.length - SESSIONS).toBeLessThanOrEqual(2 * SESSIONS_EACH);
  const order = [...new Set(first.map(projectOf))];
  // Two jobs run at once.
  for (const [place, project] of order.entries()) {
    expect(Math.abs(PROJECTS - 1 - place - project)).toBeLessThanOrEqual(2);
  }
}, 1_200_000);
