// A key that is refused for a day (B35): a hundred sessions wait, and neither requests nor memory grow with the time.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Inside, Story } from "./story.ts";
import { createStory } from "./story.ts";

const PROJECTS = 5;
const SESSIONS_EACH = 20;
const MINUTE_MS = 60_000;
const HOUR = 60;
/** Resident memory after a day over that after two hours, when everything there is was loaded and said once. */
const RATIO_MAX = 1.1;

let stub: ModelStub;
let clock: ManualClock;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  clock = createManualClock();
  story = createStory({}, clock);
});
afterEach(() => stub.close());

function tell(): void {
  for (let number = 0; number < PROJECTS * SESSIONS_EACH; number++) {
    const sessionId = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const cwd = `/home/ana/p${number % PROJECTS}`;
    const words = createTranscript({ cwd, sessionId, firstNumber: 1 + number * 10 });
    words.user(`Look at page ${number}.`).assistant("Fine.");
    story.transcript(cwd, `${sessionId}.jsonl`, words.text());
  }
}

async function pass({ parts }: Inside, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(MINUTE_MS);
    await parts.queue.whenIdle();
  }
}

/** The least of some looks, each after a collection: the rest is garbage that goes by itself. */
async function residentBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const looks: number[] = [];
  for (let look = 0; look < 5; look++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    looks.push(process.memoryUsage.rss());
  }
  return Math.min(...looks);
}

it("stays as large after a day as after two hours, with one request in a quarter of an hour", async () => {
  story.config({
    provider: "local",
    baseUrl: stub.url,
    firstStart: { backfillDays: { model: 36_500 } },
    budget: { runsPerHour: 1_000 },
  });
  tell();
  stub.otherwise({ status: 401, error: { type: "authentication_error", message: "invalid" } });
  await story.inside(async (inside) => {
    inside.parts.recordConsent();
    await inside.service.sync({});
    await pass(inside, 2 * HOUR);
    const [before, sent] = [await residentBytes(), stub.requests.length];

    await pass(inside, 24 * HOUR);

    const ratio = (await residentBytes()) / before;
    expect(ratio, `${ratio.toFixed(3)} times what it was`).toBeLessThan(RATIO_MAX);
    expect(stub.requests.length - sent).toBeLessThanOrEqual(24 * 4 + 4);
    const { queue, provider } = await inside.service.status();
    expect(queue).toMatchObject({ delayed: PROJECTS, dead: 0 });
    expect(provider.closed).toMatchObject({ code: "model-key-rejected", waitingJobs: PROJECTS });
  });
});
