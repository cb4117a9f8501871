// One provider for all projects: what is wrong with it is asked about once for the whole daemon, costs no job an attempt,
// loses no word, and is over as soon as it is mended. Hours pass in a moment.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { newPartOf } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Inside, Story } from "./story.ts";
import { createStory, S1 } from "./story.ts";

const MINUTE_MS = 60_000;
const NOTHING: StubReply = { blocks: ["Nothing to keep."] };
const BAD_KEY: StubReply = { status: 401, error: { type: "authentication_error", message: "invalid" } };

let stub: ModelStub;
let clock: ManualClock;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  clock = createManualClock();
  story = createStory({}, clock);
});
afterEach(() => stub.close());

function configure(more: object = {}): void {
  story.config({
    provider: "local",
    baseUrl: stub.url,
    firstStart: { backfillDays: { model: 36_500 } },
    budget: { runsPerHour: 1_000 },
    ...more,
  });
}

/** `sessions` of one message each in every project; the words name both. */
function tell(projects: number, sessions: number): void {
  for (let project = 0; project < projects; project++) {
    for (let session = 0; session < sessions; session++) {
      const number = project * sessions + session;
      const sessionId = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
      const cwd = `/home/ana/p${project}`;
      const words = createTranscript({ cwd, sessionId, firstNumber: 1 + number * 10 });
      words.user(`Look at page-${number}-end.`).assistant("Fine.");
      story.transcript(cwd, `${sessionId}.jsonl`, words.text());
    }
  }
}

/** Minute by minute; what a minute starts is over before the next. */
async function pass({ parts }: Inside, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(MINUTE_MS);
    await parts.queue.whenIdle();
  }
}

/** How often each session was shown to the model as new, of those answered. */
function shown(from: number): number[] {
  const text = stub.requests.slice(from).map(newPartOf).join("\n");
  return [...text.matchAll(/page-(\d+)-end/gu)].map(([, number]) => Number(number)).toSorted((a, b) => a - b);
}

/** Nobody listens there. */
async function freePort(): Promise<number> {
  const elsewhere = await startModelStub();
  await elsewhere.close();
  return Number(new URL(elsewhere.url).port);
}

function cursors(): string {
  const dir = join(story.home.env["XDG_STATE_HOME"] ?? "", "engramd", "cursors");
  return readdirSync(dir)
    .filter((name) => name === "sources.jsonl")
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .join("");
}

