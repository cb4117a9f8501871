import { describe, expect, it } from "vitest";
import { createEmitter } from "../../src/system/emitter.ts";
import { createEventSpy } from "./event-spy.ts";

function createPair() {
  const emitter = createEmitter((error) => {
    throw error;
  });
  return { emitter, spy: createEventSpy(emitter) };
}

describe("the event spy", () => {
  it("answers for an event that is already past", async () => {
    const { emitter, spy } = createPair();
    emitter.emit("daemon:stopped", { ms: 3 });

    expect(await spy.waitFor("daemon:stopped")).toEqual({ ms: 3 });
  });

  it("waits for the n-th event that matches", async () => {
    const { emitter, spy } = createPair();
    const waiting = spy.waitFor("daemon:stopped", { where: ({ ms }) => ms > 1, count: 2 });

    for (const ms of [1, 2, 1, 7]) emitter.emit("daemon:stopped", { ms });

    expect(await waiting).toEqual({ ms: 7 });
  });

  it("fails within its bound and tells what it saw instead", async () => {
    const { emitter, spy } = createPair();
    emitter.emit("daemon:stopping", { why: "SIGTERM" });

    await expect(spy.waitFor("daemon:stopped", { withinMs: 5 })).rejects.toThrow(
      /1 x "daemon:stopped", saw 0[^]*daemon:stopping \{"why":"SIGTERM"\}/,
    );
  });

  it("forgets the past on request", async () => {
    const { emitter, spy } = createPair();
    emitter.emit("daemon:stopped", { ms: 1 });

    spy.clear();

    expect(spy.names()).toEqual([]);
    await expect(spy.waitFor("daemon:stopped", { withinMs: 5 })).rejects.toThrow("saw 0");
  });
});
