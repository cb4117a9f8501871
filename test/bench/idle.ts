// Row 7: how often an idle daemon wakes and what it spends, beside bare Node with an open socket. A wakeup is a thread of
// the process that had gone to sleep and runs again, as the kernel counts it. Needs `npm run build`.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { BenchHome } from "./built-daemon.ts";
import { makeBenchHome, startBuiltDaemon, stopChild, wakesOf } from "./built-daemon.ts";
import { rounded, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const LISTEN = `require("node:net").createServer().listen(process.argv[1]);`;
const PROJECTS = 50;
const FILES = 10;
/** Projects somebody worked in this week: their folders are watched. */
const ACTIVE = 5;
const OLD_S = 40 * 86_400;
/** Start and first round are over, and V8 has tidied up after them. */
const SETTLE_MS = 75_000;
/** A whole number of rounds (one a minute at most) and of heart-beats of the lock (one in 90 s). */
const MINUTES = 3;
const MINUTE_MS = 60_000;
const WAKES_TARGET = 2;
const CPU_POINTS_TARGET = 0.03;

interface Idle {
  readonly wakesAMinute: number;
  /** Percent of one core. */
  readonly cpuPoints: number;
}

export async function rows(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const home = makeBenchHome(join(folder, "home"));
    fill(home);
    const bare = spawn(process.execPath, ["-e", LISTEN, join(folder, "socket")], { stdio: "ignore" });
    const daemon = await startBuiltDaemon(home);
    try {
      await wait(SETTLE_MS);
      const [ours, plain] = await Promise.all([daemon, bare].map(idle));
      return toRows(ours ?? NOTHING, plain ?? NOTHING);
    } finally {
      await Promise.all([daemon, bare].map(stopChild));
    }
  });
}

const NOTHING: Idle = { wakesAMinute: Number.NaN, cpuPoints: Number.NaN };

async function idle({ pid }: ChildProcess): Promise<Idle> {
  const before = wakesOf(pid);
  await wait(MINUTES * MINUTE_MS);
  const after = wakesOf(pid);
  return {
    wakesAMinute: (after.count - before.count) / MINUTES,
    cpuPoints: (100 * (after.cpuMs - before.cpuMs)) / (MINUTES * MINUTE_MS),
  };
}

function toRows(ours: Idle, plain: Idle): Row[] {
  const row = (of: keyof Idle, name: string, target: number): Row => {
    const more = ours[of] - plain[of];
    return {
      id: 7,
      name,
      value: rounded(ours[of]),
      anchor: rounded(plain[of]),
      ratio: rounded(more),
      target,
      ok: more <= target,
    };
  };
  const beyond = "of an idle daemon beyond bare Node with an open socket (the target bounds the difference)";
  return [
    row("wakesAMinute", `wakeups a minute ${beyond}`, WAKES_TARGET),
    row("cpuPoints", `percent of a core ${beyond}`, CPU_POINTS_TARGET),
  ];
}

function fill(home: BenchHome): void {
  for (let project = 0; project < PROJECTS; project++) {
    const cwd = `/home/ana/work-${project}`;
    const folder = join(home.projects, cwd.replaceAll("/", "-"));
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < FILES; file++) {
      const sessionId = `${String(project * FILES + file).padStart(8, "0")}-1111-4222-8333-444455556666`;
      const path = join(folder, `${sessionId}.jsonl`);
      const at = Date.now() / 1_000 - (project < ACTIVE ? 86_400 : OLD_S);
      writeFileSync(path, createTranscript({ cwd, sessionId }).user("Is it done?").assistant("Yes.").text());
      utimesSync(path, at, at);
    }
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
