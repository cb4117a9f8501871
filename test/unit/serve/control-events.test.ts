// The stream of events: what is told, to whom, and who is let go.
import { describe, expect, it } from "vitest";
import type { DaemonState } from "../../../src/domain/status.ts";
import type { Listener } from "../../../src/serve/control/event-stream.ts";
import { createEventStream, EVENT_LIMITS } from "../../../src/serve/control/event-stream.ts";
import { describedEvents, toldOf } from "../../../src/serve/control/events.ts";
import { createEmitter } from "../../../src/system/emitter.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import { checkerOf } from "../../schemas/documents.ts";

const DIR = "/home/ana/.claude/projects/-home-ana-shop/memory";

function createClient() {
  let close: () => void = () => undefined;
  const client = {
    text: "",
    writableLength: 0,
    ended: false,
    destroyed: false,
    /** Whether the reader takes what is written. */
    isReading: true,
    write(text: string) {
      client.text += text;
      if (!client.isReading) client.writableLength += Buffer.byteLength(text);
    },
    end: () => void (client.ended = true),
    destroy: () => void (client.destroyed = true),
    once: (_event: "close", fn: () => void) => void (close = fn),
    leave: () => close(),
    /** Names of events so far, of heart-beats as ":". */
    names: () =>
      client.text
        .split("\n")
        .flatMap((line) => (line.startsWith(":") ? [":"] : (/^event: (.*)/.exec(line)?.[1] ?? []))),
    lastId: () => [...client.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1],
  };
  return client satisfies Listener;
}

function createStream() {
  const clock = createManualClock();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const daemon: { state: DaemonState } = { state: "idle" };
  let asked = 0;
  const stream = createEventStream({
    clock,
    emitter,
    state() {
      asked += 1;
      return daemon.state;
    },
  });
  const write = (file: string) => emitter.emit("memory:written", { dir: DIR, file, op: "created" });
  const join = (lastId?: string) => {
    const client = createClient();
    stream.follow(client, lastId);
    return client;
  };
  return { clock, emitter, daemon, stream, write, join, asked: () => asked };
}

describe("an event", () => {
  it("has a constant name, and data its description fits", () => {
    const told = [
      toldOf("job:started", { key: "extract:0123456789abcdef" }),
      toldOf("job:finished", { key: "extract:0f", outcome: { result: "succeeded", changed: 2 }, ms: 12.7 }),
      toldOf("job:finished", {
        key: "extract:0f",
        outcome: { result: "skipped", reason: "settling" },
        ms: 1,
      }),
      toldOf("run:ended", { run: "r1", outcome: "done", requests: 2, inputTokens: 10 }),
      toldOf("memory:written", { dir: DIR, file: "a.md", op: "deleted" }),
      toldOf("dream:advanced", { run: "r2", dir: DIR, project: "/home/ana/shop", phase: "gather" }),
      toldOf("distill:advanced", { run: "r3", dir: DIR, project: "/home/ana/shop", logs: 1, of: 4 }),
      toldOf("memory:edited", { dir: DIR, files: Array.from({ length: 500 }, (_, at) => `${at}.md`) }),
      toldOf("proposal:refused", { file: "a.md", reason: "secret" }),
      toldOf("warning:raised", { code: "job-stuck", message: "words" }),
    ];

    for (const one of told) {
      const described = describedEvents().find(({ name }) => name === one?.name);
      expect(checkerOf(described?.schema ?? {}).safeParse(one?.data), one?.name).toMatchObject({
        success: true,
      });
    }
    expect(told[1]?.data).toEqual({
      kind: "extract",
      folder: "0f",
      outcome: "succeeded",
      code: null,
      changed: 2,
      ms: 13,
    });
  });

  it("holds no words: no message of a failure or a warning, no name a model proposed", () => {
    const outcome = { result: "failed", code: "timeout", message: "private words" } as const;
    const told = [
      toldOf("job:finished", { key: "extract:0f", outcome, ms: 1 }),
      toldOf("warning:raised", { code: "job-stuck", message: "private words" }),
      toldOf("proposal:refused", { file: "private words.md", reason: "secret" }),
      toldOf("watcher:degraded", { reason: "private words" }),
      toldOf("transcript:grew", { agent: "codex", path: "/private words", bytes: 1 }),
    ];

    expect(JSON.stringify(told)).not.toContain("private");
    expect(JSON.stringify(told)).toContain("timeout");
  });
});

