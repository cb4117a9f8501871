// `engramd install`: writes the service's file, has the manager start it, and notes what was changed. Never replaces
// a file somebody else wrote, never writes a key.
import { dirname, join } from "node:path";
import { AppError, EXIT } from "../../../domain/errors.ts";
import type { Warning } from "../../../domain/status.ts";
import type { Clock } from "../../../system/clock.ts";
import type { RunCommand } from "../../../system/command.ts";
import type { Files } from "../../../system/files.ts";
import { contentHash } from "../../../system/ids.ts";
import { isAlive } from "../../../system/process.ts";
import { findDaemon } from "../../client/daemon-file.ts";
import type { Program } from "./program.ts";
import * as programs from "./program.ts";
import type { InstalledService } from "./record.ts";
import { readInstalled, recordFile, saveInstalled } from "./record.ts";
import { askStep, askSteps, runSteps } from "./run-steps.ts";
import type { Machine, ServiceCommands } from "./service-commands.ts";
import { printedFile, serviceCommands, typedSteps } from "./service-commands.ts";
import type { ServicePlan, Variable } from "./service-text.ts";
import { agentText, limits, unitText } from "./service-text.ts";

export interface InstallDeps extends Machine {
  readonly files: Files;
  readonly clock: Clock;
  readonly run: RunCommand;
  readonly program: Program;
}

export interface InstallWish {
  readonly network: boolean;
  /** `--config`, absolute. */
  readonly configFile: string | undefined;
}

export interface Change {
  readonly did: "made" | "wrote" | "ran" | "removed" | "kept";
  /** A path, or a command as typed. */
  readonly what: string;
}

export interface InstallReport {
  readonly v: 1;
  /** `written`: the file stands, but the manager could not start it. */
  readonly outcome: "installed" | "unchanged" | "written";
  readonly service: Program & {
    readonly kind: ServiceCommands["kind"];
    readonly file: string;
    readonly network: boolean;
    readonly namespaces: boolean;
    readonly notify: boolean;
    readonly environment: readonly Variable[];
  };
  readonly changes: readonly Change[];
  readonly undo: string;
  /** Whether it goes on when nobody is logged in; null where that is unknown or no question. */
  readonly linger: boolean | null;
  readonly warnings: readonly Warning[];
  /** What to run by hand, and why; null unless the outcome is `written`. */
  readonly byHand: { readonly why: string; readonly commands: string } | null;
}

const TEMPLATE_BYTES_MAX = 100_000;
/** What we wrote before is remembered, so that a crash between record and file leaves it known as ours. */
const HASHES_MAX = 2;

export async function installService(deps: InstallDeps, wish: InstallWish): Promise<InstallReport> {
  const commands = serviceCommands(deps);
  if (commands.kind === "launchd" && !wish.network) throw noNetworkLimit();
  const program = programs.realProgram(deps.files, deps.program);
  const template = readTemplate(deps, { program, kind: commands.kind });
  const recorded = programs.recordedEnvironment(deps.env);
  const manager = await askManager(deps, commands, template);
  const plan: ServicePlan = {
    node: program.node,
    args: [
      ...programs.NODE_FLAGS,
      program.entry,
      ...(wish.configFile === undefined ? [] : ["--config", wish.configFile]),
      "run",
      ...(commands.logs === undefined ? ["--log-file"] : []),
    ],
    environment: recorded.variables,
    network: wish.network,
    ...manager.abilities,
    writable: programs.writableOutside(deps.paths),
    printed: printedFile(deps.paths),
  };
  const text = commands.kind === "systemd" ? unitText(template, plan) : agentText(template, plan);
  const facts = {
    v: 1,
    service: {
      kind: commands.kind,
      file: commands.file,
      ...program,
      network: wish.network,
      ...manager.abilities,
      environment: recorded.variables,
    },
    undo: "engramd uninstall",
    linger: await askLinger(deps, commands),
    byHand: null,
  } as const;
  const warnings = [
    ...programs.programWarnings(program, wish.network),
    ...recorded.warnings,
    ...manager.warnings,
    ...networkWarnings(deps, plan),
  ];
  const isSame = ownText(deps, commands) === text;
  if (isSame && manager.isOn) return { ...facts, outcome: "unchanged", changes: [], warnings };
  if (!manager.isOn) warnings.push(...otherDaemon(deps));
  const written = isSame ? [] : writeService(deps, { commands, program, plan, text });
  const { done, failure } = await runSteps(deps, commands.start);
  const changes = [...written, ...done.map((what) => ({ did: "ran", what }) as const)];
  if (failure === undefined) return { ...facts, outcome: "installed", changes, warnings };
  const byHand = { why: failure, commands: typedSteps(commands.start) };
  return { ...facts, outcome: "written", changes, warnings, byHand };
}

