// Checks of the program itself: the Node that runs it, the files of the package, other copies of it, its versions.
import { join } from "node:path";
import { fieldOf, parseJson } from "../../../domain/json.ts";
import { mayUse } from "../../../system/rights.ts";
import { packageFolder } from "../../deliver/install/program.ts";
import type { Check, Finding } from "./check.ts";
import { fail, named, ok, warn } from "./check.ts";

/** `engines` of package.json; a test keeps the two equal. */
export const NODE_MIN = "20.19";

export const NODE_VERSION: Check = {
  code: "node-version",
  look({ nodeVersion }) {
    return isAtLeast(nodeVersion, NODE_MIN)
      ? ok(`Node ${nodeVersion}`)
      : fail(`Node ${nodeVersion} is older than ${NODE_MIN}`, "install a newer Node, then: engramd install");
  },
};

function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

const MANIFEST_BYTES_MAX = 100_000;
const REINSTALL = "npm install -g engramd";
/** What the service file is made of. */
const SHIPPED = ["systemd/engramd.service", "launchd/engramd.plist"];

export const PACKAGE: Check = {
  code: "package",
  look({ files, program, version }) {
    const entry = files.real(program.entry) ?? program.entry;
    const folder = packageFolder({ ...program, entry });
    const content = files.read(join(folder, "package.json"), MANIFEST_BYTES_MAX);
    if (content === undefined) return ok(`engramd ${version}, not from a package`);
    const missing = [entry, ...SHIPPED.map((name) => join(folder, name))].filter(
      (path) => files.follow(path)?.kind !== "file",
    );
    if (missing.length > 0) return fail(`missing: ${named(missing)}`, REINSTALL);
    const told = versionIn(content.toString("utf8"));
    return told === version
      ? ok(`engramd ${version} in ${folder}`)
      : warn(`package.json says ${told ?? "nothing"}, the program is ${version}`, REINSTALL);
  },
};

function versionIn(text: string): string | undefined {
  const version = fieldOf(parseJson(text), "version");
  return typeof version === "string" ? version : undefined;
}

/** Folders on PATH that are looked into; a longer PATH is a mistake. */
const PATH_FOLDERS_MAX = 200;

/** Folders of a PATH, each once. */
export function pathFolders(path: string | undefined): string[] {
  return [...new Set((path ?? "").split(":").filter((folder) => folder.startsWith("/")))].slice(
    0,
    PATH_FOLDERS_MAX,
  );
}

export const OTHER_INSTALLS: Check = {
  code: "other-installs",
  look({ files, env, program, installed }) {
    const found = pathFolders(env["PATH"])
      .map((folder) => join(folder, "engramd"))
      // The right first: a folder on PATH that we may not enter holds nothing for us.
      .filter((path) => mayUse(path, "run") && files.follow(path)?.kind === "file");
    const places = [...new Map(found.map((path) => [files.real(path) ?? path, path])).values()];
    if (places.length > 1)
      return warn(
        `${places.length} different engramds are on PATH: ${named(places)}; the first one is what you call`,
        "remove all but one",
      );
    const service = installed()?.entry;
    const own = files.real(program.entry) ?? program.entry;
    if (service !== undefined && files.follow(service) !== undefined && service !== own)
      return warn(`the service runs ${service}, you called ${own}`, "engramd install");
    return ok(places.length === 0 ? "engramd is not on PATH" : `one engramd on PATH: ${named(places)}`);
  },
};

export const DAEMON: Check = {
  code: "daemon",
  look({ live, unanswered, version, installed }): Finding {
    if (unanswered !== undefined)
      return fail(`the daemon could not be asked: ${unanswered}`, "engramd restart");
    if (live === undefined && installed() !== undefined)
      return warn("the service is not running", "engramd restart; what it logged last: engramd logs");
    if (live === undefined) return warn("the daemon is not running", "engramd run, or: engramd install");
    if (live.version !== version)
      return warn(
        `engramd ${version} is installed, ${live.version} is still running: restart to finish the update`,
        "engramd restart",
      );
    return ok(`runs with pid ${live.pid ?? "unknown"}: ${live.state}`);
  },
};
