// The gate between jobs and a provider: what closes it, what one probe at a time does, what survives a restart.
import { describe, expect, it } from "vitest";
import { MODEL_LIMITS } from "../../../../src/domain/limits.ts";
import type { ModelTurn } from "../../../../src/domain/models.ts";
import { closesAt, mayBeBilled, MODEL_FAILURES, modelFailure } from "../../../../src/learn/models/failure.ts";
import type { ModelFailureCode } from "../../../../src/learn/models/failure.ts";
import type { FoundKey, KeySource } from "../../../../src/learn/models/key.ts";
import { createProviderGate } from "../../../../src/learn/models/provider-gate.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import type { ManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { ask, NEVER } from "./request.ts";

const NAME = "local at http://127.0.0.1:1";
const MINUTE_MS = 60_000;

type Turn = Partial<ModelTurn> | Error;

const EMPTY: ModelTurn = {
  blocks: [],
  stop: "done",
  usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
  model: "claude-haiku-4-5",
};

interface Scene {
  readonly path?: string;
  readonly clock?: ManualClock;
  readonly keyPlace?: FoundKey["from"];
  /** The key as it is now. */
  readonly key?: () => string;
}

function setUp(scene: Scene = {}) {
  const { clock = createManualClock(), path = createTempFolder().at("provider.json") } = scene;
  const { keyPlace, key = () => "" } = scene;
  const mended: number[] = [];
  const gate = createProviderGate({
    clock,
    path,
    files: createFiles(),
    emitter: createEmitter((error) => {
      throw error;
    }),
    jitter: () => 0,
    onMended: () => void mended.push(clock.now()),
  });
  const turns: (Turn | Promise<Turn>)[] = [];
  let sent = 0;
  const keys: KeySource = {
    read: async () => ({ value: key(), from: keyPlace ?? "variable" }),
  };
  const client = gate.guard({ name: NAME, keyPlace, keys }, (noted) => ({
    provider: "local",
    async complete(_, signal) {
      await noted.read(signal);
      sent += 1;
      const turn = await (turns.shift() ?? {});
      if (turn instanceof Error) throw turn;
      return { ...EMPTY, ...turn };
    },
  }));
  const send = () => client.complete(ask(), NEVER).catch((error: unknown) => error);
  return { gate, clock, path, turns, send, mended, sent: () => sent };
}

function failing(code: ModelFailureCode, more: object = {}): Error {
  return modelFailure(code, { detail: "host", ...more });
}

function codesThatClose(when: "at-once" | "third"): ModelFailureCode[] {
  const all = Object.keys(MODEL_FAILURES) as ModelFailureCode[];
  return all.filter((code) => closesAt(code) === when);
}

describe("a failure that is the provider's alone", () => {
  it.each(codesThatClose("at-once"))(
    "closes it with the first %s, and the job waits instead of failing",
    async (code) => {
      const { gate, turns, send, sent } = setUp();
      turns.push(failing(code));

      expect(await send()).toMatchObject({ code, disposition: "wait" });
      expect(await send()).toMatchObject({ code, disposition: "wait" });
      expect(sent()).toBe(1);
      expect(gate.held(NAME)).toMatchObject({ reason: code });
      expect(gate.closed()).toMatchObject([{ code, target: NAME }]);
    },
  );
});

describe("a failure that may be the request's own", () => {
  it.each(codesThatClose("third"))(
    "is the job's, and closes the provider with the third %s in a row",
    async (code) => {
      const { gate, turns, send } = setUp();
      turns.push(failing(code), failing(code), {}, failing(code), failing(code), failing(code));

      for (let request = 0; request < 5; request++) await send();
      expect(gate.held(NAME)).toBeUndefined();
      const third = await send();

      expect(third).toMatchObject({ code, disposition: "retry" });
      expect(gate.held(NAME)).toMatchObject({ reason: code });
    },
  );

  it.each(["model-too-long", "model-request-rejected"] as const)("never closes it as %s", async (code) => {
    const { gate, turns, send } = setUp();
    turns.push(...Array.from({ length: 9 }, () => failing(code)));

    for (let request = 0; request < 9; request++) await send();

    expect(gate.closed()).toEqual([]);
  });
});

