// Where the log goes must never decide over the daemon's life, and its last lines must be there.
import { mkdirSync, openSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";

function configure(home: ScratchHome, config: object): void {
  mkdirSync(dirname(home.configFile), { recursive: true });
  writeFileSync(home.configFile, JSON.stringify(config));
}

/** Waits for the log file to say it; each look is a process of its own, so this waits for no time. */
async function waitForLog(home: ScratchHome, text: string): Promise<string> {
  for (let asked = 0; asked < 60; asked++) {
    const { stdout } = await runCommand({ home, args: ["logs"] });
    if (stdout.includes(text)) return stdout;
  }
  throw new Error(`the log does not say ${text}`);
}

async function pidOf(home: ScratchHome): Promise<number | null> {
  const { stdout } = await runCommand({ home, args: ["status", "--json"] });
  return (JSON.parse(stdout) as { pid: number | null }).pid;
}

describe("the daemon's log", () => {
  it("ends with why and that it stopped, however the stop was asked for", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const daemon = startDaemon({ home: createScratchHome() });
      await daemon.waitForEvent("daemon:ready");

      await daemon.stop(signal);

      const tail = daemon.log().slice(-2);
      expect(tail.map(({ msg }) => msg)).toEqual(["daemon:stopping", "daemon:stopped"]);
      expect(tail[0]?.["why"]).toBe(signal);
    }
  });

  it("may lose its reader: the daemon lives, answers and stops cleanly", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");

    daemon.child.process.stdout?.destroy();
    daemon.child.process.stderr?.destroy();
    // Reading the configuration again writes a log line into the closed pipe.
    for (let i = 0; i < 3; i++) {
      daemon.child.signal("SIGHUP");
      expect(await pidOf(home)).toBe(daemon.child.pid);
    }

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  it("may go to a full disk: the daemon lives, answers and stops cleanly", async () => {
    const home = createScratchHome();
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [builtEntry(), "run"], {
      env: home.env,
      stdio: ["ignore", full, full],
    });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });

    let pid = await pidOf(home);
    // Each question takes a process of its own: this waits for the socket, not for a time.
    for (let asked = 0; asked < 50 && pid === null; asked++) pid = await pidOf(home);
    expect(pid).toBe(child.pid);
    child.kill("SIGHUP");
    expect(await pidOf(home)).toBe(child.pid);

    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});

