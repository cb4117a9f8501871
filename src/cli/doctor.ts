// `engramd doctor [--fix]`: what is wrong with this installation. Works with and without a daemon, and with settings
// nobody can use. Findings are an answer, not a failure.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { configFileOf } from "./frame/service.ts";
import { doctorLines } from "./render/doctor.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { host, call, files, clock } = context;
  const { CHECKS, examine, gatherFacts, machineOf } = (await import("./frame/check-tools.ts")).CHECK_TOOLS;
  const facts = await gatherFacts({
    ...machineOf(context),
    files,
    clock,
    pid: host.pid,
    program: host.program,
    configFile: configFileOf({ host, call }),
  });
  const report = await examine({ checks: CHECKS, facts, fix: call.options.has("fix") });
  return { exitCode: EXIT.ok, document: report, lines: (page) => doctorLines(report, page) };
}
