// What the commands about the service and its log work with, behind one door: loaded with the first of them, and one
// file of the build instead of a dozen that every other start would have to open as well.
import { alreadyRunning, INSTANCE_LOCK } from "../../app/instance.ts";
import { installService } from "../../serve/deliver/install/install.ts";
import { removeOwnMemories } from "../../serve/deliver/install/own-memories.ts";
import { readInstalled } from "../../serve/deliver/install/record.ts";
import { runSteps } from "../../serve/deliver/install/run-steps.ts";
import { serviceCommands, typedSteps } from "../../serve/deliver/install/service-commands.ts";
import { uninstallService } from "../../serve/deliver/install/uninstall.ts";
import { createFileLocks } from "../../system/file-lock.ts";
import { followCommand } from "../../system/follow-command.ts";
import { readLog } from "../../system/log-reader.ts";
import { machineOf, withManager } from "./machine.ts";

export const SERVICE_TOOLS = {
  alreadyRunning,
  createFileLocks,
  followCommand,
  INSTANCE_LOCK,
  installService,
  machineOf,
  readInstalled,
  readLog,
  removeOwnMemories,
  runSteps,
  serviceCommands,
  typedSteps,
  uninstallService,
  withManager,
} as const;
