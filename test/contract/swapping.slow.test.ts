// Another process of the same person exchanges a memory file, or the whole folder, with a link to something outside, as
// fast as it can, while memories are listed, searched, previewed and written (faults 89, 90). Nothing outside is read
// into an answer or a state file, and nothing outside is written.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../src/domain/changes.ts";
import type { Memory } from "../../src/domain/memories.ts";
import { systemCode } from "../../src/domain/errors.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFolderViews } from "../../src/serve/answers/folder-view.ts";
import { createFiles } from "../../src/system/files.ts";
import { inMemory } from "../crash/world.ts";
import { startChild } from "../helpers/child-process.ts";
import { createTempFolder, type TempFolder } from "../helpers/temp-folder.ts";
import { createBench, createOf, PROJECT, TODAY } from "../unit/memory/journal/bench.ts";
import { OUTSIDE, topic } from "./steered-model.ts";

const TARGET = "project_target.md";
const TRIES = 10_000;
/** Fewer would not show that anything was read at all between two exchanges. */
const READS_MIN = 100;
/** One commit for so many reads: it costs a hundred times as much. */
const READS_PER_COMMIT = 20;
/** A folder that grew on would make every later try slower. */
const FRESH_UNTIL = 100;
const MINUTES_MAX = 4;

/** The exchange of two names is one call of the kernel (`renameat2`, flag 2), which Node does not have. */
const EXCHANGE = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
own, link = sys.argv[1].encode(), sys.argv[2].encode()
print("running", flush=True)
while True:
    if libc.renameat2(-100, own, -100, link, 2) != 0 and not os.path.lexists(own):
        try: os.rename(link, own)
        except OSError: pass
