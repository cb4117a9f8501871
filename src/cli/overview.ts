// `engramd` alone: the first screen, from the daemon when it runs.
import { EXIT } from "../domain/errors.ts";
import { startCommand } from "../serve/deliver/install/record.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { knowing } from "./frame/knowing.ts";
import { withService } from "./frame/service.ts";
import { overviewLines } from "./render/overview.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const overview = await withService(context, (service) => service.overview(), { looksOnly: true });
  const { home } = context.paths;
  const knows = knowing(context);
  const isService = startCommand(context) !== "engramd run";
  return {
    exitCode: EXIT.ok,
    document: overview,
    lines: (page) => overviewLines(overview, { ...page, home, knows, isService }),
  };
}
