// The built program as a process: what a person or a script sees. Run `npm run build` first.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/domain/errors.ts";
import type { EngramdService } from "../../../src/domain/service.ts";
import { saveDaemonFile } from "../../../src/serve/client/daemon-file.ts";
import { saveLastStatus } from "../../../src/serve/client/last-status.ts";
import { createControlServer } from "../../../src/serve/control/server.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { builtEntry, runCommand, startDaemon } from "../../helpers/daemon-process.ts";
import type { ScratchHome } from "../../helpers/scratch-home.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";
import { createFakeService, sampleMemory, sampleStatus } from "../serve/fake-service.ts";

const files = createFiles();
const HAS_SCRIPT = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const HOSTILE = "\u001b]0;pwned\u0007\u202e";
/** Anything a terminal would obey; line feeds are ours. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
/** `engramd: <what>: <what to do> (<code>)` */
const ERROR_LINE = /^engramd: .+: .+ \([a-z-]+\)\n$/;

/** A daemon's socket in this process, answering with invented documents. */
async function startFakeDaemon(
  home: ScratchHome,
  answers: Partial<EngramdService> = {},
  socketPath = home.socket,
) {
  const service = createFakeService(answers);
  const server = createControlServer({
    service,
    socketPath,
    files,
    clock: createClock(),
    onFailure: (error) => {
      throw error;
    },
  });
  await server.start();
  onTestFinished(() => server.stop({ withinMs: 0 }));
  return service;
}

function command(home: ScratchHome, ...args: readonly string[]) {
  return runCommand({ home, args });
}

describe("every command line", () => {
  it.each([
    [["nonsense"], 2],
    [["list", "--nonsense"], 2],
    [["show"], 2],
    [["sync", "--backfill", "some"], 2],
    [["sync", "--backfill", "-1"], 2],
    [["remember", "x", "--type", "joke"], 2],
    [["remember", "  "], 2],
    [["list", "--config", "/nonexistent/config.json"], 3],
    [["status"], 5],
  ])("that fails (%j) says so in one line on stderr and exits %i", async (args, code) => {
    const result = await command(createScratchHome(), ...args);

    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(ERROR_LINE);
  });

  it("that fails with --json still prints exactly one document", async () => {
    for (const args of [
      ["nonsense", "--json"],
      ["--json", "show"],
      ["list", "--json", "--config", "/nonexistent"],
    ]) {
      const result = await command(createScratchHome(), ...args);

      expect(JSON.parse(result.stdout)).toMatchObject({ v: 1, error: { code: expect.any(String) } });
      expect(result.stderr).toMatch(ERROR_LINE);
    }
  });

  it("may ask for help or the version", async () => {
    const home = createScratchHome();

    expect(await command(home, "--version")).toMatchObject({ code: 0, stdout: "0.1.0\n", stderr: "" });
    expect(await command(home)).toMatchObject({ code: 0, stderr: "" });
    expect((await command(home, "sync", "--help")).stdout).toContain("--backfill");
    for (const args of [["--help"], ["--version"], ["sync", "--help"]]) {
      const { stdout } = await command(home, ...args, "--json");
      expect(JSON.parse(stdout)).toEqual({ v: 1, text: (await command(home, ...args)).stdout });
    }
    expect(existsSync(home.stateDir)).toBe(false);
  });

  it("works in a folder that is gone, where it needs none", async () => {
    const home = createScratchHome();
    const gone = home.folder.folder("gone");
    const run = (args: readonly string[]) => {
      const script = `cd ${gone} && mkdir -p ${gone} && rmdir ${gone}; "${process.execPath}" "${builtEntry()}" ${args.join(" ")}; echo "code $?"`;
      mkdirSync(gone, { recursive: true });
      return collect(["sh", "-c", script], home);
    };

    expect((await run(["status"])).stdout).toContain("code 5");
    expect((await run(["list"])).stdout).toContain("code 2");
    expect((await run(["list", "--project", "/tmp"])).stdout).toContain("code 0");
  });
});

function collect([program = "", ...args]: readonly string[], home: ScratchHome) {
  return new Promise<{ stdout: string; stderr: string; code: number | null }>((resolve, reject) => {
    const child = spawn(program, args, { env: home.env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ stdout, stderr, code }));
  });
}

