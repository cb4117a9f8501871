import { describe, expect, it } from "vitest";
import { createEmitter } from "../../../src/system/emitter.ts";
import { isAlive } from "../../../src/system/process.ts";
import { contentHash, newRunId, shortHash } from "../../../src/system/ids.ts";

describe("the emitter", () => {
  it("tells listeners of one name and of all names until they stop", () => {
    const emitter = createEmitter(() => undefined);
    const seen: unknown[] = [];
    const stopOne = emitter.on("daemon:stopped", ({ ms }) => seen.push(ms));
    const stopAll = emitter.onAny((name) => seen.push(name));

    emitter.emit("daemon:stopped", { ms: 1 });
    emitter.emit("daemon:stopping", { why: "x" });
    stopOne();
    stopAll();
    emitter.emit("daemon:stopped", { ms: 2 });

    expect(seen).toEqual([1, "daemon:stopped", "daemon:stopping"]);
  });

  it("goes on with the other listeners when one throws", () => {
    const errors: unknown[] = [];
    const emitter = createEmitter((error) => errors.push(error));
    const seen: number[] = [];
    const broken = new Error("broken");
    emitter.onAny(() => {
      throw broken;
    });
    emitter.on("daemon:stopped", ({ ms }) => seen.push(ms));

    emitter.emit("daemon:stopped", { ms: 1 });

    expect(seen).toEqual([1]);
    expect(errors).toEqual([broken]);
  });
});

describe("whether a process is alive", () => {
  it("is true for us and for the first process, false for what is no process id", () => {
    expect([process.pid, 1].map(isAlive)).toEqual([true, true]);
    expect([0, -1, -process.pid, 1.5, NaN, 4_194_305].map(isAlive)).toEqual(Array(6).fill(false));
  });
});

describe("ids", () => {
  it("of runs sort by time and are safe file names", () => {
    const ids = [Date.UTC(2026, 0, 2, 3, 4, 5, 6), Date.UTC(2026, 0, 2, 3, 4, 5, 7)].map(newRunId);

    expect([...ids].sort()).toEqual(ids);
    expect(ids[0]).toMatch(/^20260102T030405006-[0-9a-f]{8}$/);
    expect(newRunId(0)).not.toBe(newRunId(0));
  });

  it("of content are the SHA-256 of its bytes", () => {
    expect(contentHash("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(contentHash(Buffer.from("ü"))).toBe(contentHash("ü"));
    expect(shortHash("x", 12)).toBe(contentHash("x").slice(0, 12));
  });
});
