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
export async function askStatus(context: CommandContext): Promise<AskedStatus> {
  const { files, paths, clock } = context;
  try {
    const service = createRemoteService({ address: findDaemon({ files, paths }), files, clock });
    return { status: withOwnVersion(await service.status()) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not-running") throw error;
    const { code, message, exitCode } = error;
    const { hasUsableConfig } = await import("./usable-config.ts");
    const isUsable = hasUsableConfig(context);
    const start = isUsable ? startCommand(context) : CHECK;
    const fix = isUsable ? `start it with "${start}"` : CHECK;
    const problem = new AppError({ code, message, fix, exitCode, cause: error });
    return { status: lastStatus(context, start), problem };
  }
}

/** What cannot be started is not advised to be. */
const CHECK = "engramd config check";

/** Marks the warning that says since when nobody answers. */
export const NOT_RUNNING = "not-running";

/** What the daemon last knew, with a warning that it does not run. */
export function lastStatus({ files, paths, clock }: CommandContext, fix: string): Status {
  const { status: known, at } = readLastStatus({ files, paths });
  const ago = at === undefined ? "" : relativeTime(at, clock.now());
  const since =
    at === undefined ? " and never ran here" : `; this is from ${ago === "now" ? "a moment ago" : ago}`;
  const message = `the daemon is not running${since}`;
  const warning = { code: NOT_RUNNING, message, fix };
  return { ...known, warnings: [warning, ...known.warnings] };
}
