import { describe, expect, it } from "vitest";
import { startChild } from "./child-process.ts";

const node = (script: string) => startChild({ command: process.execPath, args: ["-e", script] });

describe("a child under test", () => {
  it("is waited for by a line it prints", async () => {
    const child = node(`console.log("one"); console.log("two"); setInterval(() => {}, 1000)`);

    expect(await child.waitForLine((line) => line.startsWith("t"))).toBe("two");
    expect(child.lines()).toEqual(["one", "two"]);
  });

  it("fails the wait at once when it ends before the line came", async () => {
    const child = node(`console.error("no luck"); process.exit(3)`);

    await expect(child.waitForLine(() => true)).rejects.toThrow(/ended first[^]*"code":3[^]*no luck/);
  });

  it("answers with the signal that ended it", async () => {
    const child = node(`console.log("up"); setInterval(() => {}, 1000)`);
    await child.waitForLine(() => true);

    child.signal("SIGTERM");

    expect(await child.exit).toEqual({ code: null, signal: "SIGTERM" });
  });
});
