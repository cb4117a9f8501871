// Row 10: what a daemon, started as the service is, holds while nothing happens, and after its first job with a
// model. Needs `npm run build`.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelStub } from "../helpers/model-stub.ts";
import { rssMb, startBuiltDaemon, stopChild } from "./built-daemon.ts";
import { rounded, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const SDK = join(process.cwd(), "node_modules/@anthropic-ai/sdk/index.js");
const LISTEN = `require("node:fs").rmSync(process.argv[1], { force: true });
require("node:net").createServer().listen(process.argv[1]);`;
const REQUIRE = `require(process.argv[1]); setInterval(() => {}, 1e9);`;
/** The least of a few: when a collection runs is chance. */
const ROUNDS = 2;
const SMALL = { projects: 50, files: 10, target: 1.4 } as const;
const LARGE = { projects: 2_000, files: 5, target: 1.6 } as const;
const JOB_TARGET = 1.2;
/** Nothing happens any more: no more CPU than this in so long. */
const QUIET_CPU_MS = 5;
const QUIET_MS = 1_500;
/** V8 gives memory back by itself once a process has been idle, as a rule within a minute (measured). */
const IDLE_MS = 90_000;
/** Passed over at the first start: older than the days it reads, younger than what the agent is about to delete. */
const AGE_S = 15 * 86_400;

type Measure = () => Promise<number>;

export async function rows(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const small = await idleHome(join(folder, "small"), SMALL);
    const large = await idleHome(join(folder, "large"), LARGE);
    const measures = {
      bare: () => plainNode(LISTEN, join(folder, "socket")),
      sdk: () => plainNode(REQUIRE, SDK),
      small: () => withDaemon(small, settledMb),
      large: () => withDaemon(large, settledMb),
      job: () => afterJob(join(folder, "job")),
    } satisfies Record<string, Measure>;
    const least = { bare: Infinity, sdk: Infinity, small: Infinity, large: Infinity, job: Infinity };
    const one = async (name: keyof typeof measures) => {
      least[name] = Math.min(least[name], await measures[name]());
    };
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all((["bare", "sdk", "small", "large", "job"] as const).map(one));
    const { bare, sdk } = least;
    const idle = "RSS of an idle daemon, MB, to bare Node with an open socket:";
    return [
      toRow({
        name: `${idle} 50 projects, 500 files`,
        value: least.small,
        anchor: bare,
        target: SMALL.target,
      }),
      toRow({ name: `${idle} 2,000 projects`, value: least.large, anchor: bare, target: LARGE.target }),
      toRow({
        name: "RSS after the first job with a model, MB, to bare Node with the SDK required",
        value: least.job,
        anchor: sdk,
        target: JOB_TARGET,
      }),
    ];
  });
}

function toRow({ name, value, anchor, target }: Pick<Row, "name" | "value" | "anchor" | "target">): Row {
  const ratio = value / anchor;
  return {
    id: 10,
    name,
    value: rounded(value),
    anchor: rounded(anchor),
    ratio: rounded(ratio),
    target,
    ok: ratio <= target,
  };
}

interface Home {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A home of its own: nothing of the person's is read or written. */
function makeHome(home: string): Home {
  mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 });
  // What the environment has Node load at its start counts for the anchors too.
  return { home, env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: join(home, "run") } };
}

/** As after a daemon's first day: every transcript is known and nothing is new. */
async function idleHome(
  path: string,
  tree: { readonly projects: number; readonly files: number },
): Promise<Home> {
  const home = makeHome(path);
  for (let project = 0; project < tree.projects; project++) {
    const folder = join(path, `.claude/projects/-home-ana-work-${project}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < tree.files; file++) {
      const session = `${String(project * tree.files + file).padStart(8, "0")}-1111-4222-8333-444455556666`;
      const transcript = join(folder, `${session}.jsonl`);
      writeFileSync(transcript, turn({ session, cwd: `/home/ana/work-${project}` }));
      const old = Date.now() / 1000 - AGE_S;
      utimesSync(transcript, old, old);
    }
  }
  await withDaemon(home, quiet);
  return home;
}

function turn({ session, cwd }: { readonly session: string; readonly cwd: string }): string {
  const common = { isSidechain: false, userType: "external", entrypoint: "cli", cwd, sessionId: session };
  const at = { version: "2.1.140", timestamp: new Date().toISOString() };
  const said = "From now on the release notes belong on the board of the team, not into the wiki.";
  const lines = [
    { ...common, ...at, uuid: "u-1", type: "user", message: { role: "user", content: said } },
    {
      ...common,
      ...at,
      uuid: "a-1",
      type: "assistant",
      message: {
        id: "m1",
        role: "assistant",
        content: [{ type: "text", text: "Fine." }],
        stop_reason: "end_turn",
      },
    },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** One message to a daemon that has just started, until its job is over. */
async function afterJob(path: string): Promise<number> {
  const stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
  const home = makeHome(`${path}-${stub.url.split(":").at(-1)}`);
  const project = join(home.home, ".claude/projects/-home-ana-work-0");
  mkdirSync(project, { recursive: true });
  mkdirSync(join(home.home, ".config/engramd"), { recursive: true });
  const debounceMs = { model: 100, offline: 100 };
  const config = {
    provider: "local",
    baseUrl: stub.url,
    extract: { settleMs: 0, minNewTokens: 0, debounceMs },
  };
  writeFileSync(join(home.home, ".config/engramd/config.json"), JSON.stringify(config));
  try {
    return await withDaemon(home, async (daemon) => {
      await quiet(daemon);
      const session = "11111111-1111-4111-8111-111111111111";
      appendFileSync(join(project, `${session}.jsonl`), turn({ session, cwd: "/home/ana/work-0" }));
      const { ended } = await stub.request(0);
      await ended;
      return settledMb(daemon);
    });
  } finally {
    await stub.close();
  }
}

async function withDaemon<T>({ env }: Home, act: (daemon: ChildProcess) => Promise<T>): Promise<T> {
  const daemon = await startBuiltDaemon({ env });
  try {
    return await act(daemon);
  } finally {
    await stopChild(daemon);
  }
}

async function plainNode(script: string, argument: string): Promise<number> {
  const child = spawn(process.execPath, ["-e", script, argument], { stdio: "ignore" });
  try {
    return await settledMb(child);
  } finally {
    await stopChild(child);
  }
}

async function quiet({ pid }: ChildProcess): Promise<void> {
  for (let before = -1; ;) {
    const spent = cpuMs(pid);
    if (before >= 0 && spent - before <= QUIET_CPU_MS) return;
    before = spent;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

async function settledMb(child: ChildProcess): Promise<number> {
  await quiet(child);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return rssMb(child.pid);
}

/** Of the main thread. */
function cpuMs(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
