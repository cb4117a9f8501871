// What the service manager is told, and when it is told nothing.
import { spawn, spawnSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { JOB_LIMITS } from "../../../../src/domain/limits.ts";
import { startHeartBeat } from "../../../../src/serve/deliver/heart-beat.ts";
import type { ManagerLink } from "../../../../src/serve/deliver/systemd-notify.ts";
import { createManagerLink } from "../../../../src/serve/deliver/systemd-notify.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createRunCommand } from "../../../../src/system/command.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import type { Log } from "../../../../src/system/log.ts";
import { createFakePrograms } from "../../../helpers/fake-programs.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const PID = 4_321;
const WATCH_MS = 300_000;
const HAS_NOTIFY = ["systemd-notify", "python3"].every((program) => {
  if (spawnSync(program, ["--version"]).status === 0) return true;
  process.stdout.write(`skipped: no ${program} here\n`);
  return false;
});

function createLink(env: Readonly<Record<string, string>>) {
  const warnings: string[] = [];
  const ignore = () => undefined;
  const log: Log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (message) => void warnings.push(message),
  };
  return { warnings, link: createManagerLink({ env, pid: PID, run: createRunCommand(createClock()), log }) };
}

describe("the link to the manager", () => {
  it("is there only where somebody listens", () => {
    expect(createLink({}).link).toBeUndefined();
    expect(createLink({ NOTIFY_SOCKET: "" }).link).toBeUndefined();
    expect(createLink({ NOTIFY_SOCKET: "relative" }).link).toBeUndefined();
    expect(createLink({ NOTIFY_SOCKET: "@abstract" }).link).toBeDefined();
  });

  it("knows the watchdog meant for this process only", () => {
    const watched = (more: Readonly<Record<string, string>>) =>
      createLink({ NOTIFY_SOCKET: "/run/n", ...more }).link?.watchdogMs;

    expect(watched({})).toBeUndefined();
    expect(watched({ WATCHDOG_USEC: "300000000" })).toBe(WATCH_MS);
    expect(watched({ WATCHDOG_USEC: "300000000", WATCHDOG_PID: String(PID) })).toBe(WATCH_MS);
    expect(watched({ WATCHDOG_USEC: "300000000", WATCHDOG_PID: "1" })).toBeUndefined();
    expect(watched({ WATCHDOG_USEC: "soon" })).toBeUndefined();
  });

  it("passes nothing of our environment on but the socket", async () => {
    const folder = createTempFolder();
    const programs = createFakePrograms(folder);
    programs.add("systemd-notify", `echo "$NOTIFY_SOCKET $SECRET" >> '${folder.at("env.txt")}'`);
    programs.add("show", `/bin/cat '${folder.at("env.txt")}'`);
    const { link, warnings } = createLink({ NOTIFY_SOCKET: "/run/n", SECRET: "k", PATH: programs.path });

    await link?.tell("READY=1");

    expect(programs.calls()).toEqual(["systemd-notify READY=1"]);
    const seen = spawnSync(`${programs.path}/show`, { encoding: "utf8", env: { PATH: programs.path } });
    expect(seen.stdout).toBe("/run/n \n");
    expect(warnings).toEqual([]);
  });

  it("only warns when the manager cannot be told", async () => {
    const programs = createFakePrograms(createTempFolder());
    const { link, warnings } = createLink({ NOTIFY_SOCKET: "/run/n", PATH: programs.path });

    await link?.tell("READY=1");
    programs.add("systemd-notify", "exit 1");
    await link?.tell("STOPPING=1");

    expect(warnings).toHaveLength(2);
  });

  it.skipIf(!HAS_NOTIFY)("reaches a listening socket through the real program", async () => {
    const path = createTempFolder().at("notify.sock");
    const program = `import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); s.settimeout(60); print("listening", flush=True)
while True:
    word, fds, flags, address = socket.recv_fds(s, 4096, 4)
    for fd in fds: os.close(fd)
    print(word.decode().strip(), flush=True)
`;
    const listener = spawn("python3", ["-c", program, path], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void listener.kill("SIGKILL"));
    let heard = "";
    const until = (word: string) =>
      new Promise<void>((resolve) => {
        const look = () => heard.split("\n").includes(word) && resolve();
        listener.stdout.on("data", look);
        look();
      });
    listener.stdout.setEncoding("utf8").on("data", (text: string) => (heard += text));
    await until("listening");
    const { link, warnings } = createLink({ NOTIFY_SOCKET: path, PATH: process.env["PATH"] ?? "" });

    await link?.tell("READY=1");
    await until("READY=1");
    await link?.tell("WATCHDOG=1");
    await until("WATCHDOG=1");

    expect(warnings).toEqual([]);
  });
});

describe("beats", () => {
  function createHeart({ watchdogMs }: Pick<ManagerLink, "watchdogMs"> = { watchdogMs: WATCH_MS }) {
    const clock = createManualClock();
    const emitter = createEmitter((error) => {
      throw error;
    });
    const jobs = { running: 0, waiting: 0 };
    const queue = { describe: () => ({ ...jobs, delayed: 0, dead: 0, jobs: [] }) };
    let beats = 0;
    const link: ManagerLink = { watchdogMs, tell: async () => void (beats += 1) };
    const stop = startHeartBeat({ clock, emitter, queue, link });
    /** Beats sent while this time passes. */
    const during = async (ms: number) => {
      const before = beats;
      await clock.advance(ms);
      return beats - before;
    };
    return { clock, emitter, jobs, stop, during };
  }

  it("come three times as often as the manager asks", async () => {
    const { during } = createHeart();

    expect(await during(WATCH_MS * 4)).toBe(12);
  });

  it("do not come where nobody watches, nor after the end", async () => {
    const unwatched = createHeart({ watchdogMs: undefined });
    expect(unwatched.clock.pendingTimers()).toBe(0);
    const { clock, stop, during } = createHeart();
    stop();

    expect(await during(WATCH_MS)).toBe(0);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("end when jobs are there and none gets anywhere, and come back when one does", async () => {
    const { emitter, jobs, during } = createHeart();
    jobs.running = 1;

    expect(await during(JOB_LIMITS.jobMs)).toBeGreaterThan(3);
    await during(WATCH_MS);
    expect(await during(WATCH_MS * 2)).toBe(0);
    emitter.emit("job:started", { key: "extract:/x" });
    expect(await during(WATCH_MS)).toBe(3);
  });

  it("go on through hours without any job, and the first job then has all its time", async () => {
    const { jobs, during } = createHeart();
    await during(WATCH_MS * 20);
    jobs.waiting = 1;

    expect(await during(JOB_LIMITS.jobMs)).toBe(6);
  });
});
