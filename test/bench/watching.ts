// Rows 8, 9 and 11: what watching 500 folders costs beside a plain loop of fs.watch, and that nothing is missed
// in a burst of 9,000 appends to 3,000 files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WATCH_LIMITS } from "../../src/domain/limits.ts";
import { bundleChild, rounded, runChild, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const FOLDERS = WATCH_LIMITS.foldersMax;
const FILES_A_FOLDER = 6;
const FILES = FOLDERS * FILES_A_FOLDER;
const ROUNDS = 5;
const START_TARGET = 12;
const BURST_TARGET = 24;
const DESCRIPTORS_MAX = 10;

/** Three appends to every file, from another process; a short pause now and then, as agents write. */
const WRITER = `
const fs = require("node:fs"), path = require("node:path"), root = process.argv[1];
const files = fs.readdirSync(root).flatMap((d) => fs.readdirSync(path.join(root, d)).map((f) => path.join(root, d, f)));
(async () => {
  for (let round = 0; round < 3; round++)
    for (let i = 0; i < files.length; i++) {
      fs.appendFileSync(files[i], "{}\\n");
      if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
})();
`;

interface WatchCost {
  readonly startMs: number;
  readonly burstMs: number;
  readonly watches: number;
  readonly descriptors: number;
  readonly files: number;
  readonly jobs: number;
}

export async function rows(): Promise<Row[]> {
  const script = await bundleChild("watching-child");
  return withFolder(async (folder) => {
    const root = makeTree(folder);
    const ours: WatchCost[] = [];
    const plain: WatchCost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await runChild<WatchCost>(process.execPath, [script, "ours", root, WRITER]));
      plain.push(await runChild<WatchCost>(process.execPath, [script, "plain", root, WRITER]));
    }
    return toRows(ours, plain);
  });
}

function toRows(ours: readonly WatchCost[], plain: readonly WatchCost[]): Row[] {
  const most = (of: keyof WatchCost) => Math.max(...ours.map((cost) => cost[of]));
  const missed = Math.max(...ours.map((cost) => FILES - cost.files));
  const cpuRow = (what: "startMs" | "burstMs", name: string, target: number): Row => {
    const value = Math.min(...ours.map((cost) => cost[what]));
    const anchor = Math.min(...plain.map((cost) => cost[what]));
    return {
      id: 9,
      name,
      value: rounded(value),
      anchor: rounded(anchor),
      ratio: rounded(value / anchor),
      target,
      ok: missed === 0 && value / anchor <= target,
    };
  };
  return [
    {
      id: 8,
      name: `kernel watches for ${FOLDERS} folders with ${FILES} files (descriptors at most 10 more)`,
      value: most("watches"),
      anchor: FOLDERS,
      ratio: rounded(most("watches") / FOLDERS),
      target: 1,
      ok: most("watches") <= FOLDERS + 1 && most("descriptors") <= DESCRIPTORS_MAX,
    },
    cpuRow("startMs", `CPU ms to start watching ${FOLDERS} folders, to a loop of fs.watch`, START_TARGET),
    cpuRow("burstMs", "CPU ms for a burst of 9,000 appends, to a loop of fs.watch", BURST_TARGET),
    {
      id: 11,
      name: `files missed in the burst (jobs ${most("jobs")} of ${FOLDERS} projects; the target is files missed)`,
      value: missed,
      anchor: FILES,
      ratio: missed / FILES,
      target: 0,
      ok: missed === 0 && most("jobs") <= FOLDERS,
    },
  ];
}

function makeTree(folder: string): string {
  const root = join(folder, "projects");
  for (let number = 0; number < FOLDERS; number++) {
    const project = join(root, `-work-project-${number}`);
    mkdirSync(project, { recursive: true });
    for (let file = 0; file < FILES_A_FOLDER; file++) writeFileSync(join(project, `${file}.jsonl`), "{}\n");
  }
  return root;
}
