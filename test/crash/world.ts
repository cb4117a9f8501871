// A small world for crash tests: three sessions of two projects, what must be learnt from them, and what may be on
// disk at any moment.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claudeProjectKey, createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { builtEntry } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { removeTree } from "../helpers/temp-folder.ts";
import { ageFiles, findHalves, findLeftovers, learntIn } from "./disk-checks.ts";

export const SHOP = "/home/ana/shop";
export const API = "/home/ana/api";
const TABS = "From now on always use tabs for indentation in commits.";
const HOUR_S = 3_600;

export interface World {
  readonly home: ScratchHome;
  /** Everything ends up here: memory folders by project, normalised. */
  learnt(): Readonly<Record<string, string>>;
  /** What must never be seen, not even right after a kill. Empty when all is well. */
  halves(): string[];
  /** What must be gone once a later start has finished. Empty when all is well. */
  leftovers(): string[];
  /** Lets an hour pass for locks and temporary files, which are kept while they may be in use. */
  age(): void;
}

/** A file system in memory: thousands of flushes cost nothing there, and nothing is killed but processes. */
const MEMORY_DISK = "/dev/shm";

/** Makes temporary folders in memory where the machine has such a place. */
export function inMemory<T>(make: () => T): T {
  const usual = process.env["TMPDIR"];
  if (existsSync(MEMORY_DISK)) process.env["TMPDIR"] = MEMORY_DISK;
  try {
    return make();
  } finally {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
  }
}

/** A fresh world for one attempt, removed after it. */
export async function inWorld<T>(attempt: (world: World) => T | Promise<T>): Promise<T> {
  const home = inMemory(() => createScratchHome({ kept: true }));
  try {
    return await attempt(fillWorld(home));
  } finally {
    removeTree(home.folder.path);
  }
}

function fillWorld(home: ScratchHome): World {
  session(home, SHOP, 1, [
    "Remember that we deploy from the release branch, never from main.",
    TABS,
    "Why does the second test fail?",
    "Remember that the staging database is restored from the Monday dump.",
  ]);
  session(home, SHOP, 2, [TABS, "From now on write commit messages in the imperative mood."]);
  session(home, API, 3, ["From now on never print customer addresses into the log."]);
  return {
    home,
    learnt: () => learntIn(home),
    halves: () => findHalves(home),
    leftovers: () => findLeftovers(home),
    age: () => ageFiles(home),
  };
}

export function memoryDirOf(home: ScratchHome, cwd: string): string {
  return join(home.claudeProjects, claudeProjectKey(cwd), "memory");
}

/** Writes a session of alternating messages and answers; `number` names it and orders it in time. */
export function session(home: ScratchHome, cwd: string, number: number, texts: readonly string[]): string {
  const transcript = createTranscript({
    cwd,
    sessionId: sessionIdOf(number),
    firstNumber: number * 100,
    startAt: Date.UTC(2026, 4, number, 9),
  });
  for (const text of texts) transcript.user(text).assistant("ok");
  const path = join(home.claudeProjects, claudeProjectKey(cwd), `${sessionIdOf(number)}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, transcript.text());
  const at = Date.now() / 1_000 - HOUR_S + number;
  utimesSync(path, at, at);
  return path;
}

export interface SyncRun {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** One `engramd sync` to its end, under a tracer if one is given. */
export function syncOnce(home: ScratchHome, wrapper: readonly string[] = []): SyncRun {
  const [command, ...args] = [...wrapper, process.execPath, builtEntry(), "sync"];
  const run = spawnSync(command ?? process.execPath, args, {
    env: home.env,
    cwd: home.home,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { code: run.status, signal: run.signal, stderr: run.stderr };
}
