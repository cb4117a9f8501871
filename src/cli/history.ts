// `engramd history [NAME]`: every run with its trigger, cost and files, newest first; with a name those of one memory.
import { AppError, EXIT } from "../domain/errors.ts";
import type { EngramdService } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { fixForMissed } from "./frame/elsewhere.ts";
import { projectOf, withService } from "./frame/service.ts";
import type { Page } from "./render/line.ts";
import { historyLines } from "./render/history.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { words, globals } = context.call;
  const [name] = words;
  const isOne = name !== undefined || globals.project !== undefined;
  const request = {
    ...(name === undefined ? {} : { name }),
    ...(isOne ? { project: projectOf(context) } : {}),
  };
  const ask = async (service: EngramdService) => {
    const found = await service.history(request);
    const isOver = name === undefined || found.runs.length > 0;
    return { found, problem: isOver ? undefined : await missing(name, projectOf(context), service) };
  };
  const { found, problem } = await withService(context, ask, { looksOnly: true });
  const answer = { document: found, lines: (page: Page) => historyLines(found, page, name) };
  return problem === undefined
    ? { ...answer, exitCode: EXIT.ok }
    : { ...answer, exitCode: EXIT.failed, problem };
}

/** A memory that is there and that no run has touched has a history of none; one that never was has no history. */
async function missing(
  name: string,
  project: string,
  service: EngramdService,
): Promise<AppError | undefined> {
  const { memories } = await service.memories({ project, name });
  if (memories.length > 0) return undefined;
  return new AppError({
    code: "no-such-memory",
    message: `there is and was no memory ${JSON.stringify(name)} in this project`,
    fix: await fixForMissed({ name, project }, service),
  });
}
