// Where a command's question goes: to the daemon when it runs, else to an engramd of our own in this process.
import { isAbsolute, resolve } from "node:path";
import { AppError, EXIT } from "../../domain/errors.ts";
import { findDaemon } from "../../serve/client/daemon-file.ts";
import { createRemoteService } from "../../serve/client/remote-service.ts";
import { knownError, printError } from "../render/output.ts";
import type { CommandContext, UseService } from "./command.ts";

/** Asks one question. The daemon's answer counts, whatever it is; only if nobody listens we do it ourselves. */
export async function withService<T>(context: CommandContext, use: UseService<T>, how: How = {}): Promise<T> {
  const { files, paths, clock } = context;
  await refuseBadConfig(context);
  try {
    return await use(createRemoteService({ address: findDaemon({ files, paths }), files, clock }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not-running") throw error;
  }
  return withOwnApp(context, use, how);
}

/** A daemon goes by its own settings; a file somebody names and that cannot be used is told all the same. */
async function refuseBadConfig({ host, call, files, paths }: CommandContext): Promise<void> {
  const configFile = configFileOf({ host, call });
  if (configFile === undefined) return;
  const { loadConfig } = await import("../../config/load.ts");
  loadConfig({ files, paths, env: host.env, configFile });
}

interface How {
  /** The question changes nothing, so that nothing at all is written where no daemon runs. */
  readonly looksOnly?: boolean;
  /** Told what happens while we do it ourselves. */
  readonly hear?: (name: string, data: unknown) => void;
}

async function withOwnApp<T>(
  { host, call }: CommandContext,
  use: UseService<T>,
  { hear, ...how }: How,
): Promise<T> {
  const { createApp } = await import("../../app.ts");
  const { env, accountHome, platform, temporaryDir, pid } = host;
  const configFile = configFileOf({ host, call });
  const app = await createApp({
    env,
    accountHome,
    platform,
    temporaryDir,
    pid,
    ...(configFile === undefined ? {} : { configFile }),
    ...how,
    // Not the service: what a command has to say is its reply.
    writeLog: () => undefined,
  });
  if (hear !== undefined) app.emitter.onAny(hear);
  const [asked] = await Promise.allSettled([use(app.service)]);
  const [closed] = await Promise.allSettled([app.close()]);
  if (asked.status === "rejected") throw asked.reason;
  // What was asked is done, whatever could not be noted after it: saying it failed would have it done twice.
  if (closed.status === "rejected") printError(host.err, knownError(closed.reason));
  return asked.value;
}

/** The project a command is about: `--project`, else the working directory. */
export function projectOf(context: Pick<CommandContext, "host" | "call">): string {
  return absolutePath(context.call.globals.project ?? ".", context.host.cwd);
}

/** `--config` as an absolute path. */
export function configFileOf({ host, call }: Pick<CommandContext, "host" | "call">): string | undefined {
  const { config } = call.globals;
  return config === undefined ? undefined : absolutePath(config, host.cwd);
}

function absolutePath(path: string, cwd: string | undefined): string {
  if (isAbsolute(path) || cwd !== undefined) return resolve(cwd ?? "/", path);
  throw new AppError({
    code: "no-working-folder",
    message: "the folder you are in no longer exists",
    fix: "change to another one, or give an absolute path with --project",
    exitCode: EXIT.usage,
  });
}