interface ManagerFacts {
  readonly isOn: boolean;
  readonly abilities: Abilities;
  readonly warnings: readonly Warning[];
}

interface Abilities {
  readonly namespaces: boolean;
  readonly notify: boolean;
}

const NONE: Abilities = { namespaces: false, notify: false };
/** Best first. */
const CHOICES: readonly Abilities[] = [
  { namespaces: true, notify: true },
  { namespaces: true, notify: false },
  { namespaces: false, notify: true },
];

/** Asks the manager itself, with a program that does nothing: what works depends on kernel, policy and version. */
async function askManager(
  deps: InstallDeps,
  commands: ServiceCommands,
  template: string,
): Promise<ManagerFacts> {
  const isOn = (await askSteps(deps, commands.isOn)).failure === undefined;
  if (commands.kind === "launchd") return { isOn, abilities: NONE, warnings: [] };
  const abilities = await findAbilities(deps, template);
  if (abilities.namespaces) return { isOn, abilities, warnings: [] };
  const isReached = abilities !== NONE || (await askStep(deps, trial([], NONE))).failure === undefined;
  if (isReached) return { isOn, abilities, warnings: [FEWER] };
  // No session to ask in. A kernel that gives this user namespaces gives them to the manager's services too.
  const namespaces = (await askStep(deps, NAMESPACES)).failure === undefined;
  return { isOn, abilities: { namespaces, notify: false }, warnings: [UNTRIED] };
}

const NAMESPACES = ["unshare", "--user", "--map-root-user", "--mount", "/bin/true"] as const;
const FEWER: Warning = {
  code: "fewer-protections",
  message: "this system gives user services no namespaces of their own: the service has fewer protections",
  fix: "allow unprivileged user namespaces and install again, or leave it so",
};
const UNTRIED: Warning = {
  code: "protections-untried",
  message:
    "systemd-run does not work here: which protections the service can have was asked of the kernel alone",
  fix: "engramd install, once more in a session in which `systemd-run --user --wait true` works",
};

async function findAbilities(deps: InstallDeps, template: string): Promise<Abilities> {
  for (const choice of CHOICES) {
    const { failure } = await askStep(deps, trial(limits(template, choice), choice));
    if (failure === undefined) return choice;
  }
  return NONE;
}

/** A service that ends at once; one that must notify fails when the manager did not hear it. */
function trial(settings: readonly string[], { notify }: Abilities): string[] {
  const all = notify ? ["Type=notify", "NotifyAccess=all", ...settings] : settings;
  return [
    "systemd-run",
    "--user",
    "--wait",
    "--collect",
    "--quiet",
    ...all.map((setting) => `--property=${setting}`),
    ...(notify ? ["/bin/sh", "-c", "systemd-notify READY=1"] : ["/bin/true"]),
  ];
}

async function askLinger(deps: InstallDeps, { kind }: ServiceCommands): Promise<boolean | null> {
  const user = deps.env["USER"] ?? deps.env["LOGNAME"] ?? "";
  // A name that begins with a dash would be an option.
  if (kind !== "systemd" || !/^[\w.][\w.@-]*$/u.test(user)) return null;
  const { output } = await askStep(deps, ["loginctl", "show-user", user, "--property=Linger", "--value"]);
  return output === "yes" ? true : output === "no" ? false : null;
}

