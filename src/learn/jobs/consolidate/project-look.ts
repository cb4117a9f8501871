// Whether something a memory names is still there: a path, a command, a name in the code. Answers yes or no and a date,
// never what a file holds; never leaves the project's folder, follows no link out of it and runs nothing.
import { join, resolve } from "node:path";
import { DREAM_LIMITS } from "../../../domain/limits.ts";
import type { Instant } from "../../../domain/records.ts";
import type { ProjectProbe } from "../../../memory/lint/facts.ts";
import { createProjectProbe } from "../../../memory/lint/project-probe.ts";
import { createBreather } from "../../../system/breather.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Files } from "../../../system/files.ts";
import { isInside } from "../../../system/paths.ts";

export type Found =
  | { readonly there: "yes"; readonly changedAt?: Instant; readonly as?: string }
  | { readonly there: "no" }
  | { readonly there: "unknown"; readonly why: string };

export interface ProjectLook {
  path(name: string): Found;
  command(name: string): Found;
  symbol(name: string): Promise<Found>;
}

export interface LookDeps {
  readonly files: Files;
  readonly clock: Pick<Clock, "monotonicMs" | "yield">;
  readonly root: string;
  /** Folders programs are looked up in. */
  programFolders(): readonly string[];
  readonly signal: AbortSignal;
}

const UNKNOWN = { there: "unknown" } as const;
const NO = { there: "no" } as const;
const YES = { there: "yes" } as const;
/** Holds keys and the like: whether it is there may be told, nothing more. */
const SECRET =
  /^\.env(?:\..*)?$|\.(?:pem|key|p12|pfx|jks|keystore)$|^id_[a-z0-9]+$|^\.(?:netrc|npmrc|pgpass)$|credential|secret/iu;
const COMMAND = /^[a-z0-9][\w.:+-]{0,80}$/iu;
const RUNS_SCRIPT = /^(?:npm|pnpm|yarn|bun) (?:run )?/u;
const RUNS_TARGET = /^make /u;
const SYMBOL = /^[\p{L}_$][\p{L}\p{N}_$.:-]{2,80}$/u;
/** Folders of other people's code, or of nobody's. */
const PASSED = new Set(["node_modules", "vendor", "target", "dist", "build"]);

/** Undefined where the project is not on this machine. */
export function createProjectLook(deps: LookDeps): ProjectLook | undefined {
  const probe = createProjectProbe(deps.files, deps.root);
  const ground = quietly(() => deps.files.real(deps.root));
  if (probe === undefined || ground === undefined) return undefined;
  return {
    path: (name) => lookAt(deps.files, { ground, name, probe }),
    command: (name) => lookUp(deps, { name, probe }),
    symbol: (name) => lookFor(deps, { ground, name }),
  };
}

interface Asked {
  readonly ground: string;
  readonly name: string;
}

function lookAt(files: Files, { ground, name, probe }: Asked & { readonly probe: ProjectProbe }): Found {
  const answer = probe.hasPath(name);
  if (answer === "no") return NO;
  if (answer === "unknown")
    return { ...UNKNOWN, why: "not all of the project can be seen, or it lies outside" };
  const path = resolve(ground, name);
  const facts = quietly(() => (files.real(path) === path ? files.look(path) : undefined));
  const isOpen = isInside(path, ground) && !path.slice(ground.length).split("/").some(isSecret);
  return facts?.kind === "file" && isOpen ? { ...YES, changedAt: facts.mtimeMs } : YES;
}

function isSecret(name: string): boolean {
  return name === ".git" || SECRET.test(name);
}

function lookUp(
  { files, programFolders }: LookDeps,
  { name, probe }: { readonly name: string; readonly probe: ProjectProbe },
): Found {
  const command = name.replace(RUNS_SCRIPT, "").replace(RUNS_TARGET, "");
  if (!COMMAND.test(command)) return { ...UNKNOWN, why: "give one name, of a script, a target or a program" };
  const script = RUNS_TARGET.test(name) ? "no" : probe.hasScript(command);
  if (script === "yes") return { ...YES, as: "a script of the project" };
  const target = RUNS_SCRIPT.test(name) ? "no" : probe.hasTarget(command);
  if (target === "yes") return { ...YES, as: "a target of the project" };
  const isRun = RUNS_SCRIPT.test(name) || RUNS_TARGET.test(name);
  const isProgram =
    !isRun &&
    programFolders().some((folder) => {
      const facts = quietly(() => files.follow(join(folder, command)));
      return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
    });
  if (isProgram) return { ...YES, as: "a program of this machine" };
  return script === "unknown" || target === "unknown"
    ? { ...UNKNOWN, why: "not all of the project can be seen" }
    : NO;
}

/** In the project's own text files, literally. */
async function lookFor({ files, clock, signal }: LookDeps, { ground, name }: Asked): Promise<Found> {
  if (!SYMBOL.test(name)) return { ...UNKNOWN, why: "give one name, as it stands in the code" };
  const pause = createBreather(clock);
  const folders = [ground];
  let [count, bytes] = [0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const here = folder;
    for (const entry of quietly(() => files.entries(here)) ?? []) {
      if (entry.name.startsWith(".") || SECRET.test(entry.name)) continue;
      const path = join(here, entry.name);
      if (entry.isDirectory() && !PASSED.has(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      await pause();
      signal.throwIfAborted();
      count += 1;
      if (count > DREAM_LIMITS.symbolFilesMax || bytes > DREAM_LIMITS.symbolBytesMax) {
        return { ...UNKNOWN, why: "the project is too large to be searched" };
      }
      const content = contentOf(files, path);
      bytes += content?.length ?? 0;
      if (content?.includes(name) === true) return YES;
    }
  }
  return NO;
}

function contentOf(files: Files, path: string): Buffer | undefined {
  return quietly(() => {
    const facts = files.look(path);
    const isFit = facts?.kind === "file" && facts.bytes <= DREAM_LIMITS.symbolFileBytesMax;
    return isFit ? files.read(path, DREAM_LIMITS.symbolFileBytesMax) : undefined;
  });
}

/** What cannot be looked at says nothing: it is not ours to complain about. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
