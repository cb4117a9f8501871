// `engramd cost [--days N] [--project PATH]`: what models cost, by day, project, kind of job and memory.
import { COST_DAYS } from "../domain/cost.ts";
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { costLines } from "./render/cost.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const given = context.call.options.get("days");
  const request = {
    ...(typeof given === "string" ? { days: parseDays(given) } : {}),
    ...(context.call.globals.project === undefined ? {} : { project: projectOf(context) }),
  };
  const report = await withService(context, (service) => service.cost(request), { looksOnly: true });
  return { exitCode: EXIT.ok, document: report, lines: (page) => costLines(report, page) };
}

function parseDays(text: string): number {
  const days = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days <= COST_DAYS.max) return days;
  throw new AppError({
    code: "bad-option-value",
    message: `--days is ${JSON.stringify(text)}`,
    fix: `give a number of days from 1 to ${COST_DAYS.max}`,
    exitCode: EXIT.usage,
  });
}
