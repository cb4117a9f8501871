// A stop that comes before the service is ready: whatever a start waits for, a stop does not wait with it.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { INSTANCE_LOCK } from "../../src/app/instance.ts";
import { runDaemon } from "../../src/daemon.ts";
import { saveDaemonFile } from "../../src/serve/client/daemon-file.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFileLocks } from "../../src/system/file-lock.ts";
import { createFiles } from "../../src/system/files.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";

/** Within what a service has to end in; what it waits for here would take 12 s. */
const SOON_MS = 10_000;
const REFUSED_MS = 400;

function run(home: ScratchHome) {
  const lines: string[] = [];
  let stop: (name: string) => void = () => undefined;
  const ended = runDaemon({
    env: home.env,
    accountHome: home.home,
    platform: process.platform,
    temporaryDir: home.folder.at("tmp"),
    pid: process.pid,
    writeLog: (line) => lines.push(line),
    signals: { onStop: (fn) => (stop = fn), onReload: () => undefined, onUncaught: () => undefined },
  });
  return {
    ended,
    said: (what: string) => lines.some((line) => line.includes(what)),
    stop: () => stop("SIGTERM"),
  };
}

describe("the id of a killed daemon", () => {
  it.each([
    ["that somebody else has now", process.ppid],
    ["that we ourselves have, in a new container", process.pid],
  ])("%s keeps nobody from waiting for its lock", async (_, pid) => {
    const home = createScratchHome();
    const { files, clock } = { files: createFiles(), clock: createClock() };
    const locks = createFileLocks({
      files,
      clock,
      folder: home.folder.at("home/.local/state/engramd/locks"),
    });
    const lock = await locks.take(INSTANCE_LOCK, { waitMs: 0 });
    const paths = { stateDir: home.stateDir, socket: home.socket };
    saveDaemonFile({ files, paths }, { pid, socket: home.socket, version: "1.0.0" });
    const daemon = run(home);
    // Long enough for the first try, which the lock refuses.
    await Promise.race([setTimeout(REFUSED_MS), daemon.ended]);
    await lock?.release();

    while (!daemon.said("daemon:ready")) await Promise.race([nextTurn(), daemon.ended]);
    daemon.stop();
    expect(await daemon.ended).toBe(0);
  });
});

describe("a start", () => {
  it("removes what a program left that was killed with the daemon that ran it, and no more", async () => {
    const home = createScratchHome();
    const left = home.folder.write("home/.local/state/engramd/claude-cli/tmp/x/words.json", "words");
    const kept = home.folder.write("home/.local/state/engramd/codex-cli/home/id", "1");
    const daemon = run(home);
    while (!daemon.said("daemon:ready")) await Promise.race([nextTurn(), daemon.ended]);
    daemon.stop();

    expect(await daemon.ended).toBe(0);
    expect(existsSync(dirname(dirname(left)))).toBe(false);
    expect(existsSync(kept)).toBe(true);
  });
});

describe("SIGTERM", () => {
  it.each([
    ["another engramd's lock", ".local/state/engramd/locks", INSTANCE_LOCK],
    ["another start at the socket", "../run/engramd", "socket"],
  ])("ends a daemon that waits for %s at once", async (_, folder, name) => {
    const home = createScratchHome();
    const locks = createFileLocks({
      files: createFiles(),
      clock: createClock(),
      folder: home.folder.at(`home/${folder}`),
    });
    const lock = await locks.take(name, { waitMs: 0 });
    const daemon = run(home);
    const startedAt = performance.now();
    await nextTurn();
    daemon.stop();

    expect(await daemon.ended).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
    expect(lock?.held()).toBe(true);
    expect(existsSync(home.socket)).toBe(false);
    await lock?.release();
  });

  it("ends the first sweep, however much there is to see", async () => {
    const home = createScratchHome();
    for (let number = 0; number < 1_500; number += 1) {
      const text = createTranscript({ cwd: `/srv/p${number}`, sessionId: sessionIdOf(number) })
        .user("hello")
        .text();
      home.folder.write(`home/.claude/projects/-srv-p${number}/${sessionIdOf(number)}.jsonl`, text);
    }
    const daemon = run(home);
    while (!existsSync(home.socket)) await nextTurn();
    daemon.stop();

    expect(await daemon.ended).toBe(0);
    expect(daemon.said("daemon:ready")).toBe(false);
    expect(daemon.said("daemon:stopped")).toBe(true);
    expect(existsSync(home.socket)).toBe(false);
  });
});
