// `engramd restart`: has the service manager restart the service.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { line, span } from "./render/line.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { files, paths } = context;
  const { readInstalled, runSteps, serviceCommands, typedSteps, withManager } = (
    await import("./frame/service-tools.ts")
  ).SERVICE_TOOLS;
  if (readInstalled({ files, paths }) === undefined)
    throw new AppError({
      code: "not-installed",
      message: "engramd is not installed as a service",
      fix: "engramd install",
    });
  const { steps, failure } = await withManager(context, async (machine) => {
    const { restart } = serviceCommands(machine);
    return { steps: restart, ...(await runSteps(machine, restart)) };
  });
  if (failure !== undefined)
    throw new AppError({
      code: "service-not-started",
      message: `the service was not restarted: ${failure}`,
      fix: typedSteps(steps),
    });
  return {
    exitCode: EXIT.ok,
    document: { v: 1, outcome: "restarted" },
    lines: () => [line(span("the service was restarted", "good"))],
  };
}
