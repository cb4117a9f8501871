// `engramd resume`: observe again.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withService } from "./frame/service.ts";
import { pauseLines } from "./render/pause.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const reply = await withService(context, (service) => service.resume());
  return { exitCode: EXIT.ok, document: reply, lines: (page) => pauseLines(reply, page) };
}