describe("a key that is not accepted (B35, fault 61)", () => {
  it.each([
    ["401", BAD_KEY],
    ["403", { status: 403, error: { type: "permission_error" } }],
    ["400", { status: 400, error: { type: "invalid_request_error", message: "invalid x-api-key" } }],
  ] satisfies [string, StubReply][])(
    "of status %s is tried every quarter of an hour by the whole daemon, and everything is read once it is mended",
    async (_status, reply) => {
      configure();
      tell(5, 20);
      stub.otherwise(reply);
      await story.inside(async (inside) => {
        const { parts, service } = inside;
        parts.recordConsent();
        await service.sync({});
        expect(stub.requests.length).toBeLessThanOrEqual(3);
        const before = cursors();

        await pass(inside, 360);

        expect(stub.requests.length).toBeLessThanOrEqual(30);
        expect(stub.requests.length).toBeGreaterThan(20);
        expect(cursors()).toBe(before);
        const { provider, warnings, queue, sources } = await service.status();
        expect(provider.closed).toMatchObject({ code: "model-key-rejected", waitingJobs: 5 });
        expect(provider.closed?.since).toBe("2026-05-04T09:00:00.000Z");
        expect(warnings).toMatchObject([{ code: "model-key-rejected" }]);
        expect(warnings[0]?.message).toMatch(
          /since 2026-05-04T09:00:00.000Z; 5 jobs wait; next try 2026-05-04T15:/u,
        );
        expect({ ...queue, pending: sources[0]?.pendingBytes !== 0 }).toMatchObject({
          delayed: 5,
          dead: 0,
          pending: true,
        });
        expect(parts.modelState()).toBe("degraded");

        const failed = stub.requests.length;
        stub.otherwise(NOTHING);
        await pass(inside, 20);

        expect(shown(failed)).toEqual(Array.from({ length: 100 }, (_, number) => number));
        const mended = await service.status();
        expect(mended).toMatchObject({ warnings: [], queue: { delayed: 0, dead: 0 } });
        expect(mended.provider).not.toHaveProperty("closed");
      });
    },
  );

  it("is tried at once after the settings are read again, and by one request", async () => {
    configure();
    tell(5, 1);
    stub.otherwise(BAD_KEY);
    await story.inside(async (inside) => {
      const { parts, service } = inside;
      parts.recordConsent();
      await service.sync({});
      const first = stub.requests.length;

      parts.reload();
      parts.restartJobs();
      await parts.queue.whenIdle();
      expect(stub.requests).toHaveLength(first + 1);

      stub.otherwise(NOTHING);
      parts.restartJobs();
      await parts.queue.whenIdle();
      expect(shown(first + 1)).toEqual([0, 1, 2, 3, 4]);
    });
  });

  it("is tried at once when its file holds another one, and after a restart with another variable", async () => {
    const file = join(story.home.home, "key");
    writeFileSync(file, "a-first-key-1", { mode: 0o600 });
    configure({ apiKeyFile: file });
    tell(3, 1);
    stub.otherwise(BAD_KEY);
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await inside.service.sync({});
      const failed = stub.requests.length;
      const { warnings } = await inside.service.status();
      expect(warnings[0]?.message).toContain("apiKeyFile");

      stub.otherwise(NOTHING);
      writeFileSync(file, "a-second-key-2", { mode: 0o600 });
      await clock.advance(6_000);
      await inside.parts.queue.whenIdle();

      expect(shown(failed)).toEqual([0, 1, 2]);
    });
  });

  it("of a command is run with each try only, and at once where the settings name another command", async () => {
    const file = join(story.home.home, "key");
    const other = join(story.home.home, "other");
    const asked = join(story.home.home, "asked");
    writeFileSync(file, "a-first-key-1");
    writeFileSync(asked, "");
    const reading = (path: string) => ({ apiKeyCommand: `echo x >> '${asked}'; cat '${path}'` });
    const runs = () => readFileSync(asked, "utf8").length / 2;
    configure(reading(file));
    tell(2, 1);
    stub.otherwise(BAD_KEY);
    await story.inside(async (inside) => {
      const { parts, service } = inside;
      parts.recordConsent();
      await service.sync({});
      const [sent, ran] = [stub.requests.length, runs()];
      writeFileSync(file, "a-second-key-2");
      await pass(inside, 14);
      expect([stub.requests.length, runs()]).toEqual([sent, ran]);
      await pass(inside, 2);
      expect(stub.requests).toHaveLength(sent + 1);

      stub.otherwise(NOTHING);
      writeFileSync(other, "a-third-key-3");
      configure(reading(other));
      parts.reload();
      parts.restartJobs();
      await parts.queue.whenIdle();
      expect(shown(sent + 1)).toEqual([0, 1]);
    });
  });

  it("is not tried at each restart, but when the restart brings another key", async () => {
    configure({ apiKeyEnv: "SHOP_KEY" });
    tell(2, 1);
    stub.otherwise(BAD_KEY);
    const start = (key: string) => createStory({ SHOP_KEY: key }, clock, story.home);
    await start("a-first-key-1").inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({});
    });
    const sent = stub.requests.length;
    const restart = (key: string) =>
      start(key).inside(async ({ parts }) => {
        await parts.rounds.run(new AbortController().signal, { listAll: true });
        for (const folder of parts.unreadFolders().keys())
          parts.due(folder, { trigger: "start", now: false });
        await parts.queue.whenIdle();
        await clock.advance(1_000);
        await parts.queue.whenIdle();
      });

    for (let time = 0; time < 10; time++) await restart("a-first-key-1");
    expect(stub.requests).toHaveLength(sent);

    stub.otherwise(NOTHING);
    await restart("a-second-key-2");
    expect(shown(sent)).toEqual([0, 1]);
  });
});

