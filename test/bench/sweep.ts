// Rows 1 and 2: what a cold sweep over 10,000 known files costs beside `find -newer` and an idle process.
import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleChild, rounded, runChild, withFolder } from "./measured-child.ts";
import type { ChildCost } from "./own-cost.ts";
import type { Row } from "./row.ts";

const FOLDERS = 2_000;
const FILES_A_FOLDER = 5;
const ROUNDS = 5;
const CPU_TARGET = 1.2;
/** Ours: what facts, callbacks and slices may add to the bare loop. */
const PLAIN_TARGET = 1.75;
const RSS_TARGET_MB = 10;

interface SweepCost extends ChildCost {
  readonly files: number;
  readonly folders: number;
  readonly changed: number;
}

export async function rows(): Promise<Row[]> {
  const script = await bundleChild("sweep-child");
  return withFolder(async (folder) => {
    const tree = makeTree(folder);
    const run = (root: string, how: "sweep" | "plain") =>
      runChild<SweepCost>(process.execPath, [script, how, root, String(tree.markMs)]);
    const costs: Costs = { idle: [], sweep: [], plain: [], findMs: [] };
    // In turns, so that a busy moment of the machine falls on all of them.
    for (let round = 0; round < ROUNDS; round++) {
      costs.idle.push(await run(join(folder, "missing"), "sweep"));
      costs.sweep.push(await run(tree.root, "sweep"));
      costs.plain.push(await run(tree.root, "plain"));
      costs.findMs.push(findCpuMs(tree));
    }
    return toRows(costs);
  });
}

interface Costs {
  /** The same process without a tree to walk: Node and our modules, nothing else. */
  readonly idle: SweepCost[];
  readonly sweep: SweepCost[];
  /** The plainest loop Node allows: readdir, lstat, one comparison. What our own code adds stands beside it. */
  readonly plain: SweepCost[];
  readonly findMs: number[];
}

function toRows({ idle, sweep, plain, findMs }: Costs): Row[] {
  const least = (costs: readonly SweepCost[], of: "cpuMs" | "rssMb") =>
    Math.min(...costs.map((cost) => cost[of]));
  const netMs = least(sweep, "cpuMs") - least(idle, "cpuMs");
  const plainMs = least(plain, "cpuMs") - least(idle, "cpuMs");
  const grownMb = least(sweep, "rssMb") - least(idle, "rssMb");
  const complete = [...sweep, ...plain].every(
    ({ files, folders, changed }) =>
      files === FOLDERS * FILES_A_FOLDER && folders === FOLDERS + 1 && changed === 0,
  );
  const cpuRow = (name: string, anchorMs: number, target: number): Row => ({
    id: 1,
    name: `cold sweep of 10,000 known files, CPU ms net of the idle process: ${name}`,
    value: rounded(netMs),
    anchor: rounded(anchorMs),
    ratio: rounded(netMs / anchorMs),
    target,
    ok: complete && netMs / anchorMs <= target,
  });
  return [
    cpuRow("to find -newer", Math.min(...findMs), CPU_TARGET),
    cpuRow("to the plainest loop in Node", plainMs, PLAIN_TARGET),
    {
      id: 2,
      name: "cold sweep of 10,000 known files: MB of RSS over the idle process (the target is MB, not a ratio)",
      value: rounded(grownMb),
      anchor: rounded(least(idle, "rssMb")),
      ratio: rounded(grownMb / least(idle, "rssMb")),
      target: RSS_TARGET_MB,
      ok: complete && grownMb <= RSS_TARGET_MB,
    },
  ];
}

interface Tree {
  readonly root: string;
  readonly mark: string;
  readonly markMs: number;
}

function makeTree(folder: string): Tree {
  const root = join(folder, "projects");
  for (let number = 0; number < FOLDERS; number++) {
    const project = join(root, `-work-project-${number}`);
    mkdirSync(project, { recursive: true });
    for (let file = 0; file < FILES_A_FOLDER; file++) {
      writeFileSync(join(project, `0000000${file}-1111-4222-8333-444455556666.jsonl`), "{}\n");
    }
  }
  const mark = join(folder, "mark");
  writeFileSync(mark, "");
  const markMs = Date.now() + 1_000;
  utimesSync(mark, markMs / 1000, markMs / 1000);
  return { root, mark, markMs };
}

/** User and system time of one `find`, from the shell's own accounting of its children. */
function findCpuMs({ root, mark }: Tree): number {
  const script = 'find "$0" -name "*.jsonl" -newer "$1" >/dev/null; times';
  const printed = execFileSync("bash", ["-c", script, root, mark], { encoding: "utf8" });
  const children = printed.trim().split("\n")[1] ?? "";
  let ms = 0;
  for (const [, minutes, seconds] of children.matchAll(/(\d+)m([\d.]+)s/g)) {
    ms += Number(minutes) * 60_000 + Number(seconds) * 1_000;
  }
  return ms;
}
