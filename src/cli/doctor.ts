// `engramd doctor [--fix]`: what is wrong with this installation. Works with and without a daemon, and with settings
// nobody can use. Findings are an answer, not a failure.
import { AppError, EXIT } from "../domain/errors.ts";
import type { Status } from "../domain/status.ts";
import { VERSION } from "../domain/version.ts";
import { findDaemon } from "../serve/client/daemon-file.ts";
import { readLastStatus } from "../serve/client/last-status.ts";
import { createRemoteService } from "../serve/client/remote-service.ts";
import type { DoctorFacts } from "../serve/answers/doctor/check.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { configFileOf } from "./frame/service.ts";
import { doctorLines } from "./render/doctor.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [{ CHECKS }, { examine }, facts] = await Promise.all([
    import("../serve/answers/doctor/index.ts"),
    import("../serve/answers/doctor/examine.ts"),
    factsOf(context),
  ]);
  const report = await examine({ checks: CHECKS, facts, fix: context.call.options.has("fix") });
  return { exitCode: EXIT.ok, document: report, lines: (page) => doctorLines(report, page) };
}

async function factsOf(context: CommandContext): Promise<DoctorFacts> {
  const { host, files, clock } = context;
  const [
    { machineOf },
    { readInstalled },
    { loadConfig },
    { completeConfig },
    { freeBytes },
    { nodeVersion },
  ] = await Promise.all([
    import("./frame/machine.ts"),
    import("../serve/deliver/install/record.ts"),
    import("../config/load.ts"),
    import("../config/schema.ts"),
    import("../system/disk-space.ts"),
    import("../system/process.ts"),
  ]);
  const named = configFileOf(context);
  const machine = machineOf(context);
  const paths = { ...machine.paths, configFile: named ?? machine.paths.configFile };
  const load = () =>
    loadConfig({ files, paths, env: host.env, ...(named === undefined ? {} : { configFile: named }) });
  const daemon = await askDaemon(context);
  return {
    ...machine,
    ...daemon,
    paths,
    files,
    clock,
    pid: host.pid,
    program: host.program,
    nodeVersion: nodeVersion(),
    version: VERSION,
    loadConfig: load,
    config() {
      try {
        return load().config;
      } catch (error) {
        if (error instanceof AppError) return completeConfig({});
        throw error;
      }
    },
    installed: () => readInstalled({ files, paths }),
    known: daemon.live ?? readLastStatus({ files, paths }).status,
    freeBytes,
    procDir: "/proc",
  };
}

async function askDaemon({
  files,
  paths,
  clock,
}: CommandContext): Promise<{ readonly live: Status | undefined; readonly unanswered: string | undefined }> {
  try {
    const address = findDaemon({ files, paths });
    return {
      live: await createRemoteService({ address, files, clock }).status(),
      unanswered: undefined,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { live: undefined, unanswered: error.code === "not-running" ? undefined : error.message };
  }
}