describe("a provider without room (faults 59, 60, 68)", () => {
  it.each([
    ["an overload of 30 minutes", { status: 529, error: { type: "overloaded_error" } }, 15],
    ["a limit that asks for an hour", { status: 429, headers: { "retry-after": "3600" } }, 3],
  ] satisfies [string, StubReply, number][])(
    "of %s costs a handful of requests for all projects, no attempt and no word",
    async (_what, reply, requestsMax) => {
      configure();
      tell(5, 4);
      stub.otherwise(reply);
      await story.inside(async (inside) => {
        const { parts, service, events } = inside;
        parts.recordConsent();
        await service.sync({});
        await pass(inside, 30);
        const failed = stub.requests.length;
        expect(failed).toBeLessThanOrEqual(requestsMax);
        const { queue, provider, warnings } = await service.status();
        expect({ ...queue, jobs: provider.closed?.waitingJobs }).toMatchObject({
          delayed: 5,
          dead: 0,
          jobs: 5,
        });
        expect(warnings).toEqual([]);
        expect(parts.queue.describe().jobs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);

        stub.otherwise(NOTHING);
        await pass(inside, 40);

        expect(shown(failed)).toEqual(Array.from({ length: 20 }, (_, number) => number));
        expect(events.seen("job:finished").filter(({ outcome }) => outcome.result === "failed")).toEqual([]);
      });
    },
  );

  it("that cannot be reached is asked again by itself, and all is read once it is there", async () => {
    const port = await freePort();
    configure({ baseUrl: `http://127.0.0.1:${port}` });
    tell(2, 1);
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await inside.service.sync({});
      await pass(inside, 5);
      const { provider } = await inside.service.status();
      expect(provider.closed).toMatchObject({ code: "model-unreachable", waitingJobs: 2 });

      stub.otherwise(NOTHING);
      const road = createServer((near) => {
        const far = connect(Number(new URL(stub.url).port), "127.0.0.1");
        near.pipe(far).pipe(near);
        for (const end of [near, far]) end.on("error", () => [near, far].map((each) => each.destroy()));
      });
      await new Promise<void>((resolve) => void road.listen(port, "127.0.0.1", resolve));
      await pass(inside, 20);

      expect(shown(0)).toEqual([0, 1]);
      road.close();
    });
  });

  it("that says so in words is left alone for hours, and the words are no answer", async () => {
    configure();
    tell(3, 1);
    stub.otherwise({ blocks: ["You've hit your session limit."] });
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await inside.service.sync({});
      await pass(inside, 290);
      const failed = stub.requests.length;
      expect(failed).toBeLessThanOrEqual(2);

      stub.otherwise(NOTHING);
      await pass(inside, 15);

      expect(shown(failed)).toEqual([0, 1, 2]);
    });
  });
});

describe("a failure that may be one session's own (fault 64)", () => {
  it("keeps no other project from being read", async () => {
    configure();
    tell(3, 1);
    stub.otherwise((request) =>
      newPartOf(request).includes("page-2-end") ? { status: 500, error: { type: "api_error" } } : NOTHING,
    );
    await story.inside(async (inside) => {
      inside.parts.recordConsent();
      await inside.service.sync({});
      await pass(inside, 30);

      expect(new Set(shown(0))).toEqual(new Set([0, 1, 2]));
      expect(inside.parts.queue.describe().jobs).toMatchObject([{ state: "delayed" }]);
      expect(stub.requests.length).toBeLessThan(20);
    });
  });
});

