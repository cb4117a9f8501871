// `engramd uninstall`: undoes what install did; memories and, unless asked, state stay.
import { join } from "node:path";
import { EXIT } from "../domain/errors.ts";
import { findDaemon } from "../serve/client/daemon-file.ts";
import { createEmitter } from "../system/emitter.ts";
import { isAlive } from "../system/process.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { uninstallLines } from "./render/install.ts";

/** As long as a lock needs to be free after its owner was killed; launchd, too, ends a service in that time. */
const LOCK_WAIT_MS = 12_000;
/** systemctl has waited for the end of its service: whoever still lives is another one. */
const ALIVE_WAIT_MS = 1_000;

/** What a command has to say is its reply. */
const ignore = () => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export async function run(context: CommandContext): Promise<Reply> {
  const { host, call, files, paths, clock } = context;
  const tools = (await import("./frame/service-tools.ts")).SERVICE_TOOLS;
  const { alreadyRunning, createFileLocks, INSTANCE_LOCK } = tools;
  const { removeOwnMemories, uninstallService, withManager } = tools;
  const locks = createFileLocks({ files, clock, folder: join(paths.stateDir, "locks") });
  const isOther = () => host.platform === "linux" && isAlive(findDaemon({ files, paths }).pid ?? 0);
  const wish = { purge: call.options.has("purge"), removeMemories: call.options.has("remove-memories") };
  const removeMemories = () =>
    removeOwnMemories({
      files,
      clock,
      locks,
      stateDir: paths.stateDir,
      emitter: createEmitter(ignore),
      log: SILENT,
    });
  const report = await withManager(context, (machine) =>
    uninstallService(
      {
        ...machine,
        files,
        removeMemories,
        takeInstance: () => locks.take(INSTANCE_LOCK, { waitMs: isOther() ? ALIVE_WAIT_MS : LOCK_WAIT_MS }),
        alreadyRunning: () => alreadyRunning(findDaemon({ files, paths }).pid),
      },
      wish,
    ),
  );
  return { exitCode: EXIT.ok, document: report, lines: (page) => uninstallLines(report, page) };
}
