// `engramd pause [--for 2h]`: stop observing, for a while or until `resume`; answers go on.
import { AppError, EXIT } from "../domain/errors.ts";
import { PAUSE_LIMITS } from "../domain/limits.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { withService } from "./frame/service.ts";
import { pauseLines } from "./render/pause.ts";

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export async function run(context: CommandContext): Promise<Reply> {
  const text = context.call.options.get("for");
  const request = typeof text === "string" ? { forMs: parseFor(text) } : {};
  const reply = await withService(context, (service) => service.pause(request));
  return { exitCode: EXIT.ok, document: reply, lines: (page) => pauseLines(reply, page) };
}

function parseFor(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/u.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms >= PAUSE_LIMITS.forMsMin && ms <= PAUSE_LIMITS.forMsMax) return ms;
  throw new AppError({
    code: "bad-option-value",
    message: `--for is ${JSON.stringify(text)}`,
    fix: "give minutes, hours or days such as 30m, 2h or 1d, from 1m to 30d; without --for the pause lasts until: engramd resume",
    exitCode: EXIT.usage,
  });
}
