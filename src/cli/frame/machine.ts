// What commands about the service need to know of this machine. Loaded only by them.
import type { RunCommand } from "../../system/command.ts";
import { createRunCommand } from "../../system/command.ts";
import type { Environment, Paths } from "../../system/paths.ts";
import { ownUid } from "../../system/process.ts";
import type { CommandContext } from "./command.ts";

export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly paths: Paths;
  readonly uid: number | undefined;
  readonly run: RunCommand;
}

export function machineOf({ host, paths, clock }: CommandContext): MachineFacts {
  const { platform, env } = host;
  return { platform, env, paths, uid: ownUid(), run: createRunCommand(clock) };
}
