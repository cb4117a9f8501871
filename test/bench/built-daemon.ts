// The built daemon in a home of its own, and what the kernel tells of a process. Needs `npm run build`.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NODE_FLAGS } from "../../src/serve/deliver/install/program.ts";

const ENTRY = join(process.cwd(), "dist/main.js");
/** A daemon that has to be waited for longer will not come. */
const READY_MS = 60_000;

export interface BenchHome {
  readonly path: string;
  readonly projects: string;
  readonly stateDir: string;
  readonly socket: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Nothing of the person's is read or written. */
export function makeBenchHome(path: string, config: object = {}): BenchHome {
  mkdirSync(join(path, "run"), { recursive: true, mode: 0o700 });
  const configFile = join(path, ".config/engramd/config.json");
  mkdirSync(dirname(configFile), { recursive: true });
  writeFileSync(configFile, JSON.stringify(config));
  return {
    path,
    projects: join(path, ".claude/projects"),
    stateDir: join(path, ".local/state/engramd"),
    socket: join(path, "run/engramd/engramd.sock"),
    env: { PATH: process.env["PATH"], HOME: path, XDG_RUNTIME_DIR: join(path, "run") },
  };
}

/** Resolves once it is ready; its log is read and thrown away. */
export async function startBuiltDaemon({ env }: Pick<BenchHome, "env">): Promise<ChildProcess> {
  const daemon = spawn(process.execPath, [...NODE_FLAGS, ENTRY, "run"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the daemon ${why}: ${printed}`));
    const limit = setTimeout(() => fail("is not ready"), READY_MS);
    const read = (text: Buffer) => {
      printed = `${printed}${text.toString()}`.slice(-10_000);
      if (!printed.includes("daemon:ready")) return;
      clearTimeout(limit);
      resolve();
    };
    daemon.stdout.on("data", read);
    daemon.stderr.on("data", read);
    daemon.on("close", () => fail("ended"));
  });
  return daemon;
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill();
  await ended;
}

const KB_A_MB = 1024;

export function rssMb(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Rss:\s+(\d+)/mu.exec(text)?.[1]) / KB_A_MB;
}

export interface Handles {
  readonly descriptors: number;
  /** Kernel watches of files and folders. */
  readonly watches: number;
}

export function handlesOf(pid: number | undefined): Handles {
  const names = readdirSync(`/proc/${pid}/fdinfo`);
  let watches = 0;
  for (const name of names) {
    try {
      const text = readFileSync(`/proc/${pid}/fdinfo/${name}`, "utf8");
      watches += text.split("\n").filter((line) => line.startsWith("inotify ")).length;
    } catch {
      // Closed meanwhile.
    }
  }
  return { descriptors: names.length, watches };
}

export interface Wakes {
  /** How often threads of the process went to sleep and so had to be woken. */
  readonly count: number;
  readonly cpuMs: number;
}

/** Over all threads. */
export function wakesOf(pid: number | undefined): Wakes {
  let count = 0;
  let cpuMs = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8");
    count += Number(/^voluntary_ctxt_switches:\s+(\d+)/mu.exec(status)?.[1]);
    cpuMs += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  }
  return { count, cpuMs };
}
