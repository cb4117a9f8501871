// A small world for crash tests: three sessions of two projects, what must be learnt from them, and what may be on
// disk at any moment.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { TEMPORARY_PREFIX } from "../../src/system/files.ts";
import { claudeProjectKey, createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { builtEntry } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { removeTree } from "../helpers/temp-folder.ts";

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

/** A fresh world for one attempt, removed after it. */
export function inWorld<T>(attempt: (world: World) => T): T {
  const home = createScratchHome({ kept: true });
  try {
    return attempt(fillWorld(home));
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
  return describeWorld(home);
}

export function describeWorld(home: ScratchHome): World {
  return {
    home,
    learnt: () => readLearnt(home),
    halves: () => [...findHalfMemories(home), ...findHalfStates(home)],
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

function readLearnt(home: ScratchHome): Record<string, string> {
  const found: Record<string, string> = {};
  for (const cwd of [SHOP, API]) {
    const folder = memoryDirOf(home, cwd);
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).toSorted()) {
      if (!name.endsWith(".md") || name.startsWith(".")) continue;
      const text = readFileSync(join(folder, name), "utf8");
      found[`${cwd}/${name}`] = text.replace(/^( *modified:).*$/gm, "$1 -");
    }
  }
  return found;
}

function findHalfMemories(home: ScratchHome): string[] {
  const isWholeTopic = (text: string) => /^---\n[^]+\n---\n[^]+\*\*How to apply:\*\* .+\n$/.test(text);
  const isWholeIndex = (text: string) => /^(?:- \[.+\]\(.+\.md\) — .+\n)+$/.test(text);
  return Object.entries(readLearnt(home))
    .filter(([path, text]) => !(path.endsWith("/MEMORY.md") ? isWholeIndex : isWholeTopic)(text))
    .map(([path, text]) => `half a memory file: ${path}\n${text}`);
}

/** State is either a file replaced as a whole, or lines of which only the last may be torn. */
function findHalfStates(home: ScratchHome): string[] {
  return filesBelow(home.stateDir).flatMap((path) => {
    if (basename(path).startsWith(TEMPORARY_PREFIX)) return [];
    const text = readFileSync(path, "utf8");
    if (path.endsWith(".json")) return parses(text) ? [] : [`half a state file: ${path}`];
    if (!path.endsWith(".jsonl")) return [];
    const broken = text.split("\n").filter((line) => line !== "" && !parses(line));
    return broken.length <= 1 ? [] : [`${broken.length} broken lines in ${path}`];
  });
}

function findLeftovers(home: ScratchHome): string[] {
  const wrong: string[] = [];
  for (const path of [...filesBelow(home.stateDir), ...filesBelow(home.claudeProjects)]) {
    const name = basename(path);
    if (name.startsWith(TEMPORARY_PREFIX)) wrong.push(`temporary file: ${path}`);
    if (name.endsWith(".open.json")) wrong.push(`unfinished commit: ${path}`);
    const ours = path.startsWith(home.stateDir) || path.includes("/memory/");
    if (ours && (lstatSync(path).mode & 0o077) !== 0) wrong.push(`readable by others: ${path}`);
  }
  const locks = join(home.stateDir, "locks");
  for (const name of existsSync(locks) ? readdirSync(locks) : []) {
    if (name.endsWith(".lock")) wrong.push(`lock: ${name}`);
  }
  return wrong;
}

function ageFiles(home: ScratchHome): void {
  const longAgo = Date.now() / 1_000 - 2 * HOUR_S;
  for (const path of [...filesBelow(home.stateDir), ...filesBelow(home.claudeProjects)]) {
    if (basename(path).startsWith(TEMPORARY_PREFIX)) utimesSync(path, longAgo, longAgo);
  }
  const locks = join(home.stateDir, "locks");
  for (const name of existsSync(locks) ? readdirSync(locks) : []) {
    if (name.endsWith(".lock")) utimesSync(join(locks, name), longAgo, longAgo);
  }
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