describe("with a daemon", () => {
  it("status prints its answer and exits 0", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home);

    const text = await command(home, "status");
    const document = await command(home, "status", "--json");

    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toContain("engramd is idle, pid 4242");
    expect(document).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(document.stdout)).toEqual(sampleStatus());
  });

  it("status exits 1 when the daemon is degraded", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home, { status: () => Promise.resolve(sampleStatus({ state: "degraded" })) });

    expect(await command(home, "status")).toMatchObject({ code: 1, stderr: "" });
  });

  it("every question goes to it, with the folder we are in", async () => {
    const home = createScratchHome();
    const service = await startFakeDaemon(home);
    const questions = [
      ["list"],
      ["list", "--all"],
      ["show", "tabs", "--project", "shop"],
      ["sync"],
      ["sync", "--backfill", "3", "--dry-run", "--project", "."],
      ["remember", "use", "tabs", "--type", "feedback", "--keep"],
      ["forget", "tabs"],
    ];

    for (const args of questions) expect(await command(home, ...args)).toMatchObject({ code: 0, stderr: "" });

    expect(service.asked).toEqual([
      { method: "memories", request: { project: home.home } },
      { method: "memories", request: { all: true } },
      { method: "memories", request: { project: join(home.home, "shop"), name: "tabs" } },
      { method: "sync", request: {} },
      { method: "sync", request: { backfillDays: 3, dryRun: true, project: home.home } },
      { method: "remember", request: { text: "use tabs", project: home.home, type: "feedback", keep: true } },
      { method: "forget", request: { name: "tabs", project: home.home } },
    ]);
    expect(existsSync(home.stateDir)).toBe(false);
  });

  it("every document is one JSON document and nothing else", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home);

    for (const args of [["list"], ["show", "x"], ["sync"], ["remember", "x"], ["forget", "x"], ["status"]]) {
      const result = await command(home, ...args, "--json");
      expect(JSON.parse(result.stdout)).toMatchObject({ v: 1 });
      expect(result.stderr).toBe("");
    }
  });

  it("a refusal exits 1 with its reason, in words and as a document", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home, {
      remember: () =>
        Promise.resolve({
          v: 1,
          outcome: "refused",
          file: null,
          path: null,
          reason: "excluded-kind",
          message: "git knows that; what was surprising about it?",
        }),
      forget: () =>
        Promise.resolve({
          v: 1,
          outcome: "ambiguous",
          file: null,
          message: "two files",
          matches: ["a.md", "b.md"],
        }),
      memories: () => Promise.resolve({ v: 1, memories: [], notMemories: [] }),
    });

    const remember = await command(home, "remember", "x");
    const document = await command(home, "remember", "x", "--json");

    expect(remember).toMatchObject({ code: 1, stdout: "" });
    expect(remember.stderr).toContain(
      "what was surprising about it: say that, or add --keep to store it all the same (excluded-kind)",
    );
    expect(document.code).toBe(1);
    expect(JSON.parse(document.stdout)).toMatchObject({ outcome: "refused" });
    expect(await command(home, "forget", "x")).toMatchObject({
      code: 1,
      stderr: "engramd: two files: name one of a.md, b.md (ambiguous)\n",
    });
    expect(await command(home, "show", "x")).toMatchObject({ code: 1, stdout: "" });
  });

  it("an error of the daemon keeps its code, fix and exit code", async () => {
    const home = createScratchHome();
    const refused = new AppError({ code: "busy", message: `folder ${HOSTILE}busy`, fix: "wait" });
    await startFakeDaemon(home, { sync: () => Promise.reject(refused) });

    expect(await command(home, "sync")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "engramd: folder ]0;pwnedbusy: wait (busy)\n",
    });
  });

  it("no control character of a memory or title reaches the terminal (fault 107)", async () => {
    const home = createScratchHome();
    const memory = sampleMemory({
      name: HOSTILE,
      description: HOSTILE,
      project: HOSTILE,
      body: `${HOSTILE}\n${HOSTILE}`,
    });
    await startFakeDaemon(home, {
      memories: () =>
        Promise.resolve({
          v: 1,
          memories: [memory],
          notMemories: [{ file: HOSTILE, project: HOSTILE, why: HOSTILE }],
        }),
      status: () =>
        Promise.resolve(sampleStatus({ warnings: [{ code: HOSTILE, message: HOSTILE, fix: HOSTILE }] })),
    });

    for (const args of [["list"], ["show", "x"], ["status"], ["list", "--json"], ["show", "x", "--json"]]) {
      const { stdout, stderr } = await command(home, ...args);
      expect(stdout).toContain("pwned");
      expect(stdout + stderr).not.toMatch(CONTROL);
    }
  });

  it("lines fit a page of 40 columns, and no colour goes into a pipe", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home);

    for (const args of [["status"], ["list"], ["sync"], ["show", "x"], ["--help"], ["sync", "--help"]]) {
      const { stdout } = await runCommand({ home, args, env: { COLUMNS: "40" } });
      expect(Math.max(...stdout.split("\n").map((text) => text.length))).toBeLessThanOrEqual(40);
      expect(stdout).not.toContain("\u001b");
    }
  });

  it.skipIf(!HAS_SCRIPT)("a terminal gets colour unless NO_COLOR is set (needs script)", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home);
    const onTerminal = (env: Record<string, string>) =>
      collect(["script", "-qec", `"${process.execPath}" "${builtEntry()}" status`, "/dev/null"], {
        ...home,
        env: { ...home.env, TERM: "xterm", ...env },
      });

    expect((await onTerminal({})).stdout).toContain("\u001b[32midle\u001b[0m");
    expect((await onTerminal({ NO_COLOR: "1" })).stdout).not.toContain("\u001b");
    expect((await onTerminal({ TERM: "dumb" })).stdout).not.toContain("\u001b");
  });

  it("a reader that leaves early changes no exit code and no memory of ours", async () => {
    const home = createScratchHome();
    const memories = Array.from({ length: 5_000 }, (_, at) => sampleMemory({ name: `memory-${at}` }));
    await startFakeDaemon(home, { memories: () => Promise.resolve({ v: 1, memories, notMemories: [] }) });
    const script = `("${process.execPath}" "${builtEntry()}" list; echo "code $?" >&2) | head -n 1`;

    const result = await collect(["sh", "-c", script], home);

    expect(result.stderr).toBe("code 0\n");
    expect(result.stdout).toContain("5,000 memories");
  });

  it.skipIf(!existsSync("/dev/full"))(
    "a full disk behind stdout does not crash (needs /dev/full)",
    async () => {
      const home = createScratchHome();
      await startFakeDaemon(home);

      const result = await collect(
        ["sh", "-c", `"${process.execPath}" "${builtEntry()}" status > /dev/full`],
        home,
      );

      expect(result).toMatchObject({ code: 0, stderr: "" });
    },
  );

  it("daemon.json is asked before the default path (fault 112)", async () => {
    const home = createScratchHome();
    const elsewhere = home.folder.at("short/s.sock");
    mkdirSync(home.stateDir, { recursive: true });
    saveDaemonFile(
      { files, paths: { stateDir: home.stateDir, socket: home.socket } },
      { pid: 1, socket: elsewhere, version: "0.1.0" },
    );
    await startFakeDaemon(home, {}, elsewhere);

    expect(await command(home, "status")).toMatchObject({ code: 0 });
  });

  it("that takes the question and never answers is told apart from a missing one", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.socket), { mode: 0o700, recursive: true });
    const server = createServer((socket) => void socket.destroy());
    await new Promise<void>((resolve) => server.listen(home.socket, resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));

    const result = await command(home, "status");

    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/\(daemon-went-away\)\n$/);
  });

  it("in a folder that others may write is not trusted", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home);
    chmodSync(dirname(home.socket), 0o777);

    const result = await command(home, "status");

    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/\(socket-folder-unsafe\)\n$/);
  });
});

