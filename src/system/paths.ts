// Where everything lives, computed once from the environment main.ts hands in. Reads no environment itself.
import { isAbsolute, join, resolve } from "node:path";
import { shortHash } from "./ids.ts";
import { SOCKET_LIMITS } from "../domain/limits.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Paths {
  readonly home: string;
  /** `$XDG_CONFIG_HOME/engramd` */
  readonly configDir: string;
  readonly configFile: string;
  readonly managedConfigFile: string;
  /** `$XDG_STATE_HOME/engramd` */
  readonly stateDir: string;
  /** `$XDG_DATA_HOME/engramd` */
  readonly dataDir: string;
  readonly runtimeDir: string;
  readonly socket: string;
  /** `$CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly claudeHome: string;
}

export interface PathsInput {
  readonly env: Environment;
  /** The account's home folder, used when `HOME` is not set. */
  readonly accountHome: string;
  readonly platform: NodeJS.Platform;
  /** The system's temporary folder. */
  readonly temporaryDir: string;
}

export function resolvePaths({ env, accountHome, platform, temporaryDir }: PathsInput): Paths {
  const home = absolute(env["HOME"]) ?? accountHome;
  const base = (name: string, fallback: string) => absolute(env[name]) ?? join(home, fallback);
  const configDir = join(base("XDG_CONFIG_HOME", ".config"), "engramd");
  const stateDir = join(base("XDG_STATE_HOME", ".local/state"), "engramd");
  const dataDir = join(base("XDG_DATA_HOME", ".local/share"), "engramd");
  const runtimeBase = absolute(env["XDG_RUNTIME_DIR"]);
  const runtimeDir =
    runtimeBase !== undefined
      ? join(runtimeBase, "engramd")
      : platform === "darwin"
        ? join(temporaryDir, "engramd")
        : join(stateDir, "run");
  return {
    home,
    configDir,
    configFile: join(configDir, "config.json"),
    managedConfigFile:
      platform === "darwin" ? "/Library/Application Support/engramd/config.json" : "/etc/engramd/config.json",
    stateDir,
    dataDir,
    runtimeDir,
    socket: socketPath(runtimeDir, temporaryDir),
    claudeHome: absolute(env["CLAUDE_CONFIG_DIR"]) ?? join(home, ".claude"),
  };
}

/** A path the kernel would cut moves to a short hashed folder under the temporary folder. */
function socketPath(runtimeDir: string, temporaryDir: string): string {
  const wanted = join(runtimeDir, "engramd.sock");
  if (Buffer.byteLength(wanted) <= SOCKET_LIMITS.pathBytesMax) return wanted;
  return join(temporaryDir, `engramd-${shortHash(runtimeDir, 12)}`, "engramd.sock");
}

/** XDG says relative values are to be ignored. */
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? resolve(value) : undefined;
}

/** Expands a leading `~/`; anything else must be absolute already. Undefined when it is neither. */
export function expandHome(path: string, home: string): string | undefined {
  if (path === "~") return home;
  if (path.startsWith("~/")) return resolve(home, path.slice(2));
  return absolute(path);
}

/** Whether `path` is `folder` or lies below it; both absolute and normalised. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
