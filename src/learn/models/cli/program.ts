// Finds a program of the person's own, and says what of our variables it may see. Looks only; starts nothing.
import { isAbsolute, join } from "node:path";
import type { Files } from "../../../system/files.ts";
import type { Environment } from "../../../system/paths.ts";
import { mayUse } from "../../../system/rights.ts";

export interface ProgramDeps {
  readonly files: Pick<Files, "follow">;
  readonly env: Environment;
  readonly home: string;
}

/** Folders on PATH that are looked into; a longer PATH is a mistake. */
const PATH_FOLDERS_MAX = 200;
/** A service does not have the PATH of a shell: where installers put programs. */
const USUAL = ["/opt/homebrew/bin", "/usr/local/bin"];

/** The program's path: on PATH, in these folders of the home, else where programs usually are. */
export function findProgram(
  name: string,
  { files, env, home }: ProgramDeps,
  inHome: readonly string[],
): string | undefined {
  const onPath = (env["PATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));
  return [...onPath.slice(0, PATH_FOLDERS_MAX), ...inHome.map((folder) => join(home, folder)), ...USUAL]
    .map((folder) => join(folder, name))
    .find((path) => mayUse(path, "run") && files.follow(path)?.kind === "file");
}

/** What a program needs to start and to find the way out. No key is among them: a key would be used and billed. */
const HANDED_ON = [
  "PATH",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "TZ",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "https_proxy",
  "http_proxy",
  "no_proxy",
  "all_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
] as const;

/** Of our variables those a program may see, by name; nothing else. */
export function handedOn(env: Environment, more: readonly string[] = []): Environment {
  const names = [...HANDED_ON, ...more];
  return { ...Object.fromEntries(names.map((name) => [name, env[name]])), NO_COLOR: "1", TERM: "dumb" };
}
