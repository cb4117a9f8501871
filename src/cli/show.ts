// `engramd show NAME`: one memory with its text.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { memoryLines } from "./render/memories.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [name = ""] = context.call.words;
  const project = projectOf(context);
  const list = await withService(context, (service) => service.memories({ project, name }));
  if (list.memories.length === 0) {
    throw new AppError({
      code: "no-such-memory",
      message: `there is no memory ${JSON.stringify(name)} in this project`,
      fix: 'see "engramd list"',
    });
  }
  return {
    exitCode: EXIT.ok,
    document: list,
    lines: (page) => list.memories.flatMap((memory) => memoryLines(memory, page)),
  };
}
