// Rows 1 and 2: what rounds over 10,000 known transcripts cost: a cold one - the first after a restart - beside
// `find -newer` and beside the same process that walks nothing, a later one beside the plainest loop of Node.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bundleChild, childCpuMs, rounded, runChild, withFolder } from "./measured-child.ts";
import type { ChildCost } from "./own-cost.ts";
import type { Row } from "./row.ts";

const PROJECTS = 2_000;
const FILES_A_PROJECT = 5;
/** Of 20 transcripts this many are a subagent's, in two folders of its own. */
const SUBAGENTS_OF_20 = 3;
/** Of 20 projects this many have a memory folder. */
const MEMORIES_OF_20 = 7;
const FILES = PROJECTS * FILES_A_PROJECT;
const SESSIONS = (FILES * (20 - SUBAGENTS_OF_20)) / 20;
const FOLDERS = 1 + PROJECTS + (PROJECTS * MEMORIES_OF_20) / 20 + 2 * (FILES - SESSIONS);
/** The least of many: with two logical processors on one core a busy neighbour makes a run half as dear again. */
const ROUNDS = 15;
const FIND_TARGET = 1.2;
/** Ours: what cursors, facts and slices may add to the bare loop. */
const LOOP_TARGET = 1.1;
const RSS_TARGET_MB = 10;
/** Folders that changed less than 2 s ago are not noted as listed; no home is filled right before a restart. */
const QUIET_MS = 2_500;

interface WalkCost extends ChildCost {
  readonly files: number;
  readonly folders: number;
  readonly changed: number;
}

type Task = "bare" | "plain" | "loaded" | "round" | "later";

const TASKS: readonly Task[] = ["bare", "plain", "loaded", "round", "later"];

interface Costs extends Readonly<Record<Task, WalkCost[]>> {
  readonly findMs: number[];
}

export async function rows(): Promise<Row[]> {
  const script = await bundleChild("sweep-child");
  return withFolder(async (folder) => {
    const home = makeHome(folder);
    const run = (task: Task) =>
      runChild<WalkCost>(process.execPath, ["--expose-gc", script, task, home, join(folder, "state")]);
    await setTimeout(QUIET_MS);
    // The first round notes every transcript and every folder in the state folder; all later ones find nothing new.
    await run("round");
    const mark = makeMark(folder);
    const costs: Costs = { bare: [], plain: [], loaded: [], round: [], later: [], findMs: [] };
    // In turns, so that a busy moment of the machine falls on all of them.
    for (let round = 0; round < ROUNDS; round++) {
      for (const task of TASKS) costs[task].push(await run(task));
      costs.findMs.push(childCpuMs(["find", join(home, "projects"), "-name", "*.jsonl", "-newer", mark]));
    }
    return toRows(costs);
  });
}

function toRows({ bare, plain, loaded, round, later, findMs }: Costs): Row[] {
  const least = (costs: readonly WalkCost[], of: "cpuMs" | "rssMb") =>
    Math.min(...costs.map((cost) => cost[of]));
  const loopMs = least(plain, "cpuMs") - least(bare, "cpuMs");
  const grownMb = least(round, "rssMb") - least(loaded, "rssMb");
  const complete =
    [...round, ...later].every((cost) => cost.files === SESSIONS && cost.changed === 0) &&
    plain.every((cost) => cost.files === FILES && cost.folders === FOLDERS && cost.changed === 0);
  const cpuRow = (
    name: string,
    { costs, anchorMs, target }: { costs: WalkCost[]; anchorMs: number; target: number },
  ): Row => {
    const netMs = least(costs, "cpuMs") - least(loaded, "cpuMs");
    return {
      id: 1,
      name: `${name} (${FILES} known transcripts in ${FOLDERS} folders, ours leaves subagents' folders out; CPU ms net of loading and of collecting its garbage)`,
      value: rounded(netMs),
      anchor: rounded(anchorMs),
      ratio: rounded(netMs / anchorMs),
      target,
      ok: complete && netMs / anchorMs <= target,
    };
  };
  return [
    cpuRow("first round after a restart, to find -newer", {
      costs: round,
      anchorMs: Math.min(...findMs),
      target: FIND_TARGET,
    }),
    cpuRow("later round, to a plain loop of readdirSync and statSync, net of Node", {
      costs: later,
      anchorMs: loopMs,
      target: LOOP_TARGET,
    }),
    {
      id: 2,
      name: "first round after a restart, MB of RSS over the process that walks nothing (the target is MB, not a ratio)",
      value: rounded(grownMb),
      anchor: rounded(least(loaded, "rssMb")),
      ratio: rounded(grownMb / least(loaded, "rssMb")),
      target: RSS_TARGET_MB,
      ok: complete && grownMb <= RSS_TARGET_MB,
    },
  ];
}

/** An agent's home as Claude Code leaves it: sessions, subagents' folders, memory folders. */
function makeHome(folder: string): string {
  const home = join(folder, "home");
  for (let project = 0; project < PROJECTS; project++) {
    const path = join(home, "projects", `-home-ana-work-project-${project}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_A_PROJECT; file++) makeTranscript(path, project * FILES_A_PROJECT + file);
    if (project % 20 >= MEMORIES_OF_20) continue;
    mkdirSync(join(path, "memory"));
    for (const name of ["MEMORY", "build", "style"]) writeFileSync(join(path, "memory", `${name}.md`), "");
  }
  return home;
}

function makeTranscript(project: string, number: number): void {
  const session = `${String(number).padStart(8, "0")}-1111-4222-8333-444455556666`;
  if (number % 20 >= SUBAGENTS_OF_20) return writeFileSync(join(project, `${session}.jsonl`), "{}\n");
  mkdirSync(join(project, session, "subagents"), { recursive: true });
  writeFileSync(join(project, session, "subagents", `agent-${number}.jsonl`), "{}\n");
}

function makeMark(folder: string): string {
  const mark = join(folder, "mark");
  writeFileSync(mark, "");
  const later = Date.now() / 1000 + 1;
  utimesSync(mark, later, later);
  return mark;
}
