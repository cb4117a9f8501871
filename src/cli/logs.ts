// `engramd logs`: what the service has logged, from the journal or the file of launchd.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply, SilentReply } from "./frame/command.ts";
import { line } from "./render/line.ts";
import { printLines } from "./render/output.ts";

const LINES_DEFAULT = 100;
/** Answers with `--json` are held in memory. */
const LINES_MAX = 100_000;

export async function run(context: CommandContext): Promise<Reply | SilentReply> {
  const { host, call } = context;
  const follow = call.options.has("follow");
  const { json } = call.globals;
  if (json && follow)
    throw usage("--follow has no end, and --json prints one document", "use one of the two");
  const { serviceCommands } = await import("../serve/deliver/install/service-commands.ts");
  const { followCommand } = await import("../system/follow-command.ts");
  const { machineOf } = await import("./frame/machine.ts");
  const machine = machineOf(context);
  const [file = "", ...args] = serviceCommands(machine).logs({
    lines: parseLines(call.options.get("lines")),
    follow,
  });
  const stop = new AbortController();
  // Ctrl-C is how following ends; the program that reads the log goes with us.
  host.signals.onStop(() => stop.abort());
  const kept: string[] = [];
  const tell = (text: string) => printLines(host.out, [line(text)], { colour: false });
  const code = await followCommand({
    file,
    args,
    env: machine.env,
    onLine: json ? (text) => void kept.push(text) : tell,
    signal: stop.signal,
  });
  if (code !== 0 && !stop.signal.aborted) throw noLog(file, code);
  if (!json) return { exitCode: EXIT.ok };
  return { exitCode: EXIT.ok, document: { v: 1, lines: kept }, lines: () => [] };
}

function parseLines(value: string | true | undefined): number {
  if (value === undefined) return LINES_DEFAULT;
  const count = typeof value === "string" && /^\d{1,6}$/u.test(value) ? Number(value) : Number.NaN;
  if (count <= LINES_MAX) return count;
  throw usage(`--lines is ${JSON.stringify(value)}`, `give a number from 0 to ${LINES_MAX}`);
}

function usage(message: string, fix: string): AppError {
  return new AppError({ code: "bad-option-value", message, fix, exitCode: EXIT.usage });
}

function noLog(file: string, code: number | null): AppError {
  return new AppError({
    code: "no-log",
    message: `${file} found no log (${code === null ? "ended by a signal" : `exit code ${code}`})`,
    fix: 'see whether it is installed and runs: "engramd status"',
  });
}
