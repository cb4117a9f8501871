// `engramd forget NAME`: remove a memory; it never comes back from the same evidence.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { forgetLines } from "./render/changes.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [name = ""] = context.call.words;
  const request = { name, project: projectOf(context) };
  const reply = await withService(context, (service) => service.forget(request));
  const answer = { document: reply, lines: () => forgetLines(reply) };
  if (reply.outcome === "forgotten") return { ...answer, exitCode: EXIT.ok };
  const fix =
    reply.outcome === "ambiguous" ? `name one of ${reply.matches.join(", ")}` : 'see "engramd list"';
  const problem = new AppError({ code: reply.outcome, message: reply.message, fix });
  return { ...answer, exitCode: EXIT.failed, problem };
}
