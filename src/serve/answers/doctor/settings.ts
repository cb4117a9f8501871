// Checks of the settings: whether they can be used, keys nobody knows, and the program that gives the model's key.
import { join } from "node:path";
import { AppError } from "../../../domain/errors.ts";
import { shellWord } from "../../../domain/shell-word.ts";
import { expandHome } from "../../../system/paths.ts";
import { mayUse } from "../../../system/rights.ts";
import { askProgram } from "./ask-program.ts";
import type { Check, DoctorFacts } from "./check.ts";
import { fail, ok, warn } from "./check.ts";
import { pathFolders } from "./program.ts";

export const CONFIG: Check = {
  code: "config",
  look({ loadConfig }) {
    try {
      const [first, ...rest] = loadConfig().warnings;
      if (first === undefined) return ok("the configuration can be used");
      const more = rest.length > 0 ? ` (and ${rest.length} more: engramd config check)` : "";
      return warn(`${first.message}${more}`, first.fix);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return fail(error.message, error.fix ?? "engramd config check");
    }
  },
};

/** Of the daemon that runs; what a daemon of before found may be mended. */
export const PROVIDER: Check = {
  code: "provider",
  look({ live }) {
    const closed = live?.provider.closed;
    if (live === undefined) return ok("no daemon runs that could ask a model");
    if (closed === undefined) return ok("nothing keeps the model from being asked");
    const { message, since, until, waitingJobs, fix } = closed;
    const said = `${message}, since ${since}; jobs that wait: ${waitingJobs}; next try ${until}`;
    return { state: "warn", message: said, fix };
  },
};

/** Rights of anybody but the owner. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Files of the person: looked at, never changed. */
export const PRIVATE_SETTINGS: Check = {
  code: "config-permissions",
  look({ files, paths, uid, config }) {
    const settings = files.follow(paths.configFile);
    if (settings !== undefined && (settings.mode & OTHERS_WRITE) !== 0)
      return fail(
        `${paths.configFile} may be written by others`,
        `chmod go-w ${shellWord(paths.configFile)}`,
      );
    const { apiKeyFile } = config();
    if (apiKeyFile === null) return ok("nobody else may change the settings");
    const path = expandHome(apiKeyFile, paths.home) ?? apiKeyFile;
    const key = files.follow(path);
    if (key === undefined) return fail(`apiKeyFile ${path} is not there`, "make it, with mode 0600");
    if (key.kind !== "file") return fail(`apiKeyFile ${path} is no regular file`, "name a regular file");
    if (uid !== undefined && key.uid !== uid)
      return fail(`apiKeyFile ${path} belongs to another user`, `chown it: it has to be yours`);
    if ((key.mode & OTHERS) !== 0)
      return fail(`apiKeyFile ${path} may be read by others`, `chmod 600 ${shellWord(path)}`);
    return ok("nobody else may change the settings or read the key file");
  },
};

/** Where a user service looks for programs when its manager was told nothing else. */
const SERVICE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** A first word that is a program; anything else is left to the shell. */
const PLAIN_WORD = /^\s*([\w./@+~-]+)(?:\s|$)/u;
/** Programs the shell has built in. */
const BUILT_IN = new Set(["echo", "printf", "test", "cd", "exec", "eval", "read", "set", "."]);

/**
 * A service does not have the PATH of a shell, and engramd records none: it would keep what a version manager or an
 * installer put there long after it is gone. So the program has to be named by its whole path where the service would
 * not find it.
 */
export const KEY_COMMAND: Check = {
  code: "key-command",
  async look(facts) {
    const { apiKeyCommand } = facts.config();
    if (apiKeyCommand === null) return ok("no apiKeyCommand is set");
    const [, word = ""] = PLAIN_WORD.exec(apiKeyCommand) ?? [];
    if (word === "" || BUILT_IN.has(word)) return ok("apiKeyCommand is a line for the shell");
    if (word.includes("/")) {
      const path = expandHome(word, facts.paths.home) ?? word;
      if (mayUse(path, "run")) return ok(`apiKeyCommand runs ${path}`);
      return fail(`apiKeyCommand names ${path}, which cannot be run`, "correct apiKeyCommand");
    }
    const here = foundIn(facts.env["PATH"], word);
    if (foundIn(await servicePath(facts), word) !== undefined) return ok(`the service finds ${word}`);
    return here === undefined
      ? fail(`apiKeyCommand runs ${word}, which is on no PATH`, "install it, or correct apiKeyCommand")
      : warn(
          `apiKeyCommand runs ${word}, which this shell finds and a service does not`,
          `name it by its whole path in apiKeyCommand: ${here}`,
        );
  },
};

/** The shell's own while engramd is no service. */
async function servicePath(facts: DoctorFacts): Promise<string | undefined> {
  const service = facts.installed();
  if (service === undefined) return facts.env["PATH"];
  if (service.kind === "launchd") return SERVICE_PATH;
  const answer = await askProgram(facts, ["systemctl", "--user", "show-environment"]);
  return /^PATH=(.*)$/mu.exec(answer?.output ?? "")?.[1] ?? SERVICE_PATH;
}

function foundIn(path: string | undefined, name: string): string | undefined {
  return pathFolders(path)
    .map((folder) => join(folder, name))
    .find((candidate) => mayUse(candidate, "run"));
}