describe("the daemon's own log file", () => {
  const FILE = (home: ScratchHome) => join(home.stateDir, "engramd.log");

  it("holds the log for its owner alone, and nothing is printed", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home, args: ["run", "--log-file"] });
    await waitForLog(home, "daemon:ready");

    await daemon.stop();

    const lines = readFileSync(FILE(home), "utf8").trimEnd().split("\n");
    const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said.slice(-2)).toEqual(["daemon:stopping", "daemon:stopped"]);
    expect(statSync(FILE(home)).mode & 0o777).toBe(0o600);
    expect(daemon.child.stdout()).toBe("");
  });

  it("is missed in the status while it cannot be written", async () => {
    const home = createScratchHome();
    mkdirSync(FILE(home), { recursive: true });
    startDaemon({ home, args: ["run", "--log-file"] });

    const codes = async () => {
      const { stdout } = await runCommand({ home, args: ["status", "--json"] });
      const { warnings } = JSON.parse(stdout) as { warnings: { code: string }[] };
      return warnings.map(({ code }) => code);
    };
    // It answers before it has its first line to write.
    let found = await codes();
    for (let asked = 0; !found.includes("log-unwritable") && asked < 60; asked++) found = await codes();

    expect(found).toContain("log-unwritable");
  });

  it("is what `engramd logs` reads and follows", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home, args: ["run", "--log-file"] });
    await waitForLog(home, "daemon:ready");
    const follower = startDaemon({ home, args: ["logs", "-n", "1", "-f"] });
    await follower.waitForEvent("daemon:ready");

    daemon.child.signal("SIGHUP");
    await follower.child.waitForLine((line) => line.includes("configuration read again"));
    await daemon.stop();
    await follower.waitForEvent("daemon:stopped");

    expect(await follower.stop("SIGINT")).toEqual({ code: 0, signal: null });
    const { stdout } = await runCommand({ home, args: ["logs", "-n", "2", "--json"] });
    const { lines } = JSON.parse(stdout) as { lines: readonly string[] };
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain("daemon:stopped");
  });

  it("stays within its bound", async () => {
    const home = createScratchHome();
    configure(home, { retention: { logMegabytes: 1 } });
    mkdirSync(home.stateDir, { recursive: true });
    const line = `${JSON.stringify({ msg: "old", text: "x".repeat(900) })}\n`;
    for (const name of ["engramd.log", "engramd.log.1", "engramd.log.2"])
      writeFileSync(join(home.stateDir, name), line.repeat(1_000));

    const daemon = startDaemon({ home, args: ["run", "--log-file"] });
    await waitForLog(home, "daemon:ready");
    await daemon.stop();

    const parts = readdirSync(home.stateDir).filter((name) => name.startsWith("engramd.log"));
    const bytes = parts.reduce((sum, name) => sum + statSync(join(home.stateDir, name)).size, 0);
    expect(bytes).toBeLessThan(1_000_000);
  });

  it("says why a start failed that nobody saw", async () => {
    const home = createScratchHome();
    mkdirSync(home.stateDir, { recursive: true });
    writeFileSync(FILE(home), '{"msg":"an old line"}\n');
    configure(home, { concurrency: "many" });
    const { stderr } = await runCommand({ home, args: ["run", "--log-file"] });
    // Where launchd would have put it.
    writeFileSync(join(home.stateDir, "engramd.err.log"), stderr);
    configure(home, {});

    const { stdout } = await runCommand({ home, args: ["logs"] });

    expect(stdout).toMatch(/an old line[\s\S]*concurrency/);
  });

  it("is said to be missing where there is none", async () => {
    const home = createScratchHome();
    const { code, stderr } = await runCommand({ home, args: ["logs"], env: { PATH: "/nowhere" } });

    expect(code).not.toBe(0);
    expect(stderr).not.toBe("");
  });
});

describe("what the log says", () => {
  it("is never a word of a transcript, of a memory's text, or a key", async () => {
    const home = createScratchHome();
    // Split, so that no file of ours holds what looks like a key.
    const key = ["sk", "ant", "api03", "k".repeat(40), 'with"quote'].join("-");
    const words = "zebrafish";
    configure(home, {
      extract: { settleMs: 0, debounceMs: 100 },
      provider: "local",
      baseUrl: "http://127.0.0.1:9",
      agents: { "claude-code": { mayUseModel: true } },
    });
    const folder = join(home.claudeProjects, "-home-ana-shop");
    mkdirSync(join(folder, "memory"), { recursive: true });
    const transcript = createTranscript({ cwd: "/home/ana/shop", startAt: Date.now() })
      .user(`From now on the ${words} tests come first. The token is ${key}.`)
      .assistant(`Yes, the ${words} ones.`)
      .toolCall("Bash", { command: `echo ${words}` })
      .toolResult(words)
      .raw(`{"type":"user","message":{"content":"${words}`)
      .raw(`${words} is no JSON`)
      .user(`Remember that ${words} never sleep.`)
      .assistant("Fine.");
    writeFileSync(join(folder, `${sessionIdOf(1)}.jsonl`), transcript.text());
    writeFileSync(join(folder, "memory/broken.md"), `---\nname: [${words}\n---\n${words}\n`);
    const daemon = startDaemon({ home, env: { ANTHROPIC_API_KEY: key } });
    await daemon.waitForEvent("job:finished");
    await runCommand({
      home,
      args: ["remember", `the ${words} are fed at nine`, "--project", "/home/ana/shop"],
    });
    daemon.child.signal("SIGHUP");

    await daemon.stop();

    const printed = daemon.child.stdout() + daemon.child.stderr();
    expect(printed).toContain("job:finished");
    // A memory's name is not its text, and is needed to find it.
    const others = printed.replace(/"(?:file|left)":(?:"[^"]*"|\[[^\]]*\])/gu, "");
    expect(others).not.toContain(words);
    expect(printed).not.toContain("k".repeat(20));
  });
});
