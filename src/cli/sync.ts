// `engramd sync`: one pass now, through the daemon when it runs.
import { AppError, EXIT } from "../domain/errors.ts";
import type { SyncRequest } from "../domain/service.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { syncLines } from "./render/sync.ts";

/** A hundred years; more is surely a mistake. */
const BACKFILL_DAYS_MAX = 36_500;

export async function run(context: CommandContext): Promise<Reply> {
  const request = requestOf(context);
  const report = await withService(context, (service) => service.sync(request));
  return { exitCode: EXIT.ok, document: report, lines: (page) => syncLines(report, page) };
}

function requestOf({ host, call }: CommandContext): SyncRequest {
  const backfill = call.options.get("backfill");
  return {
    ...(typeof backfill === "string" ? { backfillDays: parseBackfill(backfill) } : {}),
    ...(call.options.has("dry-run") ? { dryRun: true } : {}),
    ...(call.options.has("background") ? { background: true } : {}),
    // Without --project a pass is about everything, wherever it is started.
    ...(call.globals.project === undefined ? {} : { project: projectOf({ host, call }) }),
  };
}

function parseBackfill(text: string): number | "all" {
  if (text === "all") return text;
  const days = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
  if (days <= BACKFILL_DAYS_MAX) return days;
  throw new AppError({
    code: "bad-option-value",
    message: `--backfill is ${JSON.stringify(text)}`,
    fix: `give a number of days from 0 to ${BACKFILL_DAYS_MAX}, or "all"`,
    exitCode: EXIT.usage,
  });
}
