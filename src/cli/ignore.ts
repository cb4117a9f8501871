// `engramd ignore SESSION`: take back what a session taught, and never learn from it again.
import { isAbsolute, resolve } from "node:path";
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withService } from "./frame/service.ts";
import { ignoreLines } from "./render/account.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [word = ""] = context.call.words;
  const request = { session: transcriptOr(word, context.host.cwd) };
  const reply = await withService(context, (service) => service.ignore(request));
  return { exitCode: EXIT.ok, document: reply, lines: (page) => ignoreLines(reply, page) };
}

/** The path of a transcript as the daemon finds it; an id stays as it is. */
function transcriptOr(word: string, cwd: string | undefined): string {
  const isPath = word.includes("/") || word.endsWith(".jsonl");
  return isPath && !isAbsolute(word) ? resolve(cwd ?? "/", word) : word;
}
