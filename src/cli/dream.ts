// `engramd dream [--force] [--dry-run]`: consolidates the memories of a project now, if its gates are open.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withProgress } from "./frame/progress.ts";
import { projectOf } from "./frame/service.ts";
import { consolidationLines } from "./render/consolidation.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { options } = context.call;
  const request = {
    project: projectOf(context),
    ...(options.has("force") ? { force: true } : {}),
    ...(options.has("dry-run") ? { dryRun: true } : {}),
  };
  const reply = await withProgress(context, { ...request, kind: "dream" }, (service) =>
    service.dream(request),
  );
  const exitCode = reply.outcome === "failed" ? EXIT.failed : EXIT.ok;
  return { exitCode, document: reply, lines: (page) => consolidationLines("dream", reply, page) };
}
