// Runs one program to its end: bounded in time and output, killed with everything it started. Its error output is
// never read: it may hold a secret.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { AppError, systemCode } from "../domain/errors.ts";
import type { Clock } from "./clock.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text for standard input; without it the input is empty. */
  readonly input?: string;
  readonly timeMs: number;
  /** Standard output kept; a program that writes more is killed. */
  readonly outputBytesMax: number;
}

export interface CommandEnd {
  /** `time` and `output`: a limit was reached and the program was killed. */
  readonly how: "exit" | "time" | "output";
  /** Exit code; null after a signal. */
  readonly code: number | null;
  readonly stdout: Buffer;
}

/**
 * Resolves when the program has ended, whatever its exit code. Rejects with `command-not-started`, or after an
 * abort, once the program is dead, with the signal's reason.
 */
export type RunCommand = (command: Command, signal: AbortSignal) => Promise<CommandEnd>;

/** A program that has ended may have left its output open in a child of its own; that is not waited for longer. */
const OUTPUT_OPEN_MS = 500;

export function createRunCommand(clock: Clock): RunCommand {
  return (command, signal) => {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      run({ command, signal, clock, resolve, reject });
    });
  };
}

interface Run {
  readonly command: Command;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly resolve: (end: CommandEnd) => void;
  readonly reject: (reason: unknown) => void;
}

function run({ command, signal, clock, resolve, reject }: Run): void {
  const { file, args, env, input, timeMs, outputBytesMax } = command;
  // A group of its own, so that what the program starts can be killed with it. It has no terminal to ask on.
  const child = spawn(file, [...args], { env, stdio: ["pipe", "pipe", "ignore"], detached: true });
  const pieces: Buffer[] = [];
  let bytes = 0;
  let how: CommandEnd["how"] = "exit";
  const kill = (why: CommandEnd["how"]) => {
    how = why;
    killGroup(child);
    child.stdout.destroy();
  };
  const abort = () => kill("exit");
  const limit = clock.setTimer(timeMs, () => kill("time"));
  let open = limit;
  signal.addEventListener("abort", abort, { once: true });
  const finish = (settle: () => void) => {
    limit.cancel();
    open.cancel();
    signal.removeEventListener("abort", abort);
    settle();
  };
  child.stdout.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > outputBytesMax) kill("output");
    else pieces.push(piece);
  });
  // The program may end before it has read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  child.on("exit", () => {
    open = clock.setTimer(OUTPUT_OPEN_MS, () => void child.stdout.destroy());
  });
  child.on("error", (error) => finish(() => reject(notStarted(file, error))));
  child.on("close", (code) => {
    finish(() => {
      if (signal.aborted) reject(signal.reason);
      else resolve({ how, code, stdout: Buffer.concat(pieces) });
    });
  });
}

/** A group that is gone already needs no killing. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (systemCode(error) !== "ESRCH") child.kill("SIGKILL");
  }
}

function notStarted(file: string, cause: unknown): AppError {
  return new AppError({
    code: "command-not-started",
    message: `${file} cannot be started (${systemCode(cause) ?? "unknown reason"})`,
    fix: "Check that it is installed and may be run.",
    cause,
  });
}
