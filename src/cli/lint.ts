// `engramd lint [--fix]`: what is wrong in memory folders; with `--fix`, what of it was mended.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { lintLines } from "./render/lint.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { options } = context.call;
  const request = options.has("all") ? { all: true } : { project: projectOf(context) };
  const fix = options.has("fix");
  const found = await withService(
    context,
    (service) => (fix ? service.fixLint(request) : service.lint(request)),
    { looksOnly: !fix },
  );
  const exitCode = (found.kept ?? []).length > 0 ? EXIT.failed : EXIT.ok;
  return { exitCode, document: found, lines: (page) => lintLines(found, page) };
}
