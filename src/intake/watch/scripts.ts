// Which sessions that a program runs are looked into, by where and how often they come; their words are never asked. Keeps
// counts in memory: after a restart the counting begins anew, and what was passed over stays so.
import { join } from "node:path";
import { SCRIPT_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { isInside } from "../../system/paths.ts";
import { repositoryRoot } from "../projects/git-root.ts";
import { createProbe } from "../projects/probe.ts";
import { isUnheard, type SourceState, type Unheard } from "../transcripts/cursors.ts";
import type { Peek } from "../transcripts/format.ts";

export interface ScriptedSession {
  /** Where it says it runs. */
  readonly cwd: string;
  /** When its file was last written. */
  readonly at: Instant;
}

export interface Scripts {
  /** Why it is not looked into; else it counts from now on. To be asked once for each session. */
  closedTo(session: ScriptedSession): "flood" | "observer" | undefined;
}

export interface ScriptsDeps {
  readonly files: Files;
  readonly home: string;
}

/** Why nobody looks into it, by who speaks in it; what was passed over so stays so until a person speaks. */
export function unheardWhy(
  scripts: Scripts | undefined,
  noted: SourceState,
  peek: Peek | undefined,
): Unheard | undefined {
  if (isStillUnheard(noted) && peek?.by !== "user") return noted.passedWhy;
  if (peek?.by === "ours") return "ours";
  const isNew = noted.read === undefined && !noted.scripted;
  if (peek?.by !== "headless" || peek.cwd === undefined || !isNew) return undefined;
  return scripts?.closedTo({ cwd: peek.cwd, at: noted.mtimeMs });
}

/** A file that was replaced is another session. */
export function isStillUnheard(noted: SourceState): noted is SourceState & { readonly passedWhy: Unheard } {
  return isUnheard(noted.passedWhy) && !noted.suspect;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function createScripts({ files, home }: ScriptsDeps): Scripts {
  const probe = createProbe(files);
  const homes = [...new Set([home, probe.real(home) ?? home])];
  const counts = createCounts();
  return {
    closedTo({ cwd, at }) {
      const isTools = homes.some((each) => isToolFolder(cwd, each));
      if (isTools && repositoryRoot(probe, { start: probe.real(cwd) ?? cwd, homes }) === undefined)
        return "observer";
      return counts.takes({ cwd, at }) ? undefined : "flood";
    },
  };
}

/** Where programs keep what is theirs, below the home folder. */
const DATA_FOLDERS = [
  ".local/share",
  ".local/state",
  ".cache",
  "Library/Application Support",
  "Library/Caches",
];

/** A tool's own folder: hidden in the home folder, or where data of programs lie. Settings are a person's. */
function isToolFolder(cwd: string, home: string): boolean {
  if (!isInside(cwd, home) || cwd === home) return false;
  if (DATA_FOLDERS.some((folder) => isInside(cwd, join(home, folder)))) return true;
  const [first = ""] = cwd.slice(home.length + 1).split("/");
  return first.startsWith(".") && first !== ".config" && first !== ".local";
}

/** By hour and day of the sessions' own time: what piled up while nobody looked is no flood. */
function createCounts() {
  const counts = new Map<string, number>();
  const countOf = (key: string) => counts.get(key) ?? 0;
  const count = (key: string) => {
    counts.set(key, countOf(key) + 1);
    const [oldest] = counts.keys();
    if (counts.size > SCRIPT_LIMITS.countsMax && oldest !== undefined) counts.delete(oldest);
  };
  return {
    takes({ cwd, at }: ScriptedSession): boolean {
      const day = `day ${Math.floor(at / DAY_MS)}`;
      const hour = `hour ${Math.floor(at / HOUR_MS)} ${cwd}`;
      const isNew = countOf(`${day} ${cwd}`) === 0;
      if (isNew && countOf(day) >= SCRIPT_LIMITS.foldersPerDayMax) return false;
      if (countOf(hour) >= SCRIPT_LIMITS.sessionsPerHourMax) return false;
      if (isNew) count(day);
      count(`${day} ${cwd}`);
      count(hour);
      return true;
    },
  };
}
