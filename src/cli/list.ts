// `engramd list`: the memories of a project, or of all.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { memoryListLines } from "./render/memories.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const all = context.call.options.has("all");
  const request = all ? { all } : { project: projectOf(context) };
  const list = await withService(context, (service) => service.memories(request));
  return { exitCode: EXIT.ok, document: list, lines: (page) => memoryListLines(list, page) };
}
