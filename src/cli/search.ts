// `engramd search WORDS`: the memories of a project, or of all, that fit some words, best first.
import { EXIT } from "../domain/errors.ts";
import { shellWord } from "../domain/shell-word.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { foundLines } from "./render/memories.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { words, options } = context.call;
  const where = options.has("all") ? { all: true } : { project: projectOf(context) };
  const request = { ...where, words: words.join(" ") };
  const { list, others } = await withService(
    context,
    async (service) => {
      const list = await service.memories(request);
      const isEmpty = !options.has("all") && list.memories.length === 0;
      const others = isEmpty ? await service.memories({ all: true, words: request.words }) : list;
      return { list, others: isEmpty ? others.memories.length : 0 };
    },
    { looksOnly: true },
  );
  const everywhere = `engramd search ${words.map(shellWord).join(" ")} --all`;
  const hint =
    others === 0 ? undefined : `of other projects ${others} ${others === 1 ? "fits" : "fit"}: ${everywhere}`;
  return { exitCode: EXIT.ok, document: list, lines: (page) => foundLines(list, page, hint) };
}
