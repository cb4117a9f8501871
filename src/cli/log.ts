// `engramd log TEXT`: one bullet in today's daily log.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { refuseNoProject } from "./frame/elsewhere.ts";
import { projectOf, withService } from "./frame/service.ts";
import { line, span } from "./render/line.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const text = context.call.words.join(" ").trim();
  if (text === "") {
    throw new AppError({
      code: "missing-argument",
      message: "there is no text to log",
      fix: "give the text as an argument",
      exitCode: EXIT.usage,
    });
  }
  const project = projectOf(context);
  const reply = await withService(context, async (service) => {
    await refuseNoProject(context, project, service);
    return service.log({ text, project });
  });
  const answer = { document: reply, lines: () => [line(span(reply.message, "good"))] };
  if (reply.outcome === "logged") return { ...answer, exitCode: EXIT.ok };
  const problem = new AppError({ code: reply.reason ?? "refused", message: reply.message });
  return { ...answer, lines: () => [], exitCode: EXIT.failed, problem };
}
