// The daemon's status, or what it last knew. Part of the short way of `engramd status`: imports nothing large.
import { AppError } from "../../domain/errors.ts";
import type { Status } from "../../domain/status.ts";
import { findDaemon } from "../../serve/client/daemon-file.ts";
import { readLastStatus } from "../../serve/client/last-status.ts";
import { createRemoteService } from "../../serve/client/remote-service.ts";
import { withOwnVersion } from "../../serve/client/versions.ts";
import { startCommand } from "../../serve/deliver/install/record.ts";
import { relativeTime } from "../render/time.ts";
import type { CommandContext } from "./command.ts";

export interface AskedStatus {
  readonly status: Status;
  /** Nobody answered, and so the status is one of before. */
  readonly problem?: AppError;
}

/** Throws for a daemon that refuses or is silent. */
export async function askStatus(
  context: Pick<CommandContext, "files" | "paths" | "clock">,
): Promise<AskedStatus> {
  const { files, paths, clock } = context;
  try {
    const service = createRemoteService({ address: findDaemon({ files, paths }), files, clock });
    return { status: withOwnVersion(await service.status()) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not-running") throw error;
    return { status: lastStatus(context), problem: notRunning(error, context) };
  }
}

function notRunning(cause: AppError, deps: Pick<CommandContext, "files" | "paths">): AppError {
  const { code, message, exitCode } = cause;
  return new AppError({ code, message, fix: `start it with "${startCommand(deps)}"`, exitCode, cause });
}

/** Marks the warning that says since when nobody answers. */
export const NOT_RUNNING = "not-running";

/** What the daemon last knew, with a warning that it does not run. */
export function lastStatus({
  files,
  paths,
  clock,
}: Pick<CommandContext, "files" | "paths" | "clock">): Status {
  const { status: known, at } = readLastStatus({ files, paths });
  const ago = at === undefined ? "" : relativeTime(at, clock.now());
  const since =
    at === undefined ? " and never ran here" : `; this is from ${ago === "now" ? "a moment ago" : ago}`;
  const message = `the daemon is not running${since}`;
  const warning = { code: NOT_RUNNING, message, fix: startCommand({ files, paths }) };
  return { ...known, warnings: [warning, ...known.warnings] };
}
