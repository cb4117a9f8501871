// `engramd uninstall`: undoes what install did; memories and, unless asked, state stay.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";

/** As long as a lock needs to be free after its owner was killed. */
const LOCK_WAIT_MS = 12_000;

export async function run(context: CommandContext): Promise<Reply> {
  const { call, files, paths, clock } = context;
  if (call.options.has("remove-memories")) throw cannotTell();
  const { uninstallService } = await import("../serve/deliver/install/uninstall.ts");
  const { createFileLocks } = await import("../system/file-lock.ts");
  const { findDaemon } = await import("../serve/client/daemon-file.ts");
  const { alreadyRunning, INSTANCE_LOCK } = await import("../app.ts");
  const { machineOf } = await import("./frame/machine.ts");
  const { uninstallLines } = await import("./render/install.ts");
  const { join } = await import("node:path");
  const locks = createFileLocks({ files, clock, folder: join(paths.stateDir, "locks") });
  const report = await uninstallService(
    {
      ...machineOf(context),
      files,
      takeInstance: () => locks.take(INSTANCE_LOCK, { waitMs: LOCK_WAIT_MS }),
      alreadyRunning: () => alreadyRunning(findDaemon({ files, paths }).pid),
    },
    { purge: call.options.has("purge") },
  );
  return { exitCode: EXIT.ok, document: report, lines: () => uninstallLines(report) };
}

function cannotTell(): AppError {
  return new AppError({
    code: "bad-option",
    message: "--remove-memories cannot tell yet which memories nobody edited",
    fix: "uninstall without it, then remove the memory folders yourself",
    exitCode: EXIT.usage,
  });
}
