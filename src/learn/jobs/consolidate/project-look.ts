// Whether something a memory names is still there: a path, a command, a name in the code. Answers yes or no and a date,
// never what a file holds; never leaves the project's folder, follows no link out of it and runs nothing.
import { join, resolve } from "node:path";
import { DREAM_LIMITS, INSTRUCTION_LIMITS } from "../../../domain/limits.ts";
import type { Instant } from "../../../domain/records.ts";
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
const RUNNER = /^(?:(?:npm|pnpm|yarn|bun) (?:run )?|make |just )/u;
const SYMBOL = /^[\p{L}_$][\p{L}\p{N}_$.:-]{2,80}$/u;
/** Folders of other people's code, or of nobody's. */
const PASSED = new Set(["node_modules", "vendor", "target", "dist", "build"]);

/** Undefined where the project is not on this machine. */
export function createProjectLook(deps: LookDeps): ProjectLook | undefined {
  const ground = quietly(() => deps.files.real(deps.root));
  if (ground === undefined || quietly(() => deps.files.look(ground))?.kind !== "folder") return undefined;
  return {
    path: (name) => lookAt(deps.files, { ground, name }),
    command: (name) => lookUp(deps, { ground, name }),
    symbol: (name) => lookFor(deps, { ground, name }),
  };
}

interface Asked {
  readonly ground: string;
  readonly name: string;
}

function lookAt(files: Files, { ground, name }: Asked): Found {
  if (name.includes("\0") || name.startsWith("~")) return outside();
  const path = resolve(ground, name);
  if (!isInside(path, ground)) return outside();
  const real = quietly(() => files.real(path));
  // A link that leads nowhere is there, and what it means nobody knows.
  if (real === undefined) return quietly(() => files.look(path)) === undefined ? NO : outside();
  if (!isInside(real, ground)) return outside();
  const facts = quietly(() => files.look(real));
  if (facts === undefined) return NO;
  const parts = real.slice(ground.length).split("/");
  if (facts.kind !== "file" || parts.some((part) => part === ".git" || SECRET.test(part))) return YES;
  return { ...YES, changedAt: facts.mtimeMs };
}

function outside(): Found {
  return { ...UNKNOWN, why: "it does not lie in the project" };
}

function lookUp({ files, programFolders }: LookDeps, { ground, name }: Asked): Found {
  const command = name.replace(RUNNER, "");
  if (!COMMAND.test(command)) return { ...UNKNOWN, why: "give one name, of a script, a target or a program" };
  const read = (file: string) => textOf(files, { path: join(ground, file), ground });
  const manifest = read("package.json");
  if (manifest !== undefined && scriptsOf(manifest).has(command))
    return { ...YES, as: "a script of package.json" };
  const targets = ["Makefile", "makefile", "GNUmakefile", "justfile"].some((file) =>
    (read(file) ?? "").split("\n").some((line) => targetsOf(line).includes(command)),
  );
  if (targets) return { ...YES, as: "a target" };
  const isProgram = programFolders().some((folder) => {
    const facts = quietly(() => files.follow(join(folder, command)));
    return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
  });
  if (isProgram) return { ...YES, as: "a program of this machine" };
  const hasMore = (manifest ?? "").includes('"workspaces"') || read("pnpm-workspace.yaml") !== undefined;
  return hasMore
    ? { ...UNKNOWN, why: "the project has several packages, and only its root was looked at" }
    : NO;
}

function scriptsOf(manifest: string): ReadonlySet<string> {
  const value: unknown = quietly(() => JSON.parse(manifest));
  if (typeof value !== "object" || value === null || !("scripts" in value)) return new Set();
  const { scripts } = value;
  return new Set(typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : []);
}

function targetsOf(line: string): readonly string[] {
  const colon = line.indexOf(":");
  return colon <= 0 || /^\s/u.test(line) ? [] : line.slice(0, colon).trim().split(/\s+/u);
}

function textOf(files: Files, { path, ground }: { path: string; ground: string }): string | undefined {
  return quietly(() => {
    const real = files.real(path);
    if (real === undefined || !isInside(real, ground)) return undefined;
    return files.read(real, INSTRUCTION_LIMITS.bytesMax * 4)?.toString("utf8");
  });
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
