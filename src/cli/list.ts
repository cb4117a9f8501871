// `engramd list`: the memories of a project, or of all.
import { EXIT } from "../domain/errors.ts";
import type { EngramdService } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { memoriesElsewhere } from "./frame/elsewhere.ts";
import { projectOf, withService } from "./frame/service.ts";
import { memoryListLines } from "./render/memories.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const all = context.call.options.has("all");
  const request = all ? { all } : { project: projectOf(context) };
  const ask = async (service: EngramdService) => {
    const list = await service.memories(request);
    const isEmpty = !all && list.memories.length === 0;
    return { list, elsewhere: isEmpty ? await memoriesElsewhere(service) : undefined };
  };
  const { list, elsewhere } = await withService(context, ask, { looksOnly: true });
  return { exitCode: EXIT.ok, document: list, lines: (page) => memoryListLines(list, page, elsewhere) };
}
