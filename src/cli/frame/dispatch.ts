// From arguments to an exit code: parse, load the one command, run it, print its reply or its error.
import type { ExitCode } from "../../domain/errors.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { Clock } from "../../system/clock.ts";
import { createClock } from "../../system/clock.ts";
import { createFiles } from "../../system/files.ts";
import { resolvePaths } from "../../system/paths.ts";
import { COMMANDS } from "../commands.ts";
import { knownError, pageFor, printError, printJson, printLines, wantsColour } from "../render/output.ts";
import type { Call, Host, Reply, SilentReply } from "./command.ts";
import { parsePlainCall } from "./plain-call.ts";

/** Never throws: every failure is one line on stderr and an exit code. */
export async function dispatch(argv: readonly string[], host: Host): Promise<ExitCode> {
  const clock = createClock();
  const page = pageFor(host.out, { env: host.env, now: clock.now() });
  try {
    const call = parsePlainCall(argv) ?? (await parse({ argv, host, width: page.width }));
    if (call === undefined) return EXIT.ok;
    const reply = await runCommand({ call, host, clock });
    if (reply.document === undefined) return reply.exitCode;
    if (call.globals.json) printJson(host.out, reply.document);
    else printLines(host.out, reply.lines(page), { colour: wantsColour(host.out, host.env) });
    if (reply.problem !== undefined) printError(host.err, reply.problem);
    return reply.exitCode;
  } catch (error) {
    return tell(knownError(error), { argv, host });
  }
}

/** Undefined when the text somebody asked for has been printed. */
async function parse(input: {
  readonly argv: readonly string[];
  readonly host: Host;
  readonly width: number;
}): Promise<Call | undefined> {
  const { parseCommandLine } = await import("./parse.ts");
  const parsed = parseCommandLine({ argv: input.argv, commands: COMMANDS, width: input.width });
  if ("call" in parsed) return parsed.call;
  input.host.out.write(parsed.text);
  return undefined;
}

async function runCommand({
  call,
  host,
  clock,
}: {
  readonly call: Call;
  readonly host: Host;
  readonly clock: Clock;
}): Promise<Reply | SilentReply> {
  const entry = COMMANDS.find(({ name }) => name === call.command);
  if (entry === undefined)
    throw new AppError({ code: "unknown-command", message: call.command, exitCode: EXIT.usage });
  const command = await entry.load();
  return command.run({ call, host, clock, paths: resolvePaths(host), files: createFiles() });
}

/** With `--json` the error is the one document, so that standard output always parses. */
function tell(
  error: AppError,
  { argv, host }: { readonly argv: readonly string[]; readonly host: Host },
): ExitCode {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (words.includes("--json")) {
    const { code, message, fix } = error;
    printJson(host.out, { v: 1, error: { code, message, fix: fix ?? null } });
  }
  printError(host.err, error);
  return error.exitCode;
}
