// A person ends a run of the daemon: nothing half done stays, and it does not come back by itself.
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createObserving } from "../../src/serve/triggers/observing.ts";
import { createTriggers } from "../../src/serve/triggers/triggers.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { quickStory, started, turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, S1, SHOP } from "./story.ts";

async function ask(story: Story, ...args: readonly string[]) {
  const result = await runCommand({ home: story.home, args: [...args, "--json"] });
  return { ...result, document: JSON.parse(result.stdout) };
}

function ledgerOf(story: Story): { id: string; outcome: string; requests: number }[] {
  const folder = join(story.home.stateDir, "runs");
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return text.flatMap((part) =>
    part
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
}

async function hangingStory() {
  const stub = await startModelStub();
  onTestFinished(() => stub.close());
  stub.reply({ blocks: ["Let me see"], hangAfter: 10 });
  stub.otherwise({ blocks: ["Nothing to keep."] });
  const story = quickStory(
    { minNewTokens: 0 },
    {
      provider: "local",
      baseUrl: stub.url,
      firstStart: { backfillDays: { model: 36_500 } },
    },
  );
  const path = story.transcript(SHOP, S1, turn("We ship on Mondays."));
  await started(story);
  return { story, stub, path, request: await stub.request(0) };
}

describe("cancel", () => {
  it("ends a run, keeps nothing of it, and says so everywhere", async () => {
    const { story, path, request } = await hangingStory();
    const { document: status } = await ask(story, "status");
    const [running] = status.runs;
    expect(running).toMatchObject({ kind: "extract", project: SHOP, state: "running" });
    expect((await runCommand({ home: story.home, args: ["status"] })).stdout).toContain(
      `running: ${running.id}`,
    );

    const { code, document: reply } = await ask(story, "cancel", running.id);

    expect(code).toBe(0);
    expect(reply).toMatchObject({
      v: 1,
      outcome: "cancelled",
      run: running.id,
      kind: "extract",
      project: SHOP,
    });
    expect(await request.ended).toBe("closed");
    expect(ledgerOf(story)).toMatchObject([{ id: running.id, outcome: "cancelled" }]);
    expect(story.topics(SHOP)).toEqual([]);
    const after = (await ask(story, "status")).document;
    expect(after).toMatchObject({
      runs: [],
      projects: [{ lastError: null, lastRun: { outcome: "cancelled" } }],
    });
    expect(after.sources[0].pendingBytes).toBeGreaterThan(0);

    expect((await ask(story, "why", path)).document.messages).toMatchObject([
      { outcome: "waiting", reason: { code: "cancelled" } },
    ]);
  });

  it("holds over every round until new words come", async () => {
    const stub = await startModelStub();
    onTestFinished(() => stub.close());
    stub.reply({ blocks: ["Let me see"], hangAfter: 10 });
    stub.otherwise({ blocks: ["Nothing to keep."] });
    const clock = createManualClock();
    const story = createStory({}, clock);
    story.config({
      extract: { debounceMs: 200, settleMs: 0, minNewTokens: 0 },
      provider: "local",
      baseUrl: stub.url,
      firstStart: { backfillDays: { model: 36_500 } },
    });
    const path = story.transcript(SHOP, S1, turn("We ship on Mondays."));
    await story.inside(async ({ parts, events }) => {
      const live = () => ({ pid: 1, startedAt: null, state: "idle", dueAt: parts.debounce.dueAt }) as const;
      const service = parts.service(live, async () => undefined);
      const observing = createObserving({ ...parts, make: () => createTriggers(parts) });
      onTestFinished(() => observing.stop());
      parts.queue.pause();
      parts.recordConsent();
      await observing.start();
      await clock.advance(200);
      await stub.request(0);
      const [run] = (await service.status()).runs ?? [];

      expect(await service.cancel({ run: run?.id ?? "" })).toMatchObject({ outcome: "cancelled" });
      const rounds = () => events.seen("sweep:finished").length;
      const before = rounds();
      for (let minute = 0; rounds() < before + 3 && minute < 60; minute++) await clock.advance(60_000);
      expect(rounds()).toBeGreaterThan(before + 2);
      expect(stub.requests).toHaveLength(1);

      appendFileSync(path, turn("We ship on Tuesdays now.", 20));
      // To its start: the question is on its way in real time, and no clock of ours must run out meanwhile.
      const runs = () => events.seen("job:started").length;
      const begun = runs();
      for (let minute = 0; runs() === begun && minute < 60; minute++) await clock.advance(60_000);
      await stub.request(1);
      await parts.queue.whenIdle();
      await observing.stop();
    });
  });

  it("of a job that waits for its turn takes it away, under the id the status shows", async () => {
    const clock = createManualClock();
    const story = createStory({}, clock);
    story.transcript(SHOP, S1, turn("Remember that we ship on Mondays, from the release branch."));
    await story.inside(async ({ parts }) => {
      const live = () => ({ pid: 1, startedAt: null, state: "idle", dueAt: parts.debounce.dueAt }) as const;
      const service = parts.service(live, async () => undefined);
      parts.queue.pause();
      parts.due(story.memoryDir(SHOP), { trigger: "test", now: false });
      const [job] = (await service.status()).runs ?? [];
      expect(job).toMatchObject({ state: "waiting", startedAt: null });

      const reply = await service.cancel({ run: job?.id ?? "" });

      expect(reply).toMatchObject({ outcome: "cancelled", kind: "extract" });
      expect((await service.status()).runs).toEqual([]);
      expect(ledgerOf(story)).toMatchObject([{ id: reply.run, outcome: "cancelled", requests: 0 }]);
    });
  });

  it("is asked for again by sync", async () => {
    const { story, stub } = await hangingStory();
    const { document: status } = await ask(story, "status");
    await ask(story, "cancel", status.runs[0].id);

    expect((await ask(story, "sync")).code).toBe(0);

    expect(stub.requests.length).toBeGreaterThan(1);
  });

  it("by ignore ends the run that reads the session, and no later one teaches from it", async () => {
    const { story, stub, request, path } = await hangingStory();

    const { code, document: reply } = await ask(story, "ignore", path);

    expect([code, reply]).toMatchObject([0, { outcome: "ignored", agent: "claude-code", removed: [] }]);
    expect(await request.ended).toBe("closed");
    appendFileSync(path, turn("Remember that we ship on Mondays, from the release branch.", 30));
    expect((await ask(story, "sync")).code).toBe(0);
    expect(stub.requests).toHaveLength(1);
    expect(story.topics(SHOP)).toEqual([]);
    const { document: session } = await ask(story, "why", path);
    expect(session.messages.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "skipped",
      "skipped",
    ]);
  });

  it("of an unknown run names the running ones", async () => {
    const { story } = await hangingStory();
    const { document: status } = await ask(story, "status");

    const { code, document: failure } = await ask(story, "cancel", "20200101T000000000-00000000");

    expect(code).toBe(1);
    expect(failure.error).toMatchObject({ code: "unknown-run" });
    expect(failure.error.fix).toContain(status.runs[0].id);
  });
});
