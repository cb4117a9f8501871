// `engramd diff RUN`: what a run changed, file by file.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withService } from "./frame/service.ts";
import { diffLines } from "./render/history.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [word = ""] = context.call.words;
  const found = await withService(context, (service) => service.diff({ run: word }), { looksOnly: true });
  return { exitCode: EXIT.ok, document: found, lines: (page) => diffLines(found, page) };
}
