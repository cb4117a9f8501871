// `engramd logs`: what the service has logged, from the journal of systemd or from files of our own.
import { join } from "node:path";
import { AppError, EXIT } from "../domain/errors.ts";
import { LOG_FILE, PRINTED_FILE } from "../system/log-file.ts";
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
  const lines = parseLines(call.options.get("lines"));
  const stop = new AbortController();
  // Ctrl-C is how following ends; the program that reads the log goes with us.
  host.signals.onStop(() => stop.abort());
  const kept: string[] = [];
  let count = 0;
  const onLine = (text: string) => {
    count += 1;
    if (json) kept.push(text);
    else printLines(host.out, [line(text)], { colour: false });
  };
  const wish = { lines, follow, onLine, signal: stop.signal };
  const { program, isService } = await programFor(context, wish);
  if (!isService && program !== undefined && follow)
    printLines(host.err, [line(`${NO_SERVICE}: waiting for what another one logs`)], { colour: false });
  await (program === undefined ? readOwnFiles(context, wish) : runProgram(context, { program, wish }));
  if (!isService && program !== undefined && !follow && count === 0 && lines > 0) throw noService();
  if (!json) return { exitCode: EXIT.ok };
  return { exitCode: EXIT.ok, document: { v: 1, lines: kept }, lines: () => [] };
}

interface Wish {
  readonly lines: number;
  readonly follow: boolean;
  readonly onLine: (text: string) => void;
  readonly signal: AbortSignal;
}

interface Keeper {
  /** Undefined when the log lies in files of our own: nobody else keeps it, or `run --log-file` was started by hand. */
  readonly program: readonly string[] | undefined;
  /** Whether `engramd install` made a service; one that was made by hand may have logged all the same. */
  readonly isService: boolean;
}

async function programFor(context: CommandContext, wish: Wish): Promise<Keeper> {
  const { files, paths } = context;
  const { machineOf, readInstalled, serviceCommands } = (await import("./frame/service-tools.ts"))
    .SERVICE_TOOLS;
  const isService = readInstalled({ files, paths }) !== undefined;
  const isOurs = !isService && files.look(logFile(paths)) !== undefined;
  return { program: isOurs ? undefined : serviceCommands(machineOf(context)).logs?.(wish), isService };
}

interface Asked {
  readonly program: readonly string[];
  readonly wish: Wish;
}

/** What is there already comes at once; a journal of years on a slow disk takes seconds. */
const SILENT_MS = 30_000;

async function runProgram({ host, clock }: CommandContext, { program, wish }: Asked): Promise<void> {
  const { followCommand } = (await import("./frame/service-tools.ts")).SERVICE_TOOLS;
  const [file = "", ...args] = program;
  const silent = new AbortController();
  const patience = () => clock.setTimer(SILENT_MS, () => silent.abort());
  // Who follows waits for what will come.
  let timer = wish.follow ? undefined : patience();
  const onLine = (text: string) => {
    timer?.cancel();
    if (!wish.follow) timer = patience();
    wish.onLine(text);
  };
  const signal = AbortSignal.any([wish.signal, silent.signal]);
  const code = await followCommand({ file, args, env: host.env, onLine, signal });
  timer?.cancel();
  if (silent.signal.aborted) throw noLog(`${file} has told nothing for ${SILENT_MS / 1_000} s`);
  if (code !== 0 && !wish.signal.aborted)
    throw noLog(`${file} found no log (${code === null ? "ended by a signal" : `exit code ${code}`})`);
}

/** What a start that failed has printed, where it is newer than the log. */
const PRINTED_LINES = 10;

async function readOwnFiles({ paths, files, clock }: CommandContext, wish: Wish): Promise<void> {
  const { readLog } = (await import("./frame/service-tools.ts")).SERVICE_TOOLS;
  const path = logFile(paths);
  const printed = join(paths.stateDir, PRINTED_FILE);
  const changedMs = (file: string) => files.look(file)?.mtimeMs ?? 0;
  const isNewer = changedMs(printed) > changedMs(path);
  const readPrinted = async () =>
    isNewer &&
    (await readLog(
      { path: printed, clock },
      { ...wish, lines: Math.min(PRINTED_LINES, wish.lines), follow: false },
    ));
  // Last where there is a last line.
  const before = wish.follow && (await readPrinted());
  const hasLog = await readLog({ path, clock }, wish);
  const hasPrinted = before || (!wish.follow && (await readPrinted()));
  if (!hasLog && !hasPrinted) throw noLog(`there is no log at ${path}`);
}

function logFile({ stateDir }: CommandContext["paths"]): string {
  return join(stateDir, LOG_FILE);
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

const NO_SERVICE = "engramd is not installed as a service";

/** `run` in the foreground prints its log where it was started, and nobody keeps it. */
function noService(): AppError {
  return new AppError({
    code: "no-log",
    message: `${NO_SERVICE} and keeps no log here`,
    fix: "engramd install, or run it with a log: engramd run --log-file",
  });
}

function noLog(message: string): AppError {
  return new AppError({
    code: "no-log",
    message,
    fix: 'see whether it is installed and runs: "engramd status"',
  });
}
