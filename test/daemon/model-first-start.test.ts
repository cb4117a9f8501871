// The first start on a machine with months of sessions (B39): a model is sent what is new from then on, the rest waits for
// a person, newest days first, and is sent once.
import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { newPartOf } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { createStory, S1, SHOP } from "./story.ts";

const OLD_SESSIONS = 406;
const DAYS = 120;
const DAY_MS = 86_400_000;
let stub: ModelStub;
let clock: ManualClock;

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
  clock = createManualClock();
});
afterEach(() => stub.close());

function memoryFiles(dir: string): Record<string, string> {
  if (!existsSync(dir)) return {};
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), "utf8")]));
}

it("sends the new words of a live session only, and each old session once, when a person asks", async () => {
  const story = createStory({}, clock);
  story.config({ provider: "local", baseUrl: stub.url, budget: { runsPerHour: 1_000 } });
  for (let session = 0; session < OLD_SESSIONS; session++) {
    const sessionId = `${String(session + 100).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const at = clock.now() - ((session + 1) * DAYS * DAY_MS) / OLD_SESSIONS;
    const cwd = `/home/ana/p${session % 20}`;
    const words = createTranscript({ cwd, sessionId, firstNumber: 1_000 + session * 10, startAt: at });
    words.user(`Look at page-${session}-end.`).assistant("Fine.");
    utimesSync(story.transcript(cwd, `${sessionId}.jsonl`, words.text()), at / 1_000, at / 1_000);
  }
  const live = createTranscript({ cwd: SHOP, startAt: clock.now() - 302 * 60_000 });
  for (let turn = 0; turn < 150; turn++) live.user(`Old words, turn ${turn}.`).assistant("Done.");
  const before = live.text();
  const path = story.transcript(SHOP, S1, before);
  utimesSync(path, clock.now() / 1_000 - 120, clock.now() / 1_000 - 120);

  await story.inside(async ({ parts, service }) => {
    parts.recordConsent();
    await service.sync({});
    for (let minute = 0; minute < 60; minute++) await clock.advance(60_000);
    await parts.queue.whenIdle();
    expect(stub.requests).toEqual([]);
    appendFileSync(path, live.user("New words of today.").assistant("Done.").text().slice(before.length));
    await service.sync({});
    expect(stub.requests.map(newPartOf).join("\n")).toContain("New words of today.");
    expect(stub.requests.length).toBeLessThanOrEqual(2);
    expect(stub.requests.map(newPartOf).join("\n")).not.toMatch(/page-\d+-end/u);

    const sent = stub.requests.length;
    const foreseen = await service.sync({ backfillDays: 3, dryRun: true });
    expect(stub.requests).toHaveLength(sent);
    expect(JSON.stringify(foreseen)).toMatch(/"requests":[1-9]/u);

    await service.sync({ backfillDays: 3 });
    const shown = () =>
      [
        ...stub.requests
          .map(newPartOf)
          .join("\n")
          .matchAll(/page-(\d+)-end/gu),
      ].map(([, at]) => Number(at));
    expect(shown().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, session) => session));

    const once = stub.requests.length;
    const files = memoryFiles(story.memoryDir(SHOP));
    await service.sync({ backfillDays: 3 });
    expect(stub.requests).toHaveLength(once);
    expect(memoryFiles(story.memoryDir(SHOP))).toEqual(files);
  });
});
