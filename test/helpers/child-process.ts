// A child process under test: collects its output, waits for a line of it, and never outlives the test.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Text for standard input; without it the input is empty. */
  readonly input?: string;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Whole lines of standard output so far. */
  lines(): string[];
  /** First line of standard output, past or future, that `accept` takes. Fails when the child ends first. */
  waitForLine(accept: (line: string) => boolean, options?: { readonly withinMs?: number }): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the child has ended and its output is complete. */
  readonly exit: Promise<ChildExit>;
}

/** For what comes at once on a machine that has nothing else to do. */
const DEFAULT_WAIT_MS = 45_000;
/** Output shown in a failure message, per stream. */
const SHOWN_CHARS = 2_000;

/** Must be called inside a test: the child is killed and awaited when the test has finished. */
export function startChild(options: ChildOptions): Child {
  const child = spawnChild(options);
  onTestFinished(async () => {
    child.signal("SIGKILL");
    await child.exit;
  });
  return child;
}

/** As `startChild`, for callers that end the child themselves. */
export function spawnChild({ command, args, env, cwd, input }: ChildOptions): Child {
  const child = spawn(command, [...args], {
    stdio: ["pipe", "pipe", "pipe"],
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  // The child may end before it has read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  const output = { stdout: "", stderr: "" };
  const checks = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
    for (const check of checks) check();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text));
  let ended: ChildExit | undefined;
  const exit = new Promise<ChildExit>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      ended = { code, signal };
      for (const check of checks) check();
      resolve(ended);
    });
  });
  const lines = () => output.stdout.split("\n").slice(0, -1);

  return {
    pid: child.pid ?? -1,
    process: child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    lines,
    exit,
    signal: (name) => void child.kill(name),
    waitForLine(accept, { withinMs = DEFAULT_WAIT_MS } = {}) {
      return new Promise((resolve, reject) => {
        const finish = (settle: () => void) => {
          clearTimeout(timer);
          checks.delete(check);
          settle();
        };
        const fail = (why: string) => {
          const tail = `stdout: ${output.stdout.slice(-SHOWN_CHARS)}\nstderr: ${output.stderr.slice(-SHOWN_CHARS)}`;
          finish(() => reject(new Error(`${why}\n${tail}`)));
        };
        const check = () => {
          const line = lines().find(accept);
          if (line !== undefined) finish(() => resolve(line));
          else if (ended !== undefined) fail(`the child ended first (${JSON.stringify(ended)})`);
        };
        const timer = setTimeout(() => fail(`no such line within ${withinMs} ms`), withinMs);
        checks.add(check);
        check();
      });
    },
  };
}
