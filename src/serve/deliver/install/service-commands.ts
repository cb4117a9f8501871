// Which programs talk to the service manager of a platform, as plain argument lists. Runs nothing.
import { dirname, join } from "node:path";
import { AppError } from "../../../domain/errors.ts";
import { PRINTED_FILE } from "../../../system/log-file.ts";
import type { Environment, Paths } from "../../../system/paths.ts";

export type ServiceKind = "systemd" | "launchd";

/** One program with its arguments. */
export interface Step {
  readonly argv: readonly string[];
  /** Its failure changes nothing for what comes after it. */
  readonly mayFail?: true;
}

export interface ServiceCommands {
  readonly kind: ServiceKind;
  /** Where the manager reads the service's file. */
  readonly file: string;
  /** Makes the manager read the file, start the service now and at every login. */
  readonly start: readonly Step[];
  readonly stop: readonly Step[];
  /** Makes the manager forget the service, before its file goes. */
  readonly disable: readonly Step[];
  /** After the file has gone. */
  readonly afterRemoval: readonly Step[];
  readonly restart: readonly Step[];
  /** All succeed when the service runs and will start again. */
  readonly isOn: readonly Step[];
  /** Prints what the manager keeps of the log; undefined where it keeps none and engramd has a file of its own. */
  readonly logs: ((wish: LogWish) => readonly string[]) | undefined;
}

export interface LogWish {
  readonly lines: number;
  readonly follow: boolean;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly paths: Paths;
  readonly env: Environment;
  readonly uid: number | undefined;
}

const UNIT = "engramd.service";
const LABEL = "engramd";

/** Throws `no-service-manager` on a platform we know none of. */
export function serviceCommands(machine: Machine): ServiceCommands {
  if (machine.platform === "linux") return systemdCommands(machine.paths);
  if (machine.platform === "darwin") return launchdCommands(machine);
  throw new AppError({
    code: "no-service-manager",
    message: `engramd knows no service manager on ${machine.platform}`,
    fix: 'run it in the foreground instead: "engramd run"',
  });
}

/** Where launchd puts what is printed: it knows no log of its own, and rotates nothing. */
export function printedFile(paths: Pick<Paths, "stateDir">): string {
  return join(paths.stateDir, PRINTED_FILE);
}

function systemdCommands(paths: Paths): ServiceCommands {
  const file = join(dirname(paths.configDir), "systemd/user", UNIT);
  const user = (...args: string[]) => ({ argv: ["systemctl", "--user", ...args] });
  return {
    kind: "systemd",
    file,
    // The whole path: the manager may have been started without the XDG_CONFIG_HOME of this shell.
    start: [user("daemon-reload"), user("enable", file), user("restart", UNIT)],
    stop: [user("stop", UNIT)],
    disable: [user("disable", UNIT)],
    afterRemoval: [user("daemon-reload"), { ...user("reset-failed", UNIT), mayFail: true }],
    restart: [user("restart", UNIT)],
    isOn: [user("is-enabled", "--quiet", UNIT), user("is-active", "--quiet", UNIT)],
    logs: ({ lines, follow }) => [
      "journalctl",
      "--user",
      "--unit",
      UNIT,
      "--no-pager",
      // Lines of the log only: that there are none is said by us.
      "--quiet",
      "--output=short-iso",
      `--lines=${lines}`,
      ...(follow ? ["--follow"] : []),
    ],
  };
}

function launchdCommands({ paths, uid }: Machine): ServiceCommands {
  const file = join(paths.home, "Library/LaunchAgents", `${LABEL}.plist`);
  const domain = `gui/${uid ?? 0}`;
  const target = `${domain}/${LABEL}`;
  const bootout = ["launchctl", "bootout", target];
  return {
    kind: "launchd",
    file,
    // What is loaded already cannot be loaded again.
    start: [{ argv: bootout, mayFail: true }, { argv: ["launchctl", "bootstrap", domain, file] }],
    stop: [{ argv: bootout, mayFail: true }],
    disable: [],
    afterRemoval: [],
    restart: [{ argv: ["launchctl", "kickstart", "-k", target] }],
    isOn: [{ argv: ["launchctl", "print", target] }],
    logs: undefined,
  };
}

/** What a person runs by hand, in one line. */
export function typedSteps(steps: readonly Step[]): string {
  return steps
    .filter(({ mayFail }) => mayFail !== true)
    .map(({ argv }) => typed(argv))
    .join(" && ");
}

/** As a person would type it. */
export function typed(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}
