// What commands about the service need to know of this machine. Loaded only by them.
import { withPatience } from "../../serve/deliver/install/run-steps.ts";
import type { RunCommand } from "../../system/command.ts";
import { createRunCommand } from "../../system/command.ts";
import type { Environment, Paths } from "../../system/paths.ts";
import { ownUid } from "../../system/process.ts";
import type { CommandContext } from "./command.ts";
import { openWaitLine, UNSAID_MS } from "./wait-line.ts";

export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly paths: Paths;
  readonly uid: number | undefined;
  readonly run: RunCommand;
}

/** For a command that has the service manager do things: bounded as a whole, and told on a terminal while it waits. */
export async function withManager<T>(
  context: CommandContext,
  use: (machine: MachineFacts) => Promise<T>,
): Promise<T> {
  const { call, clock } = context;
  const line = openWaitLine(context, { what: call.command, afterMs: UNSAID_MS });
  const onStep = (typed: string) => line.say(`waits for ${typed}`);
  const machine = machineOf(context);
  try {
    return await use({ ...machine, run: withPatience(machine.run, { clock, onStep }) });
  } finally {
    line.close();
  }
}

export function machineOf({ host, paths, clock }: CommandContext): MachineFacts {
  const { platform, env } = host;
  return { platform, env, paths, uid: ownUid(), run: createRunCommand(clock) };
}
