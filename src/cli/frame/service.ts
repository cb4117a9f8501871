// Where a command's question goes: to the daemon when it runs, else to an engramd of our own in this process.
import { isAbsolute, resolve } from "node:path";
import { AppError, EXIT } from "../../domain/errors.ts";
import { findDaemon } from "../../serve/client/daemon-file.ts";
import { createRemoteService } from "../../serve/client/remote-service.ts";
import type { App } from "../../app.ts";
import { wait } from "../../system/clock.ts";
import { knownError, printError } from "../render/output.ts";
import type { CommandContext, UseService } from "./command.ts";
import { openWaitLine, UNSAID_MS } from "./wait-line.ts";
import type { WaitLine } from "./wait-line.ts";

/** Asks one question. The daemon's answer counts, whatever it is; only if nobody listens we do it ourselves. */
export async function withService<T>(context: CommandContext, use: UseService<T>, how: How = {}): Promise<T> {
  await refuseBadConfig(context);
  const line = how.line ?? openWaitLine(context, { what: context.call.command, afterMs: UNSAID_MS });
  try {
    return await askOrDo(context, use, { ...how, line });
  } finally {
    if (how.line === undefined) line.close();
  }
}

async function askOrDo<T>(
  context: CommandContext,
  use: UseService<T>,
  how: How & { readonly line: WaitLine },
): Promise<T> {
  const { files, paths, clock } = context;
  const onLook = (silentMs: number) =>
    how.line.trouble(
      silentMs === 0 ? "" : `no sign of life from the daemon for ${Math.round(silentMs / 1000)} s`,
    );
  try {
    return await use(createRemoteService({ address: findDaemon({ files, paths }), files, clock, onLook }));
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
  /** Says what is waited for; without it there is one of our own. */
  readonly line?: WaitLine;
}

async function withOwnApp<T>(
  context: CommandContext,
  use: UseService<T>,
  { hear, looksOnly = false }: How,
): Promise<T> {
  const { host, call } = context;
  const { createApp } = await import("../../app.ts");
  const { env, accountHome, platform, temporaryDir, pid } = host;
  const configFile = configFileOf({ host, call });
  const stop = new AbortController();
  const unlisten = host.signals.onInterrupt?.((name) => stop.abort(interrupted(name)));
  try {
    const app = await createApp({
      env,
      accountHome,
      platform,
      temporaryDir,
      pid,
      ...(configFile === undefined ? {} : { configFile }),
      looksOnly,
      stop: stop.signal,
      // Not the service: what a command has to say is its reply.
      writeLog: () => undefined,
    });
    if (hear !== undefined) app.emitter.onAny(hear);
    return await toItsEnd(context, { app, stop: stop.signal, work: use(app.service) });
  } finally {
    unlisten?.();
  }
}

/** What is under way when a signal comes may take so long to be whole or as it was before. */
const TIDY_MS = 5_000;
/** Nothing of that may hold a person longer. */
const LEAVE_MS = 9_000;

interface OwnWork<T> {
  readonly app: App;
  readonly stop: AbortSignal;
  readonly work: Promise<T>;
}

async function toItsEnd<T>({ host, clock }: CommandContext, { app, stop, work }: OwnWork<T>): Promise<T> {
  const ended = Promise.allSettled([work]);
  const stopped = new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined);
    else stop.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const result = await Promise.race([ended, stopped]);
  const leaving = async () => {
    if (stop.aborted) await Promise.race([app.breakOff().then(() => ended), wait(clock, TIDY_MS)]);
    return app.close();
  };
  const given = leaving();
  const [closed] = await Promise.race([
    Promise.allSettled([given]),
    stopped.then(() => wait(clock, LEAVE_MS)).then(() => NOT_CLOSED),
  ]);
  stop.throwIfAborted();
  const [asked] = result ?? (await ended);
  if (asked.status === "rejected") throw asked.reason;
  // What was asked is done, whatever could not be noted after it: saying it failed would have it done twice.
  if (closed.status === "rejected") printError(host.err, knownError(closed.reason));
  return asked.value;
}

const NOT_CLOSED = [{ status: "fulfilled", value: undefined }] as const;

/** The exit code is the signal's own. */
function interrupted(name: string): AppError {
  return new AppError({
    code: "interrupted",
    message: `broken off by ${name}`,
    fix: "memory is as it was, or what was committed is whole: run it again",
  });
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