describe("without a daemon", () => {
  it("status tells what was known last, since when, and the fix", async () => {
    const home = createScratchHome();
    mkdirSync(home.stateDir, { recursive: true });
    saveLastStatus({ files, paths: { stateDir: home.stateDir } }, sampleStatus({ state: "running" }));

    const text = await command(home, "status");
    const document = await command(home, "status", "--json");

    expect(text.code).toBe(5);
    expect(text.stdout).toContain("engramd is stopped");
    expect(text.stdout).toMatch(/not running; this is from (a moment|\d+ s) ago/);
    expect(text.stdout).toContain("fix: engramd run");
    expect(document.code).toBe(5);
    expect(JSON.parse(document.stdout)).toMatchObject({ v: 1, state: "stopped", pid: null });
  });

  it.each(["", "{", '{"v":1,"state":"idle"}', `{"v":1,"x":"${"y".repeat(100)}"}`])(
    "status survives a status.json with %j",
    async (content) => {
      const home = createScratchHome();
      mkdirSync(home.stateDir, { recursive: true });
      writeFileSync(join(home.stateDir, "status.json"), content);

      const result = await command(home, "status", "--json");

      expect(result.code).toBe(5);
      expect(JSON.parse(result.stdout)).toMatchObject({ v: 1, state: "stopped" });
    },
  );

  it("the other commands do their work themselves", async () => {
    const home = createScratchHome();

    const remembered = await command(home, "remember", "Always use tabs for indentation", "--json");
    const list = await command(home, "list", "--json");
    const sync = await command(home, "sync", "--json");

    expect(remembered).toMatchObject({ code: 0, stderr: "" });
    const { path, file } = JSON.parse(remembered.stdout);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain("tabs");
    expect(JSON.parse(list.stdout).memories).toHaveLength(1);
    expect(sync.code).toBe(0);
    expect(JSON.parse(sync.stdout)).toMatchObject({ v: 1, sessions: { seen: 0 } });

    const name = JSON.parse(list.stdout).memories[0].name;
    expect((await command(home, "show", name)).stdout).toContain("tabs");
    expect(await command(home, "forget", file)).toMatchObject({ code: 0 });
    expect(existsSync(path)).toBe(false);
  });

  it("a configuration somebody names is told when it cannot be used, also while a daemon goes by its own", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home, entry: builtEntry() });
    await daemon.waitForEvent("daemon:ready");

    const result = await command(home, "list", "--config", "/nonexistent/config.json");

    expect(result).toMatchObject({ code: 3, stdout: "" });
    expect(result.stderr).toContain("/nonexistent/config.json");
    await daemon.stop();
  });

  it("a configuration nobody can use exits 3, naming file, key, value and range", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.configFile), { recursive: true });
    writeFileSync(home.configFile, '{ "concurrency": 99 }');

    for (const args of [["run"], ["sync"], ["list"]]) {
      const result = await command(home, ...args);
      expect(result.code).toBe(3);
      expect(result.stderr).toContain(
        `${home.configFile}: concurrency is 99: allowed is a whole number from 1 to 16`,
      );
    }
  });
});

