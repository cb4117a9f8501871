// Which processes belong to a scratch home, found by the `HOME` they were started with and never by a name. Linux only:
// elsewhere nobody may look at another process's variables.
import { readdirSync, readFileSync } from "node:fs";

export const CAN_LIST_PROCESSES = process.platform === "linux";

/** One process: its id alone may be somebody else's a moment later. */
export interface Found {
  readonly pid: number;
  /** Ticks since the boot. */
  readonly start: string;
  /** Its words, for a message. */
  readonly words: string;
}

/** Living processes (a zombie is none) that were started with this `HOME`. */
export function processesOf(home: string): readonly Found[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      const variables = read(name, "environ").split("\0");
      const [state, start] = stateOf(name);
      if (!variables.includes(`HOME=${home}`) || state === "Z" || start === "") return [];
      return [{ pid: Number(name), start, words: read(name, "cmdline").split("\0").join(" ").slice(0, 200) }];
    });
}

/** Those of them that live on. */
export function stillAlive(found: readonly Found[]): readonly Found[] {
  return found.filter(({ pid, start }) => {
    const [state, now] = stateOf(String(pid));
    return now === start && state !== "Z";
  });
}

function stateOf(pid: string): readonly [state: string, start: string] {
  const stat = read(pid, "stat");
  // The program's name, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[0] ?? "", fields[19] ?? ""];
}

/** "" for one that has ended, or belongs to another user. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
