// `engramd install`: engramd as a service of the person, now and at every login.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { configFileOf } from "./frame/service.ts";
import type { Page } from "./render/line.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { host, call, files, clock } = context;
  const { installService } = await import("../serve/deliver/install/install.ts");
  const { machineOf } = await import("./frame/machine.ts");
  const { installLines } = await import("./render/install.ts");
  const report = await installService(
    { ...machineOf(context), files, clock, program: host.program },
    { network: !call.options.has("no-network"), configFile: configFileOf({ host, call }) },
  );
  const answer = { document: report, lines: (page: Page) => installLines(report, page) };
  if (report.byHand === null) return { ...answer, exitCode: EXIT.ok };
  const problem = new AppError({
    code: "service-not-started",
    message: `${report.service.file} is written, but the service was not started: ${report.byHand.why}`,
    fix: report.byHand.commands,
  });
  return { ...answer, exitCode: EXIT.failed, problem };
}
