// Row 17: 500 status requests a second over 20 kept connections while the built daemon reads old sessions: the slowest
// answer, and what the daemon holds at the end of it. Needs `npm run build`.
import { Agent, request } from "node:http";
import type { RequestOptions } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseStatus } from "../../src/serve/client/last-status.ts";
import { createClock, wait } from "../../src/system/clock.ts";
import type { BenchHome } from "./built-daemon.ts";
import { makeBenchHome, rssMb, startBuiltDaemon, stopChild } from "./built-daemon.ts";
import { createCorpus } from "./corpus.ts";
import { rounded, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 20;
const REQUESTS_A_SECOND = 500;
const SECONDS = 12;
/** The first seconds fill caches and compile. */
const WARM_UP_SECONDS = 3;
const PROJECTS = 10;
const FILES_A_PROJECT = 4;
/** Together 200 MB. */
const FILE_BYTES = 5_000_000;
/** No answer may take longer. */
const SLOWEST_MS = 1_000;
/** Whoever is behind by more than this has shown enough. */
const LATE_MS_MAX = 10_000;
/** What is held at the end to what is held once warm; reading needs its buffers, answering nothing that stays. */
const GROWTH_TARGET = 1.3;

export interface LoadFigures {
  readonly answers: number;
  readonly failures: number;
  readonly slowestMs: number;
  readonly p99Ms: number;
  readonly medianMs: number;
  readonly warmMb: number;
  readonly mostMb: number;
  readonly endMb: number;
  readonly linesRead: number;
  /** How many different counts of them the answers told. */
  readonly steps: number;
}

export async function rows(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const home = makeBenchHome(folder);
    writeSessions(home);
    const figures = await underLoad(home, SECONDS);
    if (figures.failures > 0) throw new Error(`${figures.failures} questions were not answered`);
    const row = { id: 17, anchor: 1 };
    return [
      {
        ...row,
        name: `slowest of ${figures.answers} status answers while ${figures.linesRead} lines are read, in s`,
        value: rounded(figures.slowestMs / 1_000),
        ratio: rounded(figures.slowestMs / SLOWEST_MS),
        target: 1,
        ok: figures.slowestMs <= SLOWEST_MS,
      },
      {
        ...row,
        name: "RSS of the daemon at the end to that when warm",
        value: rounded(figures.endMb),
        anchor: rounded(figures.warmMb),
        ratio: rounded(figures.endMb / figures.warmMb),
        target: GROWTH_TARGET,
        ok: figures.endMb / figures.warmMb <= GROWTH_TARGET,
      },
    ];
  });
}

function writeSessions({ projects }: BenchHome): void {
  for (let project = 0; project < PROJECTS; project += 1) {
    const folder = join(projects, `-load-${project}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < FILES_A_PROJECT; file += 1) {
      const seed = project * FILES_A_PROJECT + file + 1;
      const session = `${String(seed).padStart(8, "0")}-1111-4222-8333-444455556666`;
      const corpus = createCorpus({ seed, bytes: FILE_BYTES, talkShare: 0.3 });
      writeFileSync(join(folder, `${session}.jsonl`), corpus);
    }
  }
}

/** Starts a daemon, has it read everything, and asks it meanwhile. */
export async function underLoad(home: BenchHome, seconds: number): Promise<LoadFigures> {
  const daemon = await startBuiltDaemon(home);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const asked = { socketPath: home.socket, agent };
  try {
    await ask({ ...asked, method: "POST", path: "/v1/sync" }, '{"backfillDays":"all","background":true}');
    const before = await linesRead(asked);
    const latencies: number[] = [];
    const mb: number[] = [];
    let failures = 0;
    const told = new Set<string | undefined>();
    const status = { ...asked, method: "GET", path: "/v1/status" };
    const clock = createClock();
    const startMs = performance.now();
    const endMs = startMs + seconds * 1_000;
    const gapMs = (1_000 * CONNECTIONS) / REQUESTS_A_SECOND;
    const client = async (offsetMs: number) => {
      // Counted from when it should have been asked: an answer that is late makes the next questions late as well.
      for (let dueMs = startMs + offsetMs; dueMs < endMs; dueMs += gapMs) {
        if (performance.now() > endMs + LATE_MS_MAX) return;
        await wait(clock, dueMs - performance.now());
        const text = await ask(status).catch(() => undefined);
        if (text === undefined) failures += 1;
        else latencies.push(performance.now() - dueMs);
        if (text !== undefined) told.add(/"linesRead": ?(\d+)/u.exec(text)?.[1]);
      }
    };
    const watcher = async () => {
      for (let second = 0; second < seconds; second += 1) {
        await wait(clock, startMs + (second + 1) * 1_000 - performance.now());
        mb.push(rssMb(daemon.pid));
      }
    };
    const clients = Array.from({ length: CONNECTIONS }, (_, at) => client((at * gapMs) / CONNECTIONS));
    await Promise.all([...clients, watcher()]);
    const read = (await linesRead(asked)) - before;
    const sorted = latencies.toSorted((a, b) => a - b);
    return {
      answers: latencies.length,
      failures,
      slowestMs: rounded(sorted.at(-1) ?? Infinity),
      p99Ms: rounded(sorted[Math.floor(sorted.length * 0.99)] ?? Infinity),
      medianMs: rounded(sorted[Math.floor(sorted.length / 2)] ?? Infinity),
      warmMb: rounded(mb[WARM_UP_SECONDS] ?? 0),
      mostMb: rounded(Math.max(...mb)),
      endMb: rounded(mb.at(-1) ?? 0),
      linesRead: read,
      steps: told.size,
    };
  } finally {
    agent.destroy();
    await stopChild(daemon);
  }
}

type Asked = Pick<RequestOptions, "socketPath" | "agent" | "method" | "path">;

/** The text of an answer; rejects for every other status than 200. */
function ask(asked: Asked, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...asked, headers: { Host: "engramd" } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("error", reject);
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(text));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function linesRead(asked: Asked): Promise<number> {
  const status = parseStatus(JSON.parse(await ask({ ...asked, method: "GET", path: "/v1/status" })));
  return status?.counters.linesRead ?? 0;
}
