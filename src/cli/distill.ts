// `engramd distill [--date D] [--dry-run]`: turns the daily logs of a project into memories now.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withProgress } from "./frame/progress.ts";
import { projectOf } from "./frame/service.ts";
import { consolidationLines } from "./render/consolidation.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { options } = context.call;
  const date = options.get("date");
  const request = {
    project: projectOf(context),
    ...(typeof date === "string" ? { date } : {}),
    ...(options.has("dry-run") ? { dryRun: true } : {}),
  };
  const reply = await withProgress(context, { ...request, kind: "distill" }, (service) =>
    service.distill(request),
  );
  const exitCode = reply.outcome === "failed" ? EXIT.failed : EXIT.ok;
  return { exitCode, document: reply, lines: (page) => consolidationLines("distill", reply, page) };
}
