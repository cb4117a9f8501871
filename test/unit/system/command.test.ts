// One program run to its end: real shells, real signals, nothing left behind.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../../src/system/clock.ts";
import type { Command } from "../../../src/system/command.ts";
import { createRunCommand } from "../../../src/system/command.ts";
import { isAlive } from "../../../src/system/process.ts";
import { bundleScript } from "../../helpers/bundle-script.ts";
import { checkLeaks } from "../../helpers/leak-check.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

checkLeaks();

const NEVER = new AbortController().signal;
const run = createRunCommand(createClock());

function shell(script: string, more: Partial<Command> = {}): Command {
  return {
    file: "/bin/sh",
    args: ["-c", script],
    env: { PATH: process.env["PATH"] },
    timeMs: 10_000,
    outputBytesMax: 1_000,
    ...more,
  };
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 10 }).toBe(true);
}

/** Where nobody collects orphans a dead one keeps its number. */
function isDead(pid: number): boolean {
  if (!isAlive(pid)) return true;
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim().startsWith("Z");
}

describe("a command", () => {
  it("gives its output and exit code, and only the environment it was given", async () => {
    const end = await run(
      shell('printf "%s" "$A-$HOME"; echo hidden >&2; exit 4', { env: { A: "ä" } }),
      NEVER,
    );

    expect({ ...end, stdout: end.stdout.toString() }).toEqual({ how: "exit", code: 4, stdout: "ä-" });
  });

  it("reads the input it was given, or none", async () => {
    expect((await run(shell("cat", { input: "in" }), NEVER)).stdout.toString()).toBe("in");
    expect((await run(shell("cat"), NEVER)).stdout.toString()).toBe("");
  });

  it("may end without reading its input", async () => {
    expect(await run(shell("exit 0", { input: "x".repeat(1_000_000) }), NEVER)).toMatchObject({ code: 0 });
  });

  it("that cannot be started is named", async () => {
    const failed = run({ ...shell(""), file: "/no/such/program" }, NEVER);

    await expect(failed).rejects.toMatchObject({ code: "command-not-started" });
  });

  it("that takes too long is killed with everything it started", async () => {
    const clock = createManualClock();
    const folder = createTempFolder();
    const script = `sleep 1000 & echo $! > ${folder.at("new")}; mv ${folder.at("new")} ${folder.at("pid")}; wait`;
    const ended = createRunCommand(clock)(shell(script), NEVER);
    await until(() => existsSync(folder.at("pid")));

    await clock.advance(10_000);

    expect(await ended).toMatchObject({ how: "time", code: null });
    await until(() => isDead(Number(readFileSync(folder.at("pid"), "utf8"))));
  });

  it("that writes without end is killed", async () => {
    expect(await run(shell("yes"), NEVER)).toMatchObject({ how: "output", code: null });
  });

  it("that leaves a child holding its output does not hold us", async () => {
    const { stdout, how } = await run(shell("sleep 1000 & echo $!"), NEVER);
    process.kill(Number(stdout.toString()), "SIGKILL");

    expect(how).toBe("exit");
  });

  it("ends with an abort and its reason", async () => {
    const controller = new AbortController();
    const ended = run(shell("sleep 1000"), controller.signal);

    controller.abort("stopped");

    await expect(ended).rejects.toBe("stopped");
    await expect(run(shell("true"), AbortSignal.abort("before"))).rejects.toBe("before");
  });
});

describe("a command that dies with us", () => {
  const tied = (script: string, more: Partial<Command> = {}) => shell(script, { diesWithUs: true, ...more });
  const sleepers = "sleep 1000 & echo $!";

  it("gives its output and exit code, reads its input and knows its words", async () => {
    const { args } = shell("");
    const end = await run(
      tied("", { args: [...args.slice(0, 1), 'printf "%s" "$1"; cat; exit 3', "x", "a b"], input: "in" }),
      NEVER,
    );

    expect({ ...end, stdout: end.stdout.toString() }).toEqual({ how: "exit", code: 3, stdout: "a bin" });
  });

  it("that is not there, or cannot be run, is named", async () => {
    const folder = createTempFolder();
    folder.write("plain", "text");
    for (const file of ["/no/such/program", "no-such-program", folder.at("plain")]) {
      const failed = run({ ...tied(""), file, env: { PATH: folder.path } }, NEVER);

      await expect(failed).rejects.toMatchObject({ code: "command-not-started" });
    }
  });

  it("leaves nothing running when it ends", async () => {
    const { stdout } = await run(tied(`trap '' TERM; ${sleepers}`), NEVER);

    await until(() => isDead(Number(stdout.toString())));
  });

  it("is asked to end, and killed when it does not", async () => {
    const clock = createManualClock();
    const folder = createTempFolder();
    const script = `trap '' TERM; sleep 1000 & echo $$ > ${folder.at("new")}; mv ${folder.at("new")} ${folder.at("pid")}; wait; wait`;
    const controller = new AbortController();
    const ended = createRunCommand(clock)(tied(script, { graceMs: 500 }), controller.signal);
    await until(() => existsSync(folder.at("pid")));

    // Watched from here on: it may end while the clock goes on.
    const stopped = expect(ended).rejects.toBe("stopped");
    controller.abort("stopped");
    await clock.advance(500);

    await stopped;
    await until(() => isDead(Number(readFileSync(folder.at("pid"), "utf8"))));
  });

  it("dies when its owner is killed", async () => {
    const folder = createTempFolder();
    const script = bundleScript(join(import.meta.dirname, "command-owner.ts"), folder.path);
    const owner = spawn(process.execPath, [script, folder.at("pid")], { stdio: "ignore" });
    await until(() => existsSync(folder.at("pid")));
    const pid = Number(readFileSync(folder.at("pid"), "utf8"));
    expect(isDead(pid)).toBe(false);

    owner.kill("SIGKILL");

    await until(() => isDead(pid));
  });
});

describe("a line that is enough", () => {
  it("ends the program, however the line is cut into pieces", async () => {
    const script = "printf 'one\\nt'; sleep 0.05; printf 'wo\\nthree\\n'; sleep 1000";
    const seen: string[] = [];
    const isEnough = (line: string) => {
      seen.push(line);
      return line === "two";
    };

    const end = await run(shell(script, { isEnough }), NEVER);

    expect(end).toMatchObject({ how: "enough", code: null });
    expect(seen).toEqual(["one", "two"]);
  });
});
