// `engramd news`: what was learned, changed and removed since a person last looked. Asking is looking.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { newsLines } from "./render/news.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const isOne = context.call.globals.project !== undefined;
  const request = { looked: true, ...(isOne ? { project: projectOf(context) } : {}) };
  const news = await withService(context, (service) => service.news(request));
  return { exitCode: EXIT.ok, document: news, lines: (page) => newsLines(news, page) };
}
