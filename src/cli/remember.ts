// `engramd remember TEXT`: save what a person says, through the same gate as everything else.
import { AppError, EXIT } from "../domain/errors.ts";
import type { MemoryType } from "../domain/memories.ts";
import { MEMORY_TYPES } from "../domain/memories.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { rememberLines } from "./render/changes.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { words, options } = context.call;
  const text = words.join(" ").trim();
  if (text === "")
    throw usage("missing-argument", "there is no text to remember", "give the text as an argument");
  const type = parseType(options.get("type"));
  const request = {
    text,
    project: projectOf(context),
    ...(type === undefined ? {} : { type }),
    ...(options.has("keep") ? { keep: true } : {}),
  };
  const reply = await withService(context, (service) => service.remember(request));
  const answer = { document: reply, lines: () => rememberLines(reply) };
  if (reply.outcome !== "refused") return { ...answer, exitCode: EXIT.ok };
  const problem = new AppError({ code: reply.reason ?? "refused", message: reply.message });
  return { ...answer, exitCode: EXIT.failed, problem };
}

function parseType(value: string | true | undefined): MemoryType | undefined {
  if (value === undefined) return undefined;
  const type = MEMORY_TYPES.find((known) => known === value);
  if (type !== undefined) return type;
  throw usage(
    "bad-option-value",
    `--type is ${JSON.stringify(value)}`,
    `use one of ${MEMORY_TYPES.join(", ")}`,
  );
}

function usage(code: string, message: string, fix: string): AppError {
  return new AppError({ code, message, fix, exitCode: EXIT.usage });
}
