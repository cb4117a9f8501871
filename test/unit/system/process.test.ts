// Which processes run; with real ones.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "../../../src/system/process.ts";

describe("isAlive", () => {
  it("knows ourselves, and takes nothing for a process that is none", () => {
    expect(isAlive(process.pid)).toBe(true);
    expect([0, -1, 1.5, Number.NaN].map(isAlive)).toEqual([false, false, false, false]);
  });

  it.runIf(process.platform === "linux")(
    "takes a process for dead that ended and that its parent never collects",
    async () => {
      // The shell becomes a program that knows nothing of the child it has.
      const parent = spawn("/bin/sh", ["-c", "/bin/sleep 60 & echo $!; exec /bin/sleep 60"]);
      onTestFinished(() => void parent.kill("SIGKILL"));
      const [text] = await once(parent.stdout, "data");
      const child = Number(String(text));
      // The shell itself would collect it.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
      onTestFinished(() => {
        if (isAlive(child)) process.kill(child, "SIGKILL");
      });
      expect(isAlive(child)).toBe(true);

      process.kill(child, "SIGKILL");

      await expect.poll(() => isAlive(child)).toBe(false);
      // The id is still taken.
      expect(process.kill(child, 0)).toBe(true);
    },
  );
});
