// `engramd forget NAME`: remove a memory; it never comes back from the same evidence.
import { AppError, EXIT } from "../domain/errors.ts";
import type { EngramdService, ForgetReply } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import type { Missed } from "./frame/elsewhere.ts";
import { fixForMissed } from "./frame/elsewhere.ts";
import { projectOf, withService } from "./frame/service.ts";
import { forgetLines } from "./render/changes.ts";
import type { Page } from "./render/line.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [name = ""] = context.call.words;
  const purge = context.call.options.has("purge") ? { purge: true } : {};
  const request = { name, project: projectOf(context), ...purge };
  const { reply, fix } = await withService(context, async (service) => {
    const reply = await service.forget(request);
    return { reply, fix: isDone(reply) ? "" : await fixFor(reply, request, service) };
  });
  const answer = { document: reply, lines: (page: Page) => forgetLines(reply, page) };
  if (isDone(reply)) return { ...answer, exitCode: EXIT.ok };
  const problem = new AppError({ code: reply.outcome, message: reply.message, fix });
  return { ...answer, exitCode: EXIT.failed, problem };
}

function isDone({ outcome }: ForgetReply): boolean {
  return outcome === "forgotten" || outcome === "purged";
}

function fixFor(
  { outcome, matches }: ForgetReply,
  missed: Missed,
  service: EngramdService,
): Promise<string> | string {
  if (outcome === "ambiguous") return `name one of ${matches.join(", ")}`;
  return outcome === "not-found" ? fixForMissed(missed, service) : 'see "engramd list"';
}
