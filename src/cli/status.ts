// `engramd status`: the daemon's answer, or what it last knew.
import { EXIT } from "../domain/errors.ts";
import { askStatus } from "./frame/ask-status.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { statusLines } from "./render/status.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { status, problem } = await askStatus(context);
  const lines: Reply["lines"] = (page) => statusLines(status, page);
  if (problem !== undefined) return { exitCode: EXIT.notRunning, document: status, lines, problem };
  return { exitCode: status.state === "degraded" ? EXIT.failed : EXIT.ok, document: status, lines };
}
