// Which program the service runs and what it is told of this shell: absolute paths, the agents' home folders, never
// a key. Says what will not last.
import { dirname, isAbsolute, join, resolve } from "node:path";
import { AppError } from "../../../domain/errors.ts";
import type { Warning } from "../../../domain/status.ts";
import type { Files } from "../../../system/files.ts";
import type { Environment, Paths } from "../../../system/paths.ts";
import { isInside } from "../../../system/paths.ts";
import type { Variable } from "./service-text.ts";

/** How this process was started. */
export interface Program {
  readonly node: string;
  /** The file Node was given. */
  readonly entry: string;
}

/** Everything the service is told of the environment: names of folders. A list of what may be, so that no key is. */
const HOME_VARIABLES: readonly string[] = [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "COPILOT_HOME",
  "GEMINI_CLI_HOME",
  "PI_CODING_AGENT_DIR",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
];

/** Folders of programs that keep several versions of Node and remove old ones. */
const VERSION_MANAGERS: readonly (readonly [RegExp, string])[] = [
  [/\/\.nvm\/|\/nvm\/versions\//u, "nvm"],
  [/\/\.?fnm\/|\/fnm_multishells\//u, "fnm"],
  [/\/\.volta\//u, "Volta"],
  [/\/\.asdf\//u, "asdf"],
  [/\/mise\/installs\//u, "mise"],
  [/\/\.?nodenv\//u, "nodenv"],
  [/\/Cellar\//u, "Homebrew"],
  [/^\/nix\/store\//u, "Nix"],
];

/** The program by its real paths. Throws when it is one that will be gone tomorrow. */
export function realProgram(files: Pick<Files, "real">, { node, entry }: Program): Program {
  const real = { node: files.real(node), entry: files.real(entry) };
  if (real.node === undefined || real.entry === undefined || !isAbsolute(node))
    throw new AppError({
      code: "program-gone",
      message: `${real.node === undefined ? node : entry} is no longer there`,
      fix: "install engramd again",
    });
  if (/\/_npx\//u.test(real.entry))
    throw new AppError({
      code: "program-temporary",
      message: "engramd runs from npx's cache, which is emptied now and then",
      fix: "install it first: npm install -g engramd",
    });
  return { node: real.node, entry: real.entry };
}

/**
 * How Node runs the service. A third less memory while it works (a backfill of 120 MB: 139 to 95 MB) for a sixth more
 * of the processor's time, which nobody waits for; and no compilers before there is a backlog (`compiling.ts`): 5 MB
 * less while it does nothing. One thread beside ours instead of four collects and compiles: 1 MB less. All measured.
 */
export const NODE_FLAGS: readonly string[] = [
  "--optimize-for-size",
  "--no-opt",
  "--no-sparkplug",
  "--v8-pool-size=1",
];

/** The folder of the package an entry (`dist/main.js`) belongs to. */
export function packageFolder({ entry }: Program): string {
  return dirname(dirname(entry));
}

/** `network`: how the service is to be installed again. */
export function programWarnings({ node, entry }: Program, network: boolean): Warning[] {
  const [, manager] = VERSION_MANAGERS.find(([pattern]) => pattern.test(node) || pattern.test(entry)) ?? [];
  if (manager === undefined) return [];
  return [
    {
      code: "node-versioned",
      message: `the service runs ${node}, a version kept by ${manager}; it stops working when that version is removed`,
      fix: `after each change of version, once more: engramd install${network ? "" : " --no-network"}`,
    },
  ];
}

export interface Recorded {
  readonly variables: readonly Variable[];
  readonly warnings: readonly Warning[];
}

/** A relative folder would mean another one in the service, so it is left out and said. */
export function recordedEnvironment(env: Environment): Recorded {
  const set = HOME_VARIABLES.flatMap((name) => {
    const value = env[name] ?? "";
    return value === "" ? [] : [{ name, value }];
  });
  return {
    variables: set
      .filter(({ value }) => isAbsolute(value))
      .map(({ name, value }) => ({ name, value: resolve(value) })),
    warnings: set
      .filter(({ value }) => !isAbsolute(value))
      .map(({ name, value }) => ({
        code: "variable-relative",
        message: `${name} is ${JSON.stringify(value)}, which is no absolute path; the service is not told`,
        fix: "set it to an absolute path and install again",
      })),
  };
}

/** Folders the service writes that are not below the home folder. */
export function writableOutside(paths: Paths): string[] {
  const wanted = [join(paths.claudeHome, "projects"), paths.stateDir, paths.dataDir, paths.configDir];
  return wanted.filter((path) => !isInside(path, paths.home));
}
