// `engramd search WORDS`: the memories of a project, or of all, that fit some words, best first.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { foundLines } from "./render/memories.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { words, options } = context.call;
  const where = options.has("all") ? { all: true } : { project: projectOf(context) };
  const request = { ...where, words: words.join(" ") };
  const list = await withService(context, (service) => service.memories(request));
  return { exitCode: EXIT.ok, document: list, lines: (page) => foundLines(list, page) };
}