`;
/** Where that is missing: two plain renames, with a moment in which the name is free. */
const RENAMES = `
const fs = require("node:fs");
const [own, link] = process.argv.slice(1);
const aside = link + ".aside";
console.log("running");
// A rename that meets one of the other process fails; the next turn puts things right. Killed at the test's end.
for (;;) {
  try { fs.renameSync(own, aside); fs.renameSync(link, own); fs.renameSync(aside, link); } catch {}
  try { if (!fs.existsSync(link) && fs.existsSync(aside)) fs.renameSync(aside, link); } catch {}
}`;

function hasPython(): boolean {
  try {
    execFileSync("python3", ["-c", "import ctypes; ctypes.CDLL(None).renameat2"], { stdio: "ignore" });
    return true;
  } catch {
    process.stdout.write("no python3 with renameat2 here: two plain renames instead of an exchange\n");
    return false;
  }
}

/** Exchanges `own` with the link at `link` until the test ends. */
async function startSwapping(own: string, link: string): Promise<void> {
  const child = hasPython()
    ? startChild({ command: "python3", args: ["-c", EXCHANGE, own, link] })
    : startChild({ command: process.execPath, args: ["-e", RENAMES, own, link] });
  await child.waitForLine((line) => line === "running");
}

interface Tally {
  readonly codes: Map<string, number>;
  reads: number;
  commits: number;
}

/** Reads and writes until there were enough tries, or the time is up; fails on the first word from outside. */
async function pester(folder: TempFolder, seconds: number): Promise<Tally> {
  const bench = createBench(folder);
  const views = createFolderViews({ files: createFiles(), clock: createClock() });
  const tally: Tally = { codes: new Map(), reads: 0, commits: 0 };
  const until = performance.now() + seconds * 1_000;
  const note = (error: unknown) => {
    const code = systemCode(error) ?? String(error);
    tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1);
  };
  let target: Memory | undefined;
  const look = () => {
    const view = views.view(bench.memoryDir);
    const set = { project: PROJECT, producer: "model", memoryDir: bench.memoryDir } as const;
    const preview = bench.writer.preview({ set, today: TODAY, sharedFolder: false });
    const seen = JSON.stringify([view?.memories, view?.index, preview.memories]);
    if (seen.includes(OUTSIDE)) throw new Error(`ESCAPE: ${seen.slice(0, 500)}`);
    target = view?.memories.find(({ file }) => file === TARGET) ?? target;
    if (view !== undefined) tally.reads += 1;
  };
  // How often one gets through is a matter of the two processes' speeds.
  const isEnough = (tried: number) => tried >= TRIES && tally.reads > READS_MIN && tally.commits > 0;
  for (let tried = 0; !isEnough(tried) && performance.now() < until; tried += 1) {
    try {
      look();
    } catch (error) {
      if (String(error).includes("ESCAPE")) throw error;
      note(error);
    }
    if (tried % READS_PER_COMMIT !== 0) continue;
    await bench
      .commit(changesOf(tried, target))
      .then(({ written }) => (tally.commits += written.length), note);
    bench.writer.upkeep(bench.memoryDir, PROJECT).catch(note);
  }
  return tally;
}

/** A new memory and a new text for the one that is exchanged. */
function changesOf(tried: number, target: Memory | undefined): MemoryChange[] {
  const word = String(tried).replaceAll(/\d/gu, (digit) => "abcdefghij".charAt(Number(digit)));
  const text = `The ${word} service answers on the ${word} port.`;
  const memory = { type: "project" } as const;
  const fresh = createOf(`project_${word}.md`, text, { recordId: `r${tried}`, memory });
  if (target === undefined) return [fresh];
  const more = tried < FRESH_UNTIL ? [fresh] : [];
  const words = `The target service moved to the ${word} host.`;
  const { evidence, ...change } = createOf(TARGET, words, { recordId: `t${tried}`, memory });
  return [...more, { ...change, op: "update", basis: target.hash, evidence }];
}

function stateOf(folder: TempFolder): string {
  return readdirSync(folder.at("state"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

function outsideOf(folder: TempFolder): Record<string, string> {
  const names = readdirSync(folder.at("outside"), { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(folder.at("outside", name), "utf8")]));
}

const CODES = new Set([
  "folder-swapped",
  "unsafe-file",
  "memory-failed",
  "memory-unwritable",
  "ENOENT",
  "not-a-file",
]);

async function prepared(): Promise<TempFolder> {
  const folder = inMemory(createTempFolder);
  mkdirSync(folder.at("outside"));
  writeFileSync(folder.at("outside/project_target.md"), topic("outside", "project", OUTSIDE));
  writeFileSync(folder.at("outside/MEMORY.md"), `- [x](project_target.md) — ${OUTSIDE}\n`);
  folder.folder("aside");
  await createBench(folder).commit([
    createOf("project_target.md", "The target service runs on port 8080.", { memory: { type: "project" } }),
  ]);
  return folder;
}

describe(`${TRIES} tries against an exchanging process`, () => {
  it.each([
    ["a memory file", "memory/project_target.md", "outside/project_target.md"],
    ["the index", "memory/MEMORY.md", "outside/MEMORY.md"],
    ["the memory folder", "memory", "outside"],
  ])("leave what is outside unread and unwritten when it exchanges %s", async (_what, own, outside) => {
    const folder = await prepared();
    const before = outsideOf(folder);
    symlinkSync(folder.at(outside), folder.at("aside/link"));
    await startSwapping(folder.at(own), folder.at("aside/link"));

    const { codes, reads, commits } = await pester(folder, (MINUTES_MAX * 60) / 3);

    process.stdout.write(`${own}: ${reads} reads, ${commits} files written, ${JSON.stringify([...codes])}\n`);
    expect(outsideOf(folder)).toEqual(before);
    expect(stateOf(folder)).not.toContain(OUTSIDE);
    expect(reads).toBeGreaterThan(READS_MIN);
    expect(commits).toBeGreaterThan(0);
    expect([...codes.keys()].filter((code) => !CODES.has(code))).toEqual([]);
  });
});
