import { describe, expect, it } from "vitest";
import { compileWhileReading } from "../../../../src/serve/triggers/compiling.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";

function scene() {
  const emitter = createEmitter((error) => {
    throw error;
  });
  const seen: boolean[] = [];
  const end = compileWhileReading(emitter, { use: (isOn) => void seen.push(isOn) });
  const read = (records: number) => emitter.emit("turns:read", { path: "/s.jsonl", records });
  const grow = (bytes: number) =>
    emitter.emit("transcript:grew", { agent: "claude-code", path: "/s.jsonl", bytes });
  const round = (changed: number) => emitter.emit("sweep:finished", { files: 10, changed, ms: 1 });
  return { read, grow, round, end, isOn: () => seen.at(-1) };
}

describe("code of the daemon", () => {
  it("is not compiled at its start, nor for the few lines of a person at work", () => {
    const { read, grow, round, isOn } = scene();
    expect(isOn()).toBe(false);

    for (let day = 0; day < 30; day++) {
      read(500);
      grow(1_000_000);
      round(0);
    }

    expect(isOn()).toBe(false);
  });

  it("is compiled while a backlog is read, and no more once a round finds nothing new", () => {
    const { read, round, isOn } = scene();

    for (let slice = 0; slice < 20; slice++) read(100);
    expect(isOn()).toBe(true);
    round(3);
    expect(isOn()).toBe(true);
    round(0);
    expect(isOn()).toBe(false);
  });

  it("is compiled as soon as one long transcript is seen", () => {
    const { grow, isOn } = scene();

    grow(24_000_000);

    expect(isOn()).toBe(true);
  });

  it("is compiled again by whatever runs after the daemon in the same process", () => {
    const { end, read, round, isOn } = scene();

    end();

    expect(isOn()).toBe(true);
    read(5_000);
    round(0);
    expect(isOn()).toBe(true);
  });
});
