// What the status says about the model: what is wrong, what mends it, what was spent.
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Status } from "../../src/domain/status.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, S1, S2, SHOP } from "./story.ts";

let stub: ModelStub;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  story = createStory();
});
afterEach(() => stub.close());

function configure(more: object = {}): void {
  const firstStart = { backfillDays: { model: 36_500 } };
  story.config({ provider: "local", baseUrl: stub.url, firstStart, ...more });
  story.transcript(
    SHOP,
    S1,
    createTranscript({ cwd: SHOP }).user("Look at this page.").assistant("Fine.").text(),
  );
}

/** A pass, and what the status and the daemon's state say after it. */
async function afterSync(): Promise<{ readonly status: Status; readonly state: string | undefined }> {
  return story.inside(async ({ parts, service }) => {
    parts.recordConsent();
    await service.sync({});
    return { status: await service.status(), state: parts.modelState() };
  });
}

it("names a key that is not accepted, what mends it, and is degraded until then", async () => {
  configure();
  stub.otherwise({ status: 401, error: { type: "authentication_error" } });

  const { status, state } = await afterSync();

  expect(state).toBe("degraded");
  const warning = status.warnings.find(({ code }) => code === "model-key-rejected");
  expect(warning?.fix).toMatch(/key/u);
  stub.otherwise({ blocks: ["Nothing to keep."] });
  const mended = await afterSync();
  expect(mended.state).toBeUndefined();
  expect(mended.status.warnings).toEqual([]);
});

it("tries again at once what failed when the settings are read again", async () => {
  configure();
  stub.otherwise({ status: 401, error: { type: "authentication_error" } });

  await story.inside(async ({ parts, service, events }) => {
    parts.recordConsent();
    await service.sync({});
    stub.otherwise({ blocks: ["Nothing to keep."] });
    parts.reload();
    parts.restartJobs();
    await parts.queue.whenIdle();
    expect(events.seen("job:finished").map(({ outcome }) => outcome.result)).toEqual([
      "delayed",
      "succeeded",
    ]);
    expect(parts.modelState()).toBeUndefined();
  });
});

it("calls nobody for a server that is merely busy", async () => {
  configure();
  stub.otherwise({ status: 529, error: { type: "overloaded_error" } });

  const { status, state } = await afterSync();

  expect(state).toBeUndefined();
  expect(status.warnings).toEqual([]);
  expect(status.projects[0]?.lastError?.code).toBe("model-overloaded");
});

it("says which ceiling is reached, until when, and what was spent", async () => {
  configure({ budget: { runsPerHour: 1 } });
  stub.otherwise({ blocks: ["Nothing to keep."] });
  await afterSync();
  const later = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 60 });
  story.transcript(SHOP, S2, later.user("And at this one.").assistant("Fine.").text());

  const { status, state } = await afterSync();

  expect(stub.requests).toHaveLength(1);
  expect(state).toBe("over-budget");
  const warning = status.warnings.find(({ code }) => code === "over-budget");
  expect(warning?.message).toContain("budget.runsPerHour");
  expect(status.budget).toMatchObject({ exhausted: true });
  expect(status.budget.tokensToday).toBeGreaterThan(1_000);
});

it.each([0, 0.000_1])(
  "names no time where a ceiling of %d leaves no room for anything",
  async (usdPerDay) => {
    configure({ provider: "anthropic", budget: { usdPerDay } });

    const { status } = await afterSync();

    expect(stub.requests).toEqual([]);
    const warning = status.warnings.find(({ code }) => code === "over-budget");
    expect(warning?.message).toBe(
      "budget.usdPerDay is less than one run of the model may cost: new words wait",
    );
    expect(warning?.fix).toMatch(/^raise budget\.usdPerDay/u);
  },
);

it.each([
  ["a higher ceiling", {}, 1],
  ["no model", { provider: "offline" }, 0],
])(
  "reads what waits for room under a ceiling as soon as the settings name %s",
  async (_, better, requests) => {
    configure({ budget: { runsPerHour: 0 } });
    stub.otherwise({ blocks: ["Nothing to keep."] });

    await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({});
      const waits = await service.status();
      expect(waits.projects[0]?.waitingFor).toBe("over-budget");
      expect(waits.sources[0]?.pendingBytes).toBeGreaterThan(0);

      configure(better);
      parts.reload();
      parts.restartJobs();
      await parts.queue.whenIdle();

      const after = await service.status();
      expect(after.sources[0]?.pendingBytes).toBe(0);
      expect(after.projects[0]).toMatchObject({ waitingFor: null, nextDue: { extract: null } });
    });

    expect(stub.requests).toHaveLength(requests);
  },
);

it("says so where new settings cannot be used, until some can", async () => {
  configure();
  const bad = await story.inside(async ({ parts, service }) => {
    configure({ budget: { usdPerDay: -1 } });
    expect(() => parts.reload()).toThrow(/usdPerDay/u);
    const [first] = (await service.status()).warnings;
    configure({ budget: { usdPerDay: 1 } });
    parts.reload();
    const after = (await service.status()).warnings;
    return { first, after };
  });

  expect(bad.first).toMatchObject({ code: "config-kept" });
  expect(bad.first?.message).toContain("budget.usdPerDay is -1");
  expect(bad.after.map(({ code }) => code)).not.toContain("config-kept");
});

it("names an agent the model may not read, and the command that allows it", async () => {
  configure();
  const env = createStory({ ENGRAMD_PROVIDER: "local" });
  env.config({ baseUrl: stub.url });
  env.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user("Look.").assistant("Fine.").text());

  await env.sync();
  const { warnings } = await env.ask((service) => service.status());

  expect(warnings).toMatchObject([{ code: "agent-without-consent" }]);
  expect(warnings[0]?.fix).toBe("engramd model use local --agent claude-code");
  expect(stub.requests).toEqual([]);
});

it("warns of a paid model whose price it does not know", async () => {
  const key = `${story.home.home}/key`;
  writeFileSync(key, "a-key-of-a-test", { mode: 0o600 });
  configure({ provider: "anthropic", apiKeyFile: key, models: { extract: "claude-of-tomorrow" } });
  stub.otherwise({ blocks: ["Nothing to keep."] });

  const { status } = await afterSync();

  expect(status.warnings.map(({ code }) => code)).toContain("model-without-price");
});

it("sends nothing to a model its vendor has switched off, says so and names the one in its place", async () => {
  const key = `${story.home.home}/key`;
  writeFileSync(key, "a-key-of-a-test", { mode: 0o600 });
  configure({ provider: "anthropic", apiKeyFile: key, models: { extract: "claude-sonnet-4-5" } });

  const { status, state } = await afterSync();

  expect(stub.requests).toEqual([]);
  expect(state).toBe("degraded");
  const warnings = status.warnings.filter(({ code }) => code === "model-retired");
  expect(warnings).toMatchObject([{ fix: "engramd model use anthropic --model claude-sonnet-4-6" }]);
  expect(status.projects[0]?.lastError?.code).toBe("model-retired");
  expect(status.sources[0]?.pendingBytes).toBeGreaterThan(0);
});
