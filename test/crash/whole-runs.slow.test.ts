// One whole pass - start, sweep, reading, judging, commit, cursors, ledger, status - on a disk whose N-th call fails,
// for every N. Whatever call it is: no half file, and the next pass ends as an undisturbed one.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../src/app.ts";
import { createApp } from "../../src/app.ts";
import type { SyncReport } from "../../src/domain/service.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { removeTree } from "../helpers/temp-folder.ts";
import { ageFiles, findHalves, findLeftovers, learntIn } from "./disk-checks.ts";
import { onFaultyDisk, READING, WRITING } from "./faulty-disk.ts";
import type { DiskFault, DiskReport } from "./faulty-disk.ts";
import { API, inMemory, memoryDirOf, session, SHOP } from "./world.ts";

const TABS = "From now on always use tabs for indentation in commits.";
const HAND = "---\nname: hand\ndescription: made by hand\nmetadata:\n  type: project\n---\nBy hand.\n";
const INDEX = "# My own notes\n\nkeep this\n\n";
/** More calls than this is not one small pass any more. */
const CALLS_MAX = 1_500;

const home = inMemory(() => createScratchHome({ kept: true }));
const saved = `${home.folder.path}.saved`;
const handFile = join(memoryDirOf(home, SHOP), "project_hand.md");
const person = { [handFile]: HAND };
let undisturbed: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  mkdirSync(dirname(home.configFile), { recursive: true });
  writeFileSync(home.configFile, JSON.stringify({ extract: { settleMs: 0 } }));
  mkdirSync(dirname(handFile), { recursive: true });
  writeFileSync(handFile, HAND);
  writeFileSync(join(dirname(handFile), "MEMORY.md"), `${INDEX}- [hand](project_hand.md) — made by hand\n`);
  session(home, SHOP, 1, [
    TABS,
    "Remember that the staging database is restored from the Monday dump.",
    "Remember that the printer in room 4 is called Rosa.",
  ]);
  await pass();
  await inApp((service) => service.forget({ project: SHOP, name: printer() }));
  session(home, SHOP, 2, [
    TABS,
    "From now on write commit messages in the imperative mood.",
    "We usually answer customers in German.",
  ]);
  session(home, API, 3, ["From now on never print customer addresses into the log."]);
  cpSync(home.folder.path, saved, { recursive: true, preserveTimestamps: true });
  await pass();
  undisturbed = learntIn(home);
  // Two of the first session, one of the second, one of the other project, the person's own, two indexes.
  expect(Object.keys(undisturbed), Object.keys(undisturbed).join("\n")).toHaveLength(7);
  expect(findHalves(home, person)).toEqual([]);
});

afterAll(() => {
  removeTree(home.folder.path);
  removeTree(saved);
});

function printer(): string {
  const name = Object.keys(learntIn(home)).find((path) => path.includes("printer"));
  return name?.split("/").at(-1) ?? "no such memory";
}

async function inApp<T>(use: (service: App["service"]) => Promise<T>): Promise<T> {
  const app = await createApp(inputOf(home));
  try {
    return await use(app.service);
  } finally {
    await app.close();
  }
}

function inputOf({ env, home: accountHome, folder }: ScratchHome): Parameters<typeof createApp>[0] {
  const temporaryDir = folder.at("tmp");
  return { env, accountHome, platform: process.platform, temporaryDir, pid: process.pid, writeLog: () => {} };
}

const pass = (): Promise<SyncReport> => inApp((service) => service.sync({}));

function restore(): void {
  rmSync(home.folder.path, { recursive: true, force: true });
  cpSync(saved, home.folder.path, { recursive: true, preserveTimestamps: true });
}

/** Whether the pass itself says that everything was read and committed. */
function isDone({ result }: DiskReport<SyncReport>): boolean {
  return "value" in result && result.value.skipped.length === 0;
}

/** A transcript that cannot be looked at now is found by the next sweep; a pass says nothing about it yet. */
function isLook({ failed = "" }: DiskReport<SyncReport>): boolean {
  return /^(?:readdir|stat|lstat|fstat|open|read)Sync /.test(failed) && !failed.includes("/memory");
}

/** While its memory cannot be read, a repeated rule cannot be noted as confirmed; it is not lost. */
function withoutConfirmation(files: Readonly<Record<string, string>>, failed = ""): Record<string, string> {
  const isRead = /^(?:open|read|fstat|lstat|close)Sync .*\/memory\/feedback_\w+\.md$/.test(failed);
  const cut = (text: string) => (isRead ? text.replace(/^ +(?:confirmed|evidence):.*\n/gm, "") : text);
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, cut(text)]));
}

/** One faulty pass and two good ones; answers what was wrong and whether there was a fault. */
async function failOnce(fault: DiskFault & { readonly at: number }): Promise<DiskReport<SyncReport>> {
  restore();
  const report = await onFaultyDisk(fault, pass);
  const { failed } = report;
  const when = `${fault.code} at call ${fault.at}, ${failed}`;
  expect.soft(findHalves(home, person), `right after ${when}`).toEqual([]);
  const isFull = Object.keys(learntIn(home)).length === Object.keys(undisturbed).length;
  expect.soft(!isDone(report) || isFull || isLook(report), `said to be done: ${when}`).toBe(true);

  ageFiles(home);
  const again = await pass();
  const learnt = withoutConfirmation(learntIn(home), failed);
  expect.soft(again.skipped, `the pass after ${when}`).toEqual([]);
  expect.soft(learnt, `after ${when}`).toEqual(withoutConfirmation(undisturbed, failed));
  expect.soft(findHalves(home, person), `after ${when}`).toEqual([]);
  expect.soft(findLeftovers(home), `after ${when}`).toEqual([]);
  const third = await pass();
  const quiet = { created: 0, updated: 0, deleted: 0 };
  expect.soft(third.memories, `a third pass after ${when}`).toMatchObject(quiet);
  return report;
}

interface Series extends Omit<DiskFault, "below" | "at"> {
  /** Neighbours of a frequent call are alike: every `step`-th is tried. */
  readonly step: number;
}

/** Every N until a pass meets no fault; answers how many were tried. */
async function failEach({ step, ...fault }: Series): Promise<number> {
  for (let tried = 0; tried * step < CALLS_MAX; tried += 1) {
    const { failed } = await failOnce({ ...fault, below: home.folder.path, at: 1 + tried * step });
    if (failed === undefined) return tried;
  }
  throw new Error(`still failing after ${CALLS_MAX} calls`);
}

const SAVING = ["openSync", "writeSync", "fsyncSync", "renameSync", "mkdirSync", "mkdir"];
const REACHING = ["openSync", "renameSync", "unlinkSync", "mkdirSync", "readdirSync"];

// Faults 11 to 15: a flush that failed (EIO) is among the calls of the broken disk.
describe("a whole pass on a disk whose N-th call fails", () => {
  it.each([
    ["a full disk", { code: "ENOSPC", calls: SAVING, step: 1 }],
    ["a broken disk", { code: "EIO", calls: WRITING, step: 2 }],
    ["a broken disk that is read", { code: "EIO", calls: READING, step: 4 }],
    ["missing permissions", { code: "EACCES", calls: REACHING, step: 2 }],
    ["no free descriptors", { code: "EMFILE", calls: ["openSync", "readdirSync"], step: 2 }],
  ])("%s leaves old or new files, and the next pass ends right", async (_, series) => {
    expect(await failEach(series)).toBeGreaterThan(20);
  });
});
