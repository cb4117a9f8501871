// Row 6: from an append to a queued job, with no quiet time asked for, beside a bare fs.watch on the folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { makeBenchHome } from "./built-daemon.ts";
import { bundleChild, rounded, runChild, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const ROUNDS = 4;
const APPENDS = 150;
/** Between two appends: each is over before the next one. */
const PAUSE_MS = 30;
const MEDIAN_TARGET = 3;
const WORST_TARGET = 10;
const CWD = "/home/ana/work-0";

/** Appends a turn at a time; prints when each began. The text says nothing that would be urgent. */
const WRITER = `
const fs = require("node:fs"), path = process.argv[1];
const turn = fs.readFileSync(path);
(async () => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const at = [];
  for (let number = 0; number < ${APPENDS}; number++) {
    at.push(process.hrtime.bigint());
    fs.appendFileSync(path, turn);
    await new Promise((resolve) => setTimeout(resolve, ${PAUSE_MS}));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.stdout.write(at.join("\\n"));
})();
`;

interface Latency {
  readonly ms: readonly number[];
  readonly appended: number;
}

export async function rows(): Promise<Row[]> {
  const script = await bundleChild("latency-child");
  return withFolder(async (folder) => {
    const ours: Latency[] = [];
    const plain: Latency[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [how, into] of [
        ["ours", ours],
        ["plain", plain],
      ] as const) {
        const [home, transcripts] = makeHome(join(folder, `${how}-${round}`));
        into.push(await runChild<Latency>(process.execPath, [script, how, home, transcripts, WRITER]));
      }
    }
    return [
      toRow("p50", 0.5, { ours, plain, target: MEDIAN_TARGET }),
      toRow("p99", 0.99, { ours, plain, target: WORST_TARGET }),
    ];
  });
}

interface Measured {
  readonly ours: readonly Latency[];
  readonly plain: readonly Latency[];
  readonly target: number;
}

function toRow(which: string, share: number, { ours, plain, target }: Measured): Row {
  const best = (rounds: readonly Latency[]) => Math.min(...rounds.map(({ ms }) => quantile(ms, share)));
  const value = best(ours);
  const anchor = best(plain);
  const missed = Math.max(...ours.map(({ ms, appended }) => appended - ms.length));
  return {
    id: 6,
    name: `ms from an append to the queued job, ${which}, to a bare fs.watch (${missed} missed)`,
    value: rounded(value),
    anchor: rounded(anchor),
    ratio: rounded(value / anchor),
    target,
    ok: missed === 0 && value / anchor <= target,
  };
}

function quantile(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function makeHome(path: string): readonly [string, string] {
  const debounceMs = { offline: 0, model: 0 };
  const home = makeBenchHome(path, { extract: { settleMs: 0, debounceMs } });
  const transcripts = join(home.projects, CWD.replaceAll("/", "-"));
  mkdirSync(transcripts, { recursive: true });
  const turn = createTranscript({ cwd: CWD, sessionId: sessionIdOf(1), startAt: Date.now() });
  writeFileSync(
    join(transcripts, `${sessionIdOf(1)}.jsonl`),
    turn.user("Please run the tests.").assistant("They pass.").text(),
  );
  return [home.path, transcripts];
}
