// The built daemon (`dist/main.js`) as a real process on a scratch home. Run `npm run build` first.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EventName } from "../../src/domain/events.ts";
import type { Child, ChildExit } from "./child-process.ts";
import { spawnChild, startChild } from "./child-process.ts";
import type { ScratchHome } from "./scratch-home.ts";

/** One log line: pino's fields plus those of the event. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: string };

export interface DaemonOptions {
  readonly home: ScratchHome;
  /** The built entry; default `dist/main.js` of this repository. */
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Program and arguments put before `node` (a tracer, a limiter). */
  readonly wrapper?: readonly string[];
  /** Arguments for node itself. */
  readonly nodeArgs?: readonly string[];
  /** Arguments of the command; default `["run"]`. */
  readonly args?: readonly string[];
  /** The caller ends the process; otherwise the end of the test does. */
  readonly unattended?: boolean;
}

export interface Daemon {
  readonly child: Child;
  readonly home: ScratchHome;
  /** Log lines so far; what is no JSON is left out. */
  log(): LogLine[];
  /** The first line with this message, past or future. */
  waitForEvent(
    name: EventName,
    options?: { readonly where?: (line: LogLine) => boolean; readonly withinMs?: number },
  ): Promise<LogLine>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ChildExit>;
}

export interface CommandResult extends ChildExit {
  readonly stdout: string;
  readonly stderr: string;
}

/** `dist/main.js`, or the copy that `ENGRAMD_ENTRY` names (an installed package, a build kept aside). */
export function builtEntry(): string {
  const entry = process.env["ENGRAMD_ENTRY"] ?? join(import.meta.dirname, "../../dist/main.js");
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run \`npm run build\` first`);
  return entry;
}

export function startDaemon(options: DaemonOptions): Daemon {
  const { home, entry = builtEntry(), env = {}, wrapper = [], nodeArgs = [], args = ["run"] } = options;
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, ...nodeArgs, entry, ...args];
  const launch = options.unattended === true ? spawnChild : startChild;
  const child = launch({ command, args: rest, env: { ...home.env, ...env }, cwd: home.home });
  return {
    child,
    home,
    log: () => child.lines().flatMap((line) => parseLogLine(line) ?? []),
    async waitForEvent(name, { where = () => true, withinMs } = {}) {
      const accept = (line: string) => {
        const parsed = parseLogLine(line);
        return parsed?.msg === name && where(parsed);
      };
      const line = await child.waitForLine(accept, withinMs === undefined ? {} : { withinMs });
      return parseLogLine(line) as LogLine;
    },
    stop(signal = "SIGTERM") {
      child.signal(signal);
      return child.exit;
    },
  };
}

/** Runs one command of the built program to its end. */
export async function runCommand(
  options: Omit<DaemonOptions, "wrapper" | "nodeArgs" | "unattended"> & {
    readonly args: readonly string[];
    readonly cwd?: string;
    readonly input?: string;
  },
): Promise<CommandResult> {
  const { home, entry = builtEntry(), env = {}, args, cwd = home.home, input } = options;
  const child = startChild({
    command: process.execPath,
    args: [entry, ...args],
    env: { ...home.env, ...env },
    cwd,
    ...(input === undefined ? {} : { input }),
  });
  const exit = await child.exit;
  return { ...exit, stdout: child.stdout(), stderr: child.stderr() };
}

function parseLogLine(line: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "msg" in value ? (value as LogLine) : undefined;
  } catch {
    return undefined;
  }
}