describe("a closed provider", () => {
  it("is tried after 5 s, 10 s, 20 s ... and never more rarely than every quarter of an hour", async () => {
    const { gate, clock, turns, send } = setUp();
    const waits: number[] = [];
    for (let failure = 0; failure < 12; failure++) {
      turns.push(failing("model-overloaded"));
      await send();
      waits.push((gate.held(NAME)?.until ?? 0) - clock.now());
      clock.skipMonotonic(MODEL_LIMITS.mendMs);
    }

    expect(waits.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(waits.slice(-2)).toEqual([MODEL_LIMITS.mendMs, MODEL_LIMITS.mendMs]);
  });

  it("is tried by who comes a part of a millisecond early, as timers do", async () => {
    const { clock, turns, send, sent } = setUp();
    turns.push(failing("model-overloaded"));
    await send();

    clock.skipMonotonic(4_998.5);
    await send();
    expect(sent()).toBe(1);
    clock.skipMonotonic(1);
    await send();
    expect(sent()).toBe(2);
  });

  it("is left alone for as long as it asked", async () => {
    const { gate, clock, turns, send } = setUp();
    turns.push(failing("model-rate-limited", { retryAfterMs: 3_600_000 }));

    await send();

    expect(gate.held(NAME)?.until).toBe(clock.now() + 3_600_000);
  });

  it("is tried by one request at a time; the others go on with its success", async () => {
    const { gate, clock, turns, send, sent } = setUp();
    turns.push(failing("model-overloaded"));
    await send();
    await clock.advance(5_000);
    let answer: (turn: object) => void = () => undefined;
    turns.push(new Promise((resolve) => (answer = resolve)));

    const all = [send(), send(), send()];
    await clock.advance(0);
    expect(sent()).toBe(2);
    answer({});
    const ended = await Promise.all(all);

    expect(ended.every((turn) => !(turn instanceof Error))).toBe(true);
    expect({ sent: sent(), closed: gate.closed() }).toEqual({ sent: 4, closed: [] });
  });

  it("stays closed for the others when that one request fails", async () => {
    const { clock, turns, send, sent } = setUp();
    turns.push(failing("model-overloaded"));
    await send();
    await clock.advance(5_000);
    turns.push(failing("model-overloaded"));

    const ended = await Promise.all([send(), send(), send()]);

    expect(ended).toMatchObject([
      { retryAfterMs: 10_000 },
      { retryAfterMs: 10_000 },
      { retryAfterMs: 10_000 },
    ]);
    expect(sent()).toBe(2);
  });

  it("is opened by a server that judges a request", async () => {
    const { gate, clock, turns, send } = setUp();
    turns.push(failing("model-overloaded"), failing("model-request-rejected"));
    await send();
    await clock.advance(5_000);

    expect(await send()).toMatchObject({ disposition: "give-up" });
    expect(gate.closed()).toEqual([]);
  });

  it("says the same since the first failure, whatever fails in between", async () => {
    const { gate, clock, turns, send } = setUp();
    const since = clock.now();
    for (let failure = 0; failure < 4; failure++) {
      turns.push(failing("model-key-rejected"));
      await send();
      await clock.advance(MODEL_LIMITS.mendMs);
    }

    expect(gate.closed()[0]?.since).toBe(since);
  });

  it("is tried at once when somebody asks", async () => {
    const { gate, turns, send, sent } = setUp();
    turns.push(failing("model-key-rejected"));
    await send();

    gate.recheck();

    expect(await send()).not.toBeInstanceOf(Error);
    expect(sent()).toBe(2);
  });

  it("waits the same when the clock is set back an hour (B45b)", async () => {
    const { clock, turns, send, sent } = setUp();
    turns.push(failing("model-overloaded"));
    await send();

    clock.setWall(clock.now() - 3_600_000);
    await clock.advance(5_000);
    await send();

    expect(sent()).toBe(2);
  });
});

describe("after a restart", () => {
  it("it is still closed, and the file holds no key", async () => {
    const secret = ["a-key", "of-a-test", "7"].join("-");
    const first = setUp({ key: () => secret, keyPlace: "variable" });
    first.turns.push(failing("model-key-rejected"));
    await first.send();

    const { path, clock } = first;
    const again = setUp({ path, clock, key: () => secret, keyPlace: "variable" });
    await clock.advance(MINUTE_MS);

    expect(await again.send()).toMatchObject({ code: "model-key-rejected", disposition: "wait" });
    expect(again.sent()).toBe(0);
    expect(again.mended).toEqual([]);
    expect(createFiles().read(path, 10_000)?.toString()).not.toContain(secret);
    expect(createFiles().look(path)?.mode).toBe(0o600);
  });

  it.each(["variable", "file", "command"] as const)(
    "with another key of a %s it is tried at once",
    async (keyPlace) => {
      const first = setUp({ key: () => "one", keyPlace });
      first.turns.push(failing("model-key-rejected"));
      await first.send();
      first.gate.stop();

      const { path, clock } = first;
      const again = setUp({ path, clock, key: () => "two", keyPlace });
      await clock.advance(0);

      expect(again.mended).toHaveLength(1);
      expect(await again.send()).not.toBeInstanceOf(Error);
    },
  );

  it.each([
    ["half a document", '{"v":1,"closed":[{"target":"loc'],
    ["another version", '{"v":2,"closed":[]}'],
    ["no rows", '{"v":1,"closed":[null,7,{"target":1}]}'],
    ["nothing", ""],
  ])("it counts as open when its file holds %s", (_what, content) => {
    const path = createTempFolder().write("provider.json", content);

    expect(setUp({ path }).gate.closed()).toEqual([]);
  });

  it("under a clock that was set back it counts as open", async () => {
    const { clock, path, turns, send } = setUp();
    turns.push(failing("model-key-rejected"));
    await send();
    clock.setWall(clock.now() - 60 * 86_400_000);

    expect(setUp({ path, clock }).gate.closed()).toEqual([]);
  });
});

describe("a key that is refused", () => {
  it("names where it comes from, and in a file is looked at every few seconds", async () => {
    let key = "one";
    const { gate, clock, turns, send, mended } = setUp({ keyPlace: "file", key: () => key });
    turns.push(failing("model-key-rejected"));
    await send();
    expect(gate.closed()[0]?.message).toContain("apiKeyFile");

    await clock.advance(MINUTE_MS);
    expect(mended).toEqual([]);
    key = "two";
    await clock.advance(5_000);

    expect(mended).toHaveLength(1);
    expect(gate.held(NAME)).toBeUndefined();
    expect(await send()).not.toBeInstanceOf(Error);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("is looked at no longer once the gate is stopped", async () => {
    const { gate, clock, turns, send } = setUp({ keyPlace: "file", key: () => "one" });
    turns.push(failing("model-key-rejected"));
    await send();

    gate.stop();

    expect(clock.pendingTimers()).toBe(0);
  });
});

describe("a limit that is told in words, with a status of success", () => {
  it.each([
    "You've hit your session limit. It resets later.",
    "Claude AI usage limit reached|1999999999",
    "Usage limit reached.",
  ])("closes it for one window at most: %s", async (text) => {
    const { gate, clock, turns, send } = setUp();
    turns.push({ blocks: [{ kind: "text", text }] });

    expect(await send()).toMatchObject({ code: "model-plan-limit", disposition: "wait" });
    expect(gate.held(NAME)?.until).toBe(clock.now() + MODEL_LIMITS.planWindowMs);
  });

  it.each([0, 20])("is paid for where it took tokens: %d", async (outputTokens) => {
    const { turns, send } = setUp();
    const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens };
    turns.push({ blocks: [{ kind: "text", text: "Usage limit reached." }], usage });

    expect(mayBeBilled(await send())).toBe(outputTokens > 0);
  });

  it("is tried again just after the time it names", async () => {
    const { gate, clock, turns, send } = setUp();
    const seconds = Math.floor(clock.now() / 1_000) + 1_800;
    turns.push({ blocks: [{ kind: "text", text: `Claude AI usage limit reached|${seconds}` }] });

    await send();

    expect(gate.held(NAME)?.until).toBe((seconds + 60) * 1_000);
  });

  it.each([
    "The person keeps the usage limit of the cache at 4 GB.",
    "Nothing to keep: you have hit your head.",
    `You've hit your limit ${"and that is a long story ".repeat(20)}`,
  ])("is not found in an answer about other things: %s", async (text) => {
    const { gate, turns, send } = setUp();
    turns.push({ blocks: [{ kind: "text", text }] });

    expect(await send()).not.toBeInstanceOf(Error);
    expect(gate.closed()).toEqual([]);
  });
});
