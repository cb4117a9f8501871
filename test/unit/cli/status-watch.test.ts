// `engramd status --watch` as a process. Run `npm run build` first.
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Status } from "../../../src/domain/status.ts";
import type { ControlServer } from "../../../src/serve/control/server.ts";
import { createControlServer } from "../../../src/serve/control/server.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import type { Child } from "../../helpers/child-process.ts";
import { startChild } from "../../helpers/child-process.ts";
import { builtEntry } from "../../helpers/daemon-process.ts";
import type { ScratchHome } from "../../helpers/scratch-home.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";
import { hasTerminal, onTerminal } from "../../helpers/terminal.ts";
import { createFakeService, sampleStatus } from "../serve/fake-service.ts";

const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?25h\u001b[?1049l";

interface FakeDaemon {
  answer: Partial<Status>;
  asked(): number;
  server: ControlServer;
}

/** A daemon's socket in this process, whose answer a test changes. */
async function startFakeDaemon(home: ScratchHome): Promise<FakeDaemon> {
  const fake: Omit<FakeDaemon, "server"> = { answer: {}, asked: () => service.asked.length };
  const service = createFakeService({ status: () => Promise.resolve(sampleStatus(fake.answer)) });
  const server = createControlServer({
    service,
    socketPath: home.socket,
    files: createFiles(),
    clock: createClock(),
    onFailure: (error) => {
      throw error;
    },
  });
  await server.start();
  onTestFinished(() => server.stop({ withinMs: 0 }));
  return Object.assign(fake, { server });
}

function watch(home: ScratchHome, ...args: readonly string[]): Child {
  const all = [builtEntry(), "status", "--watch", ...args];
  return startChild({ command: process.execPath, args: all, env: home.env, cwd: home.home });
}

describe("status --watch into a pipe", () => {
  it("prints one block for each change, and ends with 0 when it is asked to", async () => {
    const home = createScratchHome();
    const fake = await startFakeDaemon(home);
    const child = watch(home);
    await child.waitForLine((line) => line.startsWith("engramd is idle"));
    const before = fake.asked();

    fake.answer = { state: "running" };
    await child.waitForLine((line) => line.startsWith("engramd is running"));
    child.signal("SIGTERM");

    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(child.stdout().match(/engramd is/g)).toHaveLength(2);
    expect(child.stdout()).not.toContain("\u001b");
    expect(fake.asked()).toBeGreaterThan(before);
  });

  it("with --json prints one document a line, also for a daemon that goes and comes back", async () => {
    const home = createScratchHome();
    const fake = await startFakeDaemon(home);
    const child = watch(home, "--json");
    const has = (state: string, nth: number) =>
      child.waitForLine(() => {
        const states = child.lines().map((line) => (JSON.parse(line) as Status).state);
        return states.filter((each) => each === state).length >= nth;
      });
    await has("idle", 1);

    await fake.server.stop({ withinMs: 0 });
    await has("stopped", 1);
    await startFakeDaemon(home);
    await has("idle", 2);
    child.signal("SIGINT");

    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(child.lines().map((line) => (JSON.parse(line) as Status).state)).toEqual([
      "idle",
      "stopped",
      "idle",
    ]);
    expect(child.stderr()).toBe("");
  });

  it("where nothing ever ran says so and goes on", async () => {
    const child = watch(createScratchHome());

    await child.waitForLine((line) => line.includes("never ran here"));
    child.signal("SIGTERM");

    expect(await child.exit).toEqual({ code: 0, signal: null });
  });
});

describe.skipIf(!hasTerminal)("status --watch on a terminal (needs script of util-linux)", () => {
  async function typed(keys: string, env: Readonly<Record<string, string>> = {}) {
    const home = createScratchHome();
    await startFakeDaemon(home);
    const command = [process.execPath, builtEntry(), "status", "--watch"];
    const when = "secrets masked";
    return onTerminal({ command, env: { ...home.env, TERM: "xterm", ...env }, when, typed: keys });
  }

  it.each([
    ["q", "q"],
    ["Ctrl-C", "\u0003"],
    ["Escape", "\u001b"],
    ["q after an arrow", "\u001b[A\nq"],
  ])("takes the other screen, and %s gives the terminal back with 0", async (_, keys) => {
    const { screen, code } = await typed(keys);

    expect(code).toBe(0);
    expect(screen.startsWith(ENTER)).toBe(true);
    expect(screen.trimEnd().endsWith(LEAVE)).toBe(true);
    expect(screen).toContain("q or Ctrl-C leaves");
  });

  it("gives it back when it is told to end, and when it crashes", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home);
    const pid = home.folder.at("pid");
    const ended = (script: string, signal: NodeJS.Signals) =>
      onTerminal({
        command: ["/bin/sh", "-c", script, "sh", process.execPath, builtEntry(), pid],
        env: { ...home.env, TERM: "xterm" },
        when: "secrets masked",
        typed: "",
        onSeen: () => void process.kill(Number(readFileSync(pid, "utf8")), signal),
      });
    const crash = "data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('down')})";

    const told = await ended('"$1" "$2" status --watch & echo $! > "$3"; wait $!', "SIGTERM");
    const crashed = await ended(
      `echo $$ > "$3"; exec "$1" --import "${crash}" "$2" status --watch 2>/dev/null`,
      "SIGUSR2",
    );

    for (const { screen } of [told, crashed]) {
      expect(screen).toContain("engramd is");
      expect(screen.lastIndexOf(LEAVE)).toBeGreaterThan(screen.lastIndexOf("engramd is"));
    }
    expect(told.code).toBe(0);
    expect(crashed.code).not.toBe(0);
  });

  it("that is dumb gets plain blocks", async () => {
    const { screen, code } = await typed("\u0003", { TERM: "dumb" });

    expect(code).toBe(0);
    expect(screen).toContain("engramd is idle");
    expect(screen).not.toContain("\u001b");
  });
});
