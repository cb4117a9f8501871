// Runs one command and tells what came of it: the document or the lines, or one line about the failure.
import type { AppError, ExitCode } from "../../domain/errors.ts";
import { createClock } from "../../system/clock.ts";
import { createFiles } from "../../system/files.ts";
import { resolvePaths } from "../../system/paths.ts";
import { knownError, pageFor, printError, printJson, printLines, wantsColour } from "../render/output.ts";
import type { Call, CommandEntry, Host } from "./command.ts";

export interface Performance {
  readonly call: Call;
  readonly host: Host;
  readonly run: CommandEntry["run"];
  readonly commands?: readonly CommandEntry[];
}

/** Never throws: every failure is one line on stderr and an exit code. */
export async function perform({ call, host, run, commands = [] }: Performance): Promise<ExitCode> {
  const { json } = call.globals;
  const clock = createClock();
  try {
    const files = createFiles();
    const reply = await run({ call, host, clock, paths: resolvePaths(host), files, commands });
    if (reply.document === undefined) return reply.exitCode;
    const page = pageFor(host.out, { env: host.env, now: clock.now() });
    if (json) printJson(host.out, reply.document);
    else printLines(host.out, reply.lines(page), { colour: wantsColour(host.out, host.env) });
    if (reply.problem !== undefined) printError(host.err, reply.problem);
    return reply.exitCode;
  } catch (error) {
    return tell(knownError(error), { host, json });
  }
}

/** With `--json` the error is the one document, so that standard output always parses. */
export function tell(
  error: AppError,
  { host, json }: { readonly host: Host; readonly json: boolean },
): ExitCode {
  const { code, message, fix } = error;
  if (json) printJson(host.out, { v: 1, error: { code, message, fix: fix ?? null } });
  printError(host.err, error);
  return error.exitCode;
}
