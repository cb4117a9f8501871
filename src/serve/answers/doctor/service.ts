// Checks of the installed service: the Node and the program it starts, its file, its manager, what protects it.
import { contentHash } from "../../../system/ids.ts";
import { mayUse } from "../../../system/rights.ts";
import { recordedEnvironment } from "../../deliver/install/program.ts";
import { repointService } from "../../deliver/install/repoint.ts";
import { serviceCommands } from "../../deliver/install/service-commands.ts";
import { askProgram } from "./ask-program.ts";
import type { Check, DoctorFacts } from "./check.ts";
import { fail, named, ok, warn } from "./check.ts";

const NOT_INSTALLED = "not installed as a service";
const FILE_BYTES_MAX = 100_000;

export const RECORDED_NODE: Check = {
  code: "service-node",
  look({ files, installed }) {
    const service = installed();
    if (service === undefined) return ok(NOT_INSTALLED);
    const { node, entry } = service;
    const gone = [node, entry].filter((path) => files.follow(path)?.kind !== "file");
    if (gone.length > 0)
      return fail(`the service starts ${named(gone)}, which is no longer there`, "engramd doctor --fix");
    if (!mayUse(node, "run")) return fail(`${node} may not be run`, "engramd install");
    return ok(`the service runs ${node}`);
  },
  async mend(facts) {
    return repointService(facts);
  },
};

export const SERVICE_FILE: Check = {
  code: "service-file",
  look({ files, installed }) {
    const service = installed();
    if (service === undefined) return ok(NOT_INSTALLED);
    const { file, hashes } = service;
    const content = files.look(file)?.kind === "file" ? files.read(file, FILE_BYTES_MAX) : undefined;
    if (content === undefined) return fail(`${file} is not there any more`, "engramd install");
    return hashes.includes(contentHash(content))
      ? ok(`${file} is as it was written`)
      : warn(
          `${file} was edited by hand; engramd neither updates nor removes it`,
          "keep your settings in a drop-in (systemctl --user edit engramd), move the file away, then: engramd install",
        );
  },
};

export const SERVICE_ON: Check = {
  code: "service-running",
  async look(facts) {
    if (facts.installed() === undefined) return ok(NOT_INSTALLED);
    for (const { argv } of serviceCommands(facts).isOn) {
      const answer = await askProgram(facts, argv);
      if (answer === undefined)
        return warn(
          `the service manager does not answer (${argv[0] ?? ""})`,
          "log in again, or ask it yourself",
        );
      if (answer.code !== 0)
        return warn("the service is not on: the manager does not run it", "engramd install");
    }
    return ok("the manager runs it, and will at the next login");
  },
};

export const LINGER: Check = {
  code: "linger",
  async look(facts) {
    const { platform, env, installed } = facts;
    if (platform !== "linux" || installed() === undefined) return ok("no question here");
    const user = env["USER"] ?? env["LOGNAME"] ?? "";
    // A name that begins with a dash would be an option.
    if (!/^[\w.][\w.@-]*$/u.test(user)) return ok("not known: USER is not set");
    const answer = await askProgram(facts, ["loginctl", "show-user", user, "--property=Linger", "--value"]);
    if (answer?.output === "yes") return ok("on: the service goes on when you log out");
    if (answer?.output !== "no") return ok("not known: loginctl does not say");
    return warn("off: the service stops when you log out", "loginctl enable-linger");
  },
};

export const HARDENING: Check = {
  code: "hardening",
  look({ live }) {
    const service = live?.service;
    if (service === undefined || service.manager === "none")
      return ok("the daemon does not run as a service");
    const without = service.hardening.filter(({ effective }) => effective === false).map(({ name }) => name);
    const holding = service.hardening.filter(({ effective }) => effective === true).length;
    if (without.length === 0)
      return ok(`${holding} of ${service.hardening.length} protections are known to hold`);
    return warn(`the service runs without: ${without.join(", ")}`, "engramd install, and what it says");
  },
};

/** Folders of agents as this shell has them against those the service was told. */
export const SERVICE_ENVIRONMENT: Check = {
  code: "service-environment",
  look(facts) {
    const service = facts.installed();
    if (service === undefined) return ok(NOT_INSTALLED);
    if (service.environment === undefined) return ok("not known: it was installed by an older engramd");
    const differing = differences(facts, service.environment);
    return differing.length === 0
      ? ok("the service looks where this shell does")
      : warn(`the service was told something else than this shell: ${named(differing)}`, "engramd install");
  },
};

function differences(
  { env }: DoctorFacts,
  told: readonly { readonly name: string; readonly value: string }[],
): string[] {
  const service = new Map(told.map(({ name, value }) => [name, value]));
  const shell = new Map(recordedEnvironment(env).variables.map(({ name, value }) => [name, value]));
  const names = [...new Set([...service.keys(), ...shell.keys()])].toSorted();
  return names
    .filter((name) => service.get(name) !== shell.get(name))
    .map(
      (name) => `${name} (service: ${service.get(name) ?? "not set"}, here: ${shell.get(name) ?? "not set"})`,
    );
}
