// `engramd history [NAME]`: every run with its trigger, cost and files, newest first; with a name those of one memory.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { historyLines } from "./render/history.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { words, globals } = context.call;
  const [name] = words;
  const isOne = name !== undefined || globals.project !== undefined;
  const request = {
    ...(name === undefined ? {} : { name }),
    ...(isOne ? { project: projectOf(context) } : {}),
  };
  const found = await withService(context, (service) => service.history(request), { looksOnly: true });
  return { exitCode: EXIT.ok, document: found, lines: (page) => historyLines(found, page, name) };
}
