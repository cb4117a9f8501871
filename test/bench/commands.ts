// Row 13: what `engramd status` costs beside starting Node, and what it costs the daemon. Needs `npm run build`.
import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startBuiltDaemon, stopChild } from "./built-daemon.ts";
import { childCpuMs, rounded, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const ENTRY = join(process.cwd(), "dist/main.js");
const ROUNDS = 9;
const TARGET = 1.3;
const DAEMON_SHARE_MS = 10;

export async function rows(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const bare = homeOf(folder);
    const daemon = await startBuiltDaemon({ env: bare });
    try {
      return [
        // As a person types it: what their environment has Node load at its start counts for both.
        toRow({ env: { ...process.env, ...bare }, daemon, where: "", target: TARGET }),
        // For information: there, opening one socket is 1.37 times the anchor already (measured).
        toRow({ env: bare, daemon, where: ", in an empty environment (no target)", target: Infinity }),
      ];
    } finally {
      await stopChild(daemon);
    }
  });
}

interface Measured {
  readonly env: NodeJS.ProcessEnv;
  readonly daemon: ChildProcess;
  readonly where: string;
  readonly target: number;
}

function toRow({ env, daemon, where, target }: Measured): Row {
  const status: number[] = [];
  const node: number[] = [];
  const before = mainThreadMs(daemon.pid);
  // In turns, so that a busy moment of the machine falls on both.
  for (let round = 0; round < ROUNDS; round++) {
    node.push(childCpuMs([process.execPath, "-e", "0"], env));
    status.push(childCpuMs([process.execPath, ENTRY, "status"], env));
  }
  const share = (mainThreadMs(daemon.pid) - before) / ROUNDS;
  const [value, anchor] = [Math.min(...status), Math.min(...node)];
  return {
    id: 13,
    name: `status, CPU ms, to node -e 0 (the daemon's share ${share.toFixed(1)} ms, at most ${DAEMON_SHARE_MS})${where}`,
    value: rounded(value),
    anchor: rounded(anchor),
    ratio: rounded(value / anchor),
    target,
    ok: value / anchor <= target && share <= DAEMON_SHARE_MS,
  };
}

/** A home of its own: nothing of the person's is read or written. */
function homeOf(folder: string): NodeJS.ProcessEnv {
  mkdirSync(join(folder, "run"), { mode: 0o700 });
  return { PATH: process.env["PATH"], HOME: folder, XDG_RUNTIME_DIR: join(folder, "run") };
}

/** CPU time of the main thread, which answers; the kernel counts it in nanoseconds. */
function mainThreadMs(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
