// `engramd status`: the daemon's answer, or what it last knew.
import { AppError, EXIT } from "../domain/errors.ts";
import type { Status } from "../domain/status.ts";
import { findDaemon } from "../serve/client/daemon-file.ts";
import { readLastStatus } from "../serve/client/last-status.ts";
import { createRemoteService } from "../serve/client/remote-service.ts";
import { withOwnVersion } from "../serve/client/versions.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { statusLines } from "./render/status.ts";
import { relativeTime } from "./render/time.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { files, paths, clock } = context;
  try {
    const service = createRemoteService({ address: findDaemon({ files, paths }), files, clock });
    const status = withOwnVersion(await service.status());
    return {
      exitCode: status.state === "degraded" ? EXIT.failed : EXIT.ok,
      document: status,
      lines: (page) => statusLines(status, page),
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not-running") throw error;
    return stoppedReply(context, error);
  }
}

function stoppedReply({ files, paths, clock }: CommandContext, problem: AppError): Reply {
  const { status: known, at } = readLastStatus({ files, paths });
  const since = at === undefined ? "and never ran here" : `since ${relativeTime(at, clock.now())}`;
  const status: Status = {
    ...known,
    warnings: [
      { code: "not-running", message: `the daemon is not running ${since}`, fix: "engramd run" },
      ...known.warnings,
    ],
  };
  return { exitCode: EXIT.notRunning, document: status, lines: (page) => statusLines(status, page), problem };
}
