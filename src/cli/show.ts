// `engramd show NAME`: one memory with its text.
import { AppError, EXIT } from "../domain/errors.ts";
import type { EngramdService } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { fixForMissed } from "./frame/elsewhere.ts";
import { projectOf, withService } from "./frame/service.ts";
import { memoryLines } from "./render/memories.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [name = ""] = context.call.words;
  const project = projectOf(context);
  const ask = async (service: EngramdService) => {
    const found = await service.memories({ project, name });
    if (found.memories.length > 0) return found;
    throw new AppError({
      code: "no-such-memory",
      message: `there is no memory ${JSON.stringify(name)} in this project`,
      fix: await fixForMissed({ name, project }, service),
    });
  };
  const list = await withService(context, ask, { looksOnly: true });
  return {
    exitCode: EXIT.ok,
    document: list,
    lines: (page) => list.memories.flatMap((memory) => memoryLines(memory, page)),
  };
}