describe("a client of the events", () => {
  it("is told the state first, then what happens", () => {
    const { join, write } = createStream();
    write("before.md");
    const client = join();

    write("after.md");

    expect(client.names()).toEqual(["state", "memory-created"]);
    expect(client.text).toMatch(
      /^event: state\ndata: \{"state":"idle"\}\n\nid: \S+\nevent: memory-created\ndata: \{.*"after.md"\}\n\n$/,
    );
  });

  it("is told when the state has changed, once", async () => {
    const { clock, daemon, join, write } = createStream();
    const client = join();

    daemon.state = "running";
    write("a.md");
    write("b.md");
    await clock.advance(EVENT_LIMITS.stateMs);
    write("c.md");
    await clock.advance(EVENT_LIMITS.stateMs);

    expect(client.names().filter((name) => name === "state")).toHaveLength(2);
    expect(client.text).toContain('{"state":"running"}');
  });

  it("that comes back is told what it missed, and nothing twice", () => {
    const { join, write } = createStream();
    const first = join();
    write("a.md");
    const seen = first.lastId();
    first.leave();
    write("b.md");
    write("c.md");

    const again = join(seen);

    expect(again.names()).toEqual(["state", "memory-created", "memory-created"]);
    expect(again.text).not.toContain("a.md");
    const third = join(again.lastId());
    expect(third.names()).toEqual(["state"]);
  });

  it("that was away for too long, or comes from another daemon, is told so", () => {
    const { join, write } = createStream();
    write("a.md");
    const first = join();
    write("b.md");
    const seen = first.lastId();
    for (let count = 0; count < EVENT_LIMITS.keptMax + 1; count += 1) write(`${count}.md`);

    expect(join(seen).names().slice(0, 2)).toEqual(["state", "missed"]);
    expect(join(seen).names()).toHaveLength(2 + EVENT_LIMITS.keptMax);
    expect(join("other.1").names()[1]).toBe("missed");
    expect(join(`${seen}9999`).names()[1]).toBe("missed");
    expect(join("'; drop\r\nevent: x").names()[1]).toBe("missed");
  });

  it("cannot be fooled by a file whose name holds line breaks", () => {
    const { join, write } = createStream();
    const client = join();

    write("x\n\nevent: warning\rdata: {}\u2028\u0085.md");

    expect(client.names()).toEqual(["state", "memory-created"]);
    expect(client.text).not.toMatch(/[\r\u2028\u0085]/);
  });

  it("hears a heart-beat, and is not asked about when there is none", async () => {
    const { clock, join, asked } = createStream();
    expect(clock.pendingTimers()).toBe(0);
    expect(asked()).toBe(0);
    const client = join();

    await clock.advance(2 * EVENT_LIMITS.beatMs);
    client.leave();

    expect(client.names().filter((name) => name === ":")).toHaveLength(2);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("that does not read is let go with what it is owed bounded, and others are not", () => {
    const { join, write } = createStream();
    const [slow, quick] = [join(), join()];
    slow.isReading = false;

    for (let count = 0; count < 2_000; count += 1) write(`${count}.md`);

    expect(slow.destroyed).toBe(true);
    expect(slow.writableLength).toBeLessThan(2 * EVENT_LIMITS.waitingBytesMax);
    expect(quick.destroyed).toBe(false);
    expect(quick.names()).toHaveLength(2_001);
  });

  it("that does not read for two beats is let go although little happens", async () => {
    const { clock, join } = createStream();
    const slow = join();
    slow.writableLength = 10;

    await clock.advance(EVENT_LIMITS.beatMs);
    expect(slow.destroyed).toBe(false);
    await clock.advance(EVENT_LIMITS.beatMs);

    expect(slow.destroyed).toBe(true);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("is one of a bounded number, and a place that got free is given away", () => {
    const { join } = createStream();
    const clients = Array.from({ length: EVENT_LIMITS.listenersMax }, () => join());

    expect(() => join()).toThrow(expect.objectContaining({ code: "too-many-listeners" }));
    clients[0]?.leave();

    expect(join().names()).toEqual(["state"]);
  });

  it("is told of the end, and nobody can come after it", async () => {
    const { clock, daemon, stream, join, write } = createStream();
    const client = join();

    daemon.state = "stopping";
    write("a.md");
    stream.close();
    write("b.md");

    expect(client.text.trimEnd().endsWith('event: state\ndata: {"state":"stopping"}')).toBe(true);
    expect(client.ended).toBe(true);
    expect(() => join()).toThrow();
    await clock.advance(EVENT_LIMITS.beatMs);
    expect(clock.pendingTimers()).toBe(0);
  });
});
