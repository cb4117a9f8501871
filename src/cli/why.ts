// `engramd why SESSION|NAME`: what became of each message of a session, or which words taught a memory.
import { isAbsolute, resolve } from "node:path";
import { AppError, EXIT } from "../domain/errors.ts";
import type { EngramdService } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import type { Missed } from "./frame/elsewhere.ts";
import { fixForMissed, LIST } from "./frame/elsewhere.ts";
import { projectOf, withService } from "./frame/service.ts";
import { whyLines } from "./render/why.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const [word = ""] = context.call.words;
  const request = { what: transcriptOr(word, context.host.cwd), project: projectOf(context) };
  const story = await withService(context, async (service) => {
    try {
      return await service.why(request);
    } catch (error) {
      throw await withFix(error, { name: word, project: request.project }, service);
    }
  });
  return { exitCode: EXIT.ok, document: story, lines: (page) => whyLines(story, page) };
}

/** The path of a transcript as the daemon finds it; ids and names stay as they are. */
function transcriptOr(word: string, cwd: string | undefined): string {
  const isPath = word.includes("/") || word.endsWith(".jsonl");
  return isPath && !isAbsolute(word) ? resolve(cwd ?? "/", word) : word;
}

/** The error as it is, unless the name is known elsewhere or is close to one that is. */
async function withFix(error: unknown, missed: Missed, service: EngramdService): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== "unknown-name" || missed.name.includes("/"))
    return error;
  const fix = await fixForMissed(missed, service);
  const { code, message, exitCode } = error;
  return fix === LIST ? error : new AppError({ code, message, fix, exitCode });
}
