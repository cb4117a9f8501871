// What may and what must be on disk, whatever happened: whole files, whole lines, nothing left over, nothing of the
// person's changed. Each check answers sentences; an empty list means that all is well.
import { existsSync, lstatSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { TEMPORARY_PREFIX } from "../../src/system/files.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";

const HOUR_S = 3_600;

/** Files in memory folders that a person wrote: absolute path and the bytes that must stay. */
export type PersonFiles = Readonly<Record<string, string>>;

/** Memory files by path below the projects folder. A file that vanishes while we look is not there. */
export function memoryFiles(home: ScratchHome): Record<string, string> {
  const found: Record<string, string> = {};
  for (const project of namesIn(home.claudeProjects)) {
    const folder = join(home.claudeProjects, project, "memory");
    for (const name of namesIn(folder)) {
      if (!name.endsWith(".md") || name.startsWith(".")) continue;
      found[`${project}/${name}`] = readFileSync(join(folder, name), "utf8");
    }
  }
  return found;
}

/** The same without what depends on the moment of writing. */
export function learntIn(home: ScratchHome): Record<string, string> {
  return Object.fromEntries(
    Object.entries(memoryFiles(home)).map(([path, text]) => [
      path,
      text.replace(/^( *modified:).*$/gm, "$1 -"),
    ]),
  );
}

/** What must never be seen, not even right after a kill. */
export function findHalves(home: ScratchHome, person: PersonFiles = {}, tornMax = 1): string[] {
  return [
    ...findHalfMemories(home, person),
    ...findChanged(person),
    ...filesBelow(home.stateDir).flatMap((path) => halfState(path, tornMax)),
  ];
}

function findHalfMemories(home: ScratchHome, person: PersonFiles): string[] {
  const isWholeTopic = (text: string) => /^---\n[^]+\n---\n[^]+\*\*How to apply:\*\* .+\n$/.test(text);
  const isWholeIndex = (text: string) => text.endsWith("\n") && !/^- \[[^\n]*(?<!.)$/m.test(text);
  return Object.entries(memoryFiles(home))
    .filter(([path, text]) => {
      if (join(home.claudeProjects, memoryPath(path)) in person) return false;
      return !(path.endsWith("/MEMORY.md") ? isWholeIndex : isWholeTopic)(text);
    })
    .map(([path, text]) => `half a memory file: ${path}\n${text}`);
}

function memoryPath(path: string): string {
  const cut = path.indexOf("/");
  return `${path.slice(0, cut)}/memory${path.slice(cut)}`;
}

function findChanged(person: PersonFiles): string[] {
  return Object.entries(person)
    .filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text)
    .map(([path]) => `changed although a person wrote it: ${path}`);
}

/** State is either a file replaced as a whole, or lines of which each kill may have torn one, never two into one. */
function halfState(path: string, tornMax: number): string[] {
  if (basename(path).startsWith(TEMPORARY_PREFIX)) return [];
  if (path.endsWith(".json")) return parses(readFileSync(path, "utf8")) ? [] : [`half a state file: ${path}`];
  if (!path.endsWith(".jsonl")) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  const broken = lines.filter((line) => line !== "" && !parses(line));
  const glued = broken.filter((line) => /\}\{"v":|\]\["/.test(line));
  return [
    ...(broken.length <= tornMax ? [] : [`${broken.length} broken lines in ${path}`]),
    ...glued.map((line) => `two lines in one in ${path}: ${line}`),
  ];
}

/** What must be gone once a later run has finished. */
export function findLeftovers(home: ScratchHome): string[] {
  const wrong: string[] = [];
  for (const path of [...filesBelow(home.stateDir), ...filesBelow(home.claudeProjects)]) {
    const name = basename(path);
    if (name.startsWith(TEMPORARY_PREFIX)) wrong.push(`temporary file: ${path}`);
    if (name.endsWith(".open.json")) wrong.push(`unfinished commit: ${path}`);
    const ours = path.startsWith(home.stateDir);
    if (ours && (lstatSync(path).mode & 0o077) !== 0) wrong.push(`readable by others: ${path}`);
  }
  for (const name of namesIn(join(home.stateDir, "locks"))) {
    if (name.endsWith(".lock")) wrong.push(`lock: ${name}`);
  }
  return wrong;
}

/** Lets an hour pass for locks and temporary files, which are kept while they may be in use. */
export function ageFiles(home: ScratchHome): void {
  const longAgo = Date.now() / 1_000 - 2 * HOUR_S;
  for (const path of [...filesBelow(home.stateDir), ...filesBelow(home.claudeProjects)]) {
    if (basename(path).startsWith(TEMPORARY_PREFIX)) utimesSync(path, longAgo, longAgo);
  }
  const locks = join(home.stateDir, "locks");
  for (const name of namesIn(locks)) {
    if (name.endsWith(".lock")) utimesSync(join(locks, name), longAgo, longAgo);
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
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