describe("the service as a process", () => {
  it("says that it is ready, answers, and exits 0 when asked to stop", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");

    const status = await command(home, "status", "--json");

    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ v: 1, pid: daemon.child.pid });
    expect(statSync(home.socket).mode & 0o777).toBe(0o600);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(existsSync(home.socket)).toBe(false);
    expect(await command(home, "status")).toMatchObject({ code: 5 });
  });

  it("refuses to be started twice, names the first, and leaves it alone (B46b)", async () => {
    const home = createScratchHome();
    const first = startDaemon({ home });
    await first.waitForEvent("daemon:ready");

    const second = await command(home, "run");

    expect(second.code).toBe(4);
    expect(second.stderr).toContain(String(first.child.pid));
    expect(await command(home, "status")).toMatchObject({ code: 0 });
  });

  it("does not take a file that lies where its socket should be (B46c)", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.socket), { mode: 0o700, recursive: true });
    writeFileSync(home.socket, "notes");

    const result = await command(home, "run");

    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/\(socket-path-taken\)\n$/);
    expect(readFileSync(home.socket, "utf8")).toBe("notes");
  });

  it("listens at a short path when the wanted one is too long, and is found there (B46d)", async () => {
    const home = createScratchHome();
    const env = { XDG_RUNTIME_DIR: home.folder.folder(`run/${"deep/".repeat(20)}`), TMPDIR: "/tmp" };
    const daemon = startDaemon({ home, env });
    const ready = await daemon.waitForEvent("daemon:ready");
    const socket = String(ready["socket"]);
    onTestFinished(() => rmSync(dirname(socket), { recursive: true, force: true }));

    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100);
    expect(await runCommand({ home, env, args: ["status"] })).toMatchObject({ code: 0 });
  });

  it("refuses a runtime folder of mode 0777 (fault 109)", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.socket), { recursive: true });
    chmodSync(dirname(home.socket), 0o777);

    const result = await command(home, "run");

    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/\(socket-folder-unsafe\)\n$/);
  });

  it("lives on when nobody reads its log any more (fault 75)", async () => {
    const home = createScratchHome();
    const daemon = startDaemon({ home });
    await daemon.waitForEvent("daemon:ready");

    daemon.child.process.stdout?.destroy();
    await command(home, "remember", "Always use tabs for indentation");

    expect(await command(home, "status")).toMatchObject({ code: 0 });
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
