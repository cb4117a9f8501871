// `engramd why SESSION|NAME`: what became of each message of a session, or which words taught a memory.
import { isAbsolute, resolve } from "node:path";
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { whyLines } from "./render/why.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [word = ""] = context.call.words;
  const request = { what: transcriptOr(word, context.host.cwd), project: projectOf(context) };
  const story = await withService(context, (service) => service.why(request));
  return { exitCode: EXIT.ok, document: story, lines: (page) => whyLines(story, page) };
}

/** The path of a transcript as the daemon finds it; ids and names stay as they are. */
function transcriptOr(word: string, cwd: string | undefined): string {
  const isPath = word.includes("/") || word.endsWith(".jsonl");
  return isPath && !isAbsolute(word) ? resolve(cwd ?? "/", word) : word;
}