/** A ban on the network does not end unseen. */
function networkWarnings(deps: InstallDeps, { network }: ServicePlan): Warning[] {
  if (!network || readInstalled(deps)?.network !== false) return [];
  return [
    {
      code: "network-allowed",
      message: "the service may use the network again: it was installed with --no-network before",
      fix: "engramd install --no-network",
    },
  ];
}

/** A daemon somebody started by hand keeps the service from starting. */
function otherDaemon(deps: InstallDeps): Warning[] {
  const { pid } = findDaemon(deps);
  if (pid === undefined || !isAlive(pid)) return [];
  return [
    {
      code: "runs-by-hand",
      message: `engramd already runs with pid ${pid}; the service cannot start beside it`,
      fix: "stop it, then: engramd restart",
    },
  ];
}

function readTemplate(
  { files }: InstallDeps,
  { program, kind }: { readonly program: Program; readonly kind: ServiceCommands["kind"] },
): string {
  const name = kind === "systemd" ? "systemd/engramd.service" : "launchd/engramd.plist";
  const path = join(programs.packageFolder(program), name);
  const content = files.read(path, TEMPLATE_BYTES_MAX);
  if (content !== undefined) return content.toString("utf8");
  throw new AppError({
    code: "package-incomplete",
    message: `${path} is missing`,
    fix: "install engramd again",
  });
}

/** The file's text when we wrote it; undefined when there is none. Throws for one that somebody else wrote. */
function ownText(deps: InstallDeps, { file }: ServiceCommands): string | undefined {
  const facts = deps.files.look(file);
  if (facts === undefined) return undefined;
  const content = facts.kind === "file" ? deps.files.read(file, TEMPLATE_BYTES_MAX) : undefined;
  const known = readInstalled(deps);
  const isOurs = content !== undefined && known?.file === file && known.hashes.includes(contentHash(content));
  if (isOurs) return content.toString("utf8");
  throw new AppError({
    code: "service-file-foreign",
    message: `${file} was not written by engramd, or was edited since`,
    fix: "keep your own settings in a drop-in, move that file away and install again",
  });
}

interface Writing {
  readonly commands: ServiceCommands;
  readonly program: Program;
  readonly plan: ServicePlan;
  readonly text: string;
}

/** The record first: after a crash the file is known as ours, or not there. */
function writeService(
  deps: InstallDeps,
  { commands: { kind, file }, program, plan, text }: Writing,
): Change[] {
  const known = readInstalled(deps);
  const folders = missingFolders(deps.files, dirname(file));
  const stateFolders = missingFolders(deps.files, deps.paths.stateDir);
  deps.files.ensureFolder(deps.paths.stateDir);
  const service: InstalledService = {
    kind,
    file,
    hashes: [...(known?.file === file ? known.hashes : []), contentHash(text)].slice(-HASHES_MAX),
    folders: [...(known?.file === file ? known.folders : []), ...stateFolders, ...folders],
    ...program,
    network: plan.network,
    environment: plan.environment,
    at: new Date(deps.clock.now()).toISOString(),
  };
  saveInstalled(deps, service);
  deps.files.ensureFolder(dirname(file));
  deps.files.replace(file, text);
  return [
    ...[...stateFolders, ...folders].map((what) => ({ did: "made", what }) as const),
    { did: "wrote", what: recordFile(deps.paths) },
    { did: "wrote", what: file },
  ];
}

/** The folders that making this one makes, the outermost first. */
function missingFolders(files: Files, folder: string): string[] {
  if (files.look(folder) !== undefined || dirname(folder) === folder) return [];
  return [...missingFolders(files, dirname(folder)), folder];
}

function noNetworkLimit(): AppError {
  return new AppError({
    code: "bad-option",
    message: "launchd cannot keep a service from the network",
    fix: "leave --no-network out; without a model engramd asks nothing of any network",
    exitCode: EXIT.usage,
  });
}
