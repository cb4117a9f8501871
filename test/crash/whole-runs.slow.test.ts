// One whole pass - start, sweep, reading, judging, commit, cursors, ledger, status - on a disk whose N-th call fails,
// for an N of every kind of call. Whatever call it is: no half file, and the next pass ends as an undisturbed one.
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
/** Chooses which of the calls of a kind fails; another one with each run, so that in time all of them do. */
const SEED = Number(process.env["ENGRAMD_TEST_SEED"] ?? Date.now() % 1_000_000);
process.stdout.write(`whole runs: seed ${SEED}\n`);

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

/** What a call does to which file; moments, hashes and process ids make no kind of their own. */
function kindOf(call: string): string {
  return call.replace(home.folder.path, "").replaceAll(/[0-9a-f]{6,}|\d+/gu, "#");
}

/** One call of each kind of an undisturbed pass, from 1. */
async function chooseCalls(fault: Omit<DiskFault, "at">): Promise<number[]> {
  restore();
  const { calls } = await onFaultyDisk(fault, pass);
  expect(calls.length).toBeLessThan(CALLS_MAX);
  const places = new Map<string, number[]>();
  for (const [index, call] of calls.entries()) {
    const kind = kindOf(call);
    places.set(kind, [...(places.get(kind) ?? []), index + 1]);
  }
  return [...places.values()].flatMap((found) => found[SEED % found.length] ?? []);
}

/** Answers how many calls failed. */
async function failEach(series: Omit<DiskFault, "below" | "at">): Promise<number> {
  const fault = { ...series, below: home.folder.path };
  const places = await chooseCalls(fault);
  let failed = 0;
  for (const at of places) failed += (await failOnce({ ...fault, at })).failed === undefined ? 0 : 1;
  // The last calls of a pass may be one more or less from run to run.
  expect(places.length - failed).toBeLessThanOrEqual(2);
  return failed;
}

const SAVING = ["openSync", "writeSync", "fsyncSync", "renameSync", "mkdirSync", "mkdir"];
const REACHING = ["openSync", "renameSync", "unlinkSync", "mkdirSync", "readdirSync"];

// Faults 11 to 15: a flush that failed (EIO) is among the calls of the broken disk.
describe("a whole pass on a disk whose N-th call fails", () => {
  it.each([
    ["a full disk", { code: "ENOSPC", calls: SAVING }],
    ["a broken disk", { code: "EIO", calls: WRITING }],
    ["a broken disk that is read", { code: "EIO", calls: READING }],
    ["missing permissions", { code: "EACCES", calls: REACHING }],
    ["no free descriptors", { code: "EMFILE", calls: ["openSync", "readdirSync"] }],
  ])("%s leaves old or new files, and the next pass ends right", async (_, series) => {
    expect(await failEach(series)).toBeGreaterThan(20);
  });
});
