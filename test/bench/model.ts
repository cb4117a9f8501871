// Row 14: what a job costs beside the SDK's own call with a model that costs nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelStub, type StubReply, type StubRequest } from "../helpers/model-stub.ts";
import { bundleChild, rounded, runChild, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const COUNT = 100;
const PROJECTS = 50;
/** The least of a few: a neighbour's work must not count as ours. */
const ROUNDS = 5;
const OVERHEAD_TARGET = 1.5;

export async function rows(): Promise<Row[]> {
  const script = await bundleChild("model-child");
  const stub = await startModelStub();
  const nothing: StubReply = { blocks: ["Nothing to keep."] };
  try {
    return await withFolder(async (folder) => {
      const costs = { calls: [] as number[], silent: [] as number[], writing: [] as number[] };
      let body = "{}";
      for (let round = 0; round < ROUNDS; round++) {
        let homes = 0;
        const run = async (task: string, answer: StubReply | ((request: StubRequest) => StubReply)) => {
          stub.otherwise(answer);
          const home = makeHome(join(folder, `${round}-${homes++}`), stub.url);
          const args = [script, task, stub.url, home, String(COUNT), String(PROJECTS)];
          process.env["BENCH_BODY"] = body;
          return (await runChild<{ cpuMs: number }>(process.execPath, args)).cpuMs;
        };
        costs.silent.push(await run("jobs", nothing));
        body = JSON.stringify(stub.requests.at(-1)?.body);
        costs.writing.push(await run("jobs", writing));
        costs.calls.push(await run("calls", nothing));
      }
      return [
        overheadRow({
          what: "a job that learns nothing",
          ours: costs.silent,
          calls: costs.calls,
          target: OVERHEAD_TARGET,
        }),
        // For information: what is written is flushed to the disk, whoever writes it.
        overheadRow({
          what: "a job that writes a memory (no target)",
          ours: costs.writing,
          calls: costs.calls,
          target: Number.POSITIVE_INFINITY,
        }),
      ];
    });
  } finally {
    await stub.close();
  }
}

interface Overhead {
  readonly what: string;
  readonly ours: readonly number[];
  readonly calls: readonly number[];
  readonly target: number;
}

function overheadRow({ what, ours, calls, target }: Overhead): Row {
  const [value, anchor] = [Math.min(...ours), Math.min(...calls)];
  return {
    id: 14,
    name: `${what}, CPU ms, to the SDK's own call with the same body`,
    value: rounded(value),
    anchor: rounded(anchor),
    ratio: rounded(value / anchor),
    target,
    ok: value / anchor <= target,
  };
}

/** Writes down the newest message. */
function writing({ body }: StubRequest): StubReply {
  const text = JSON.stringify(body["messages"]);
  // What was said before stands in the window as well.
  const number = [...text.matchAll(/Message (\d+): /gu)].at(-1)?.[1] ?? "0";
  const recordId = `u-${number}`;
  const quote = `the release notes of part ${number} belong on the board of team ${number}`;
  const input = {
    file: `project_notes_${number}.md`,
    name: `notes-${number}`,
    description: `The release notes of part ${number} belong on the board of team ${number}`,
    type: "project",
    body: `The release notes of part ${number} belong on the board of team ${number}.\n\n**Why:** no reason was given.\n**How to apply:** when writing release notes.`,
    evidence: [{ recordId, quote }],
  };
  return { blocks: [{ tool: "write", input }] };
}

/** What a young project knows. */
function makeMemory(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const index = MEMORIES.map(({ file, description }) => `- [${description}](${file})\n`).join("");
  writeFileSync(join(folder, "MEMORY.md"), index);
  for (const { file, description } of MEMORIES) {
    const header = `---\nname: ${file.replace(".md", "").replaceAll("_", "-")}\ndescription: ${description}\ntype: project\n---\n`;
    writeFileSync(
      join(folder, file),
      `${header}\n${description}.\n\n**Why:** no reason was given.\n**How to apply:** when it comes up.\n`,
    );
  }
}

const MEMORIES = [
  { file: "project_freeze.md", description: "The freeze begins two weeks before a release" },
  { file: "project_board.md", description: "Every incident gets a card on the operations board" },
  { file: "project_tests.md", description: "The slow tests run at night on the build machine" },
] as const;

function makeHome(home: string, baseUrl: string): string {
  for (let project = 0; project < PROJECTS; project++)
    makeMemory(join(home, `.claude/projects/-home-ana-shop-${project}/memory`));
  mkdirSync(join(home, ".config/engramd"), { recursive: true });
  mkdirSync(join(home, ".local/state/engramd/stamps"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".local/state/engramd/stamps/first-round"), "");
  const budget = {
    tokensPerDay: 1_000_000_000,
    usdPerDay: 100_000,
    usdPerMonth: 100_000,
    runsPerHour: 10_000,
  };
  const config = { provider: "local", baseUrl, budget, extract: { settleMs: 0 } };
  writeFileSync(join(home, ".config/engramd/config.json"), JSON.stringify(config));
  return home;
}
