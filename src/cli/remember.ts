// `engramd remember TEXT`: save what a person says, through the same gate as everything else.
import { AppError, EXIT } from "../domain/errors.ts";
import type { MemoryType } from "../domain/memories.ts";
import { MEMORY_TYPES } from "../domain/memories.ts";
import type { RememberReply } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { refuseNoProject } from "./frame/elsewhere.ts";
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
  const reply = await withService(context, async (service) => {
    await refuseNoProject(context, request.project, service);
    return service.remember(request);
  });
  const answer = { document: reply, lines: () => rememberLines(reply) };
  if (reply.outcome !== "refused") return { ...answer, exitCode: EXIT.ok };
  return { ...answer, exitCode: EXIT.failed, problem: refusal(reply) };
}

/** Codes of the gate that `--keep` overrules. */
const KEEPABLE: ReadonlySet<string> = new Set(["excluded-kind", "restated"]);

/** Asks what is worth keeping; some rules end with that question themselves. */
function refusal({ reason, message }: RememberReply): AppError {
  const code = reason ?? "refused";
  if (!KEEPABLE.has(code)) return new AppError({ code, message });
  const asks = message.endsWith("?");
  const say = asks ? "say that" : "say what was surprising about it";
  const fix = `${say}, or add --keep to store it all the same`;
  return new AppError({ code, message: asks ? message.slice(0, -1) : message, fix });
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
