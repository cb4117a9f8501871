// `engramd cancel RUN`: end a run of the daemon, or take a job away before it runs.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withService } from "./frame/service.ts";
import { cancelLines } from "./render/account.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [word = ""] = context.call.words;
  const reply = await withService(context, (service) => service.cancel({ run: word }));
  return { exitCode: EXIT.ok, document: reply, lines: (page) => cancelLines(reply, page) };
}
