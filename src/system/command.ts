// Runs one program to its end: bounded in time and output, killed with everything it started. Its error output is
// never read: it may hold a secret.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { AppError, systemCode } from "../domain/errors.ts";
import type { Clock, Timer } from "./clock.ts";
import { mayUse } from "./rights.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text for standard input; without it the input is empty. */
  readonly input?: string;
  readonly timeMs: number;
  /** Standard output kept; a program that writes more is killed. */
  readonly outputBytesMax: number;
  readonly cwd?: string;
  /** A program with files of its own is asked to end and killed only after this time; default: killed at once. */
  readonly graceMs?: number;
  /** Its whole group dies with us, whatever kills us; what it leaves running dies when it ends. */
  readonly diesWithUs?: boolean;
  /** Told each whole line of the output; true: nothing more is wanted, and the program is ended. */
  isEnough?(line: string): boolean;
}

export interface CommandEnd {
  /** `time` and `output`: a limit was reached; `enough`: so it was said of a line. The program was ended by us. */
  readonly how: "exit" | "time" | "output" | "enough";
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
  // The shell would say so with an exit code, which may be a program's own.
  if (command.diesWithUs === true && !isThere(command)) return reject(notStarted(command.file));
  const { input, timeMs, outputBytesMax, graceMs = 0 } = command;
  const child = start(command);
  const { stdin, stdout, stdio } = child;
  const pieces: Buffer[] = [];
  let bytes = 0;
  let how: CommandEnd["how"] = "exit";
  const timers: Timer[] = [];
  const later = (ms: number, what: () => void) => void timers.push(clock.setTimer(ms, what));
  const end = (why: CommandEnd["how"]) => {
    how = why;
    killGroup(child, graceMs === 0 ? "SIGKILL" : "SIGTERM");
    if (graceMs > 0) later(graceMs, () => killGroup(child, "SIGKILL"));
    stdout?.destroy();
  };
  const abort = () => end("exit");
  const isEnough = command.isEnough === undefined ? undefined : lineWatch(command.isEnough.bind(command));
  later(timeMs, () => end("time"));
  signal.addEventListener("abort", abort, { once: true });
  const finish = (settle: () => void) => {
    for (const timer of timers) timer.cancel();
    signal.removeEventListener("abort", abort);
    settle();
  };
  stdout?.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > outputBytesMax) return end("output");
    pieces.push(piece);
    if (isEnough?.(piece) === true) end("enough");
  });
  // The program may end before it has read its input.
  stdin?.on("error", () => undefined);
  stdin?.end(input ?? "");
  const guarded = stdio[GUARD_FD];
  guarded?.on("error", () => undefined);
  child.on("exit", () => {
    guarded?.destroy();
    later(OUTPUT_OPEN_MS, () => void stdout?.destroy());
  });
  child.on("error", (error) => finish(() => reject(notStarted(command.file, error))));
  child.on("close", (code) => {
    finish(() => {
      if (signal.aborted) reject(signal.reason);
      else resolve({ how, code, stdout: Buffer.concat(pieces) });
    });
  });
}

const GUARD_FD = 3;
/**
 * A second shell in the program's group waits for the end of a pipe that only we hold, which the kernel brings about
 * however we die, and then kills the group, itself as well; a polite signal does not end it before that. It holds none of the program's own pipes open.
 */
const GUARDED = `(trap '' TERM; read -r _ <&${GUARD_FD}; kill -KILL 0) >/dev/null </dev/null & exec "$0" "$@" ${GUARD_FD}<&-`;

function start({ file, args, env, cwd, diesWithUs = false }: Command): ChildProcess {
  // A group of its own, so that what the program starts can be killed with it. It has no terminal to ask on.
  const options = { env, cwd, detached: true } as const;
  return diesWithUs
    ? spawn("/bin/sh", ["-c", GUARDED, file, ...args], {
        ...options,
        stdio: ["pipe", "pipe", "ignore", "pipe"],
      })
    : spawn(file, [...args], { ...options, stdio: ["pipe", "pipe", "ignore"] });
}

/** Joins pieces into lines; true once one of them is enough. */
function lineWatch(isEnough: (line: string) => boolean): (piece: Buffer) => boolean {
  let rest: Buffer[] = [];
  return (piece) => {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...rest, piece.subarray(from, at)]).toString("utf8");
      rest = [];
      from = at + 1;
      if (isEnough(line)) return true;
    }
    rest.push(piece.subarray(from));
    return false;
  };
}

const NEWLINE = 0x0a;

/** A group that is gone already needs no killing. */
function killGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (systemCode(error) !== "ESRCH") child.kill(signal);
  }
}

function isThere({ file, env }: Command): boolean {
  if (file.includes("/")) return mayUse(file, "run");
  return (env["PATH"] ?? "").split(":").some((folder) => folder !== "" && mayUse(join(folder, file), "run"));
}

function notStarted(file: string, cause?: unknown): AppError {
  return new AppError({
    code: "command-not-started",
    message: `${file} cannot be started (${systemCode(cause) ?? "not found"})`,
    fix: "Check that it is installed and may be run.",
    cause,
  });
}
