// `engramd news`: what was learned, changed and removed since a person last looked. Asking is looking.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import type { Page } from "./render/line.ts";
import { newsLines } from "./render/news.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const isOne = context.call.globals.project !== undefined;
  const request = { looked: true, ...(isOne ? { project: projectOf(context) } : {}) };
  const news = await withService(context, (service) => service.news(request));
  const answer = { exitCode: EXIT.ok, document: news, lines: (page: Page) => newsLines(news, page) };
  if (news.notNoted === undefined) return answer;
  const problem = new AppError({
    code: "not-noted",
    message: `it could not be noted that you have seen this: ${news.notNoted}`,
    fix: "the same is news the next time; see engramd doctor",
  });
  return { ...answer, problem };
}