describe("a session the model finds too long (B40, fault 62)", () => {
  const TOO_LONG: StubReply = {
    status: 400,
    error: { type: "invalid_request_error", message: "prompt is too long: 1200000 tokens > 200000 maximum" },
  };
  const bodySize = (request: StubRequest) => JSON.stringify(request.body).length;

  it("with tool results of megabytes is cut before the first request", async () => {
    configure();
    const audit = createTranscript({ cwd: "/home/ana/p0" }).user("Audit the log.");
    for (let call = 0; call < 60; call++) {
      audit.toolCall("Bash", { command: `cat log-${call}` }).toolResult(`line ${call} `.repeat(40_000));
    }
    story.transcript(
      "/home/ana/p0",
      S1,
      audit.assistant("Done.").user("Use UTC everywhere.").assistant("Yes.").text(),
    );
    stub.otherwise((request) => (bodySize(request) > 200_000 ? TOO_LONG : NOTHING));

    await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({});
      expect(stub.requests.length).toBeLessThanOrEqual(2);
      for (const words of ["Audit the log.", "Use UTC everywhere."]) {
        expect(stub.requests.map(newPartOf).join("\n")).toContain(words);
      }
      expect((await service.status()).sources[0]?.pendingBytes).toBe(0);
    });
  });

  it("is halved twice at most, then waits by itself while every other session is read", async () => {
    configure();
    tell(2, 2);
    stub.otherwise((request) => (newPartOf(request).includes("page-0-end") ? TOO_LONG : NOTHING));

    await story.inside(async (inside) => {
      const { parts, service } = inside;
      parts.recordConsent();
      const report = await service.sync({});
      const tries = () => shown(0).filter((number) => number === 0).length;
      expect(tries()).toBe(3);
      expect(new Set(shown(0))).toEqual(new Set([0, 1, 2, 3]));
      expect(report.skipped.map(({ reason }) => reason)).toContain("too-long");
      const { warnings, sources, queue } = await service.status();
      expect(warnings).toMatchObject([{ code: "session-too-long" }]);
      expect(warnings[0]?.fix).toContain("engramd sync");
      expect(sources[0]?.pendingBytes).toBeGreaterThan(0);
      expect(queue).toMatchObject({ dead: 0, delayed: 0 });

      for (const folder of parts.unreadFolders().keys()) parts.due(folder, { trigger: "quiet", now: false });
      await pass(inside, 120);
      expect(tries()).toBe(3);

      stub.otherwise(NOTHING);
      await service.sync({});
      expect(tries()).toBe(4);
      expect((await service.status()).warnings).toEqual([]);
    });
  });

  it("is known to be so after a restart: it is not asked about again before it grows, and is still named", async () => {
    configure();
    tell(1, 1);
    stub.otherwise(TOO_LONG);
    await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({});
    });
    expect(stub.requests).toHaveLength(3);

    await story.inside(async (inside) => {
      const { parts, service } = inside;
      const start = async () => {
        await parts.rounds.run(new AbortController().signal);
        for (const folder of parts.unreadFolders().keys())
          parts.due(folder, { trigger: "start", now: false });
        await pass(inside, 30);
      };
      await start();
      expect(stub.requests).toHaveLength(3);
      expect((await service.status()).warnings).toMatchObject([{ code: "session-too-long" }]);

      const sessionId = "00000000-0000-4000-8000-000000000000";
      const more = createTranscript({ cwd: "/home/ana/p0", sessionId, firstNumber: 500 }).user("Thank you.");
      const path = join(story.home.claudeProjects, "-home-ana-p0", `${sessionId}.jsonl`);
      appendFileSync(path, more.assistant("Fine.").text());
      stub.otherwise(NOTHING);
      await start();
      expect(shown(3)).toEqual([0]);
      expect((await service.status()).warnings).toEqual([]);
    });
  });

  it("goes on from where a smaller piece fits, and shows each message once", async () => {
    configure();
    const long = createTranscript({ cwd: "/home/ana/p0" });
    for (let turn = 0; turn < 60; turn++) {
      long
        .user(`Look at page-${turn}-end. ${"please look at this part of it ".repeat(40)}`)
        .assistant("Fine.");
    }
    story.transcript("/home/ana/p0", S1, long.text());
    stub.otherwise((request) => (newPartOf(request).length > 40_000 ? TOO_LONG : NOTHING));

    await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({});
      const refused = stub.requests.filter((request) => newPartOf(request).length > 40_000).length;
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThanOrEqual(2);
      expect(shown(refused)).toEqual(Array.from({ length: 60 }, (_, turn) => turn));
    });
  });
});
